// OpenAI's GET /v1/organization/usage/completions and /v1/organization/costs (the SDK's types:
// resources/admin/organization/usage).
import {
  daysFrom,
  grouped,
  mistakeIn,
  pageOf,
  type Rules,
  refused,
  startVendor,
  type VendorRequest,
} from './vendor-server.ts';

export interface OpenAiUsage {
  readonly day: string;
  readonly project_id: string;
  readonly api_key_id: string;
  readonly model: string;
  readonly batch: boolean;
  readonly service_tier: string;
  readonly input_tokens: number;
  readonly input_cached_tokens: number;
  readonly input_cache_write_tokens: number;
  readonly output_tokens: number;
  readonly num_model_requests: number;
}

export interface OpenAiCost {
  readonly day: string;
  readonly project_id: string;
  readonly api_key_id: string;
  readonly line_item: string;
  /** Dollars. */
  readonly value: number;
}

export interface OpenAiLedger {
  readonly usage: readonly OpenAiUsage[];
  readonly costs: readonly OpenAiCost[];
}

/** Largest number of days in a page, whatever the request says. */
const pageDays = 7;

export function startOpenAi(adminKey: string, ledger: () => OpenAiLedger, busyEvery = 4) {
  return startVendor({ busyEvery, responseTo: (requested) => responseTo(adminKey, ledger(), requested) });
}

const usageGroups = ['project_id', 'user_id', 'api_key_id', 'model', 'batch', 'service_tier'];
const usageSums = [
  'input_tokens',
  'input_cached_tokens',
  'input_cache_write_tokens',
  'output_tokens',
  'num_model_requests',
];
const costGroups = ['project_id', 'user_id', 'line_item', 'api_key_id'];

function responseTo(adminKey: string, { usage, costs }: OpenAiLedger, { path, query, headers }: VendorRequest) {
  if (headers.authorization !== `Bearer ${adminKey}`)
    return refused(401, `Incorrect API key provided: ${headers.authorization}`);
  const isUsage = path === '/v1/organization/usage/completions';
  if (!isUsage && path !== '/v1/organization/costs') return refused(404, `Invalid URL (GET ${path})`);
  const groups = isUsage ? usageGroups : costGroups;
  const limitMax = isUsage ? 31 : 180;
  const seconds = (value: string) => /^\d{9,11}$/.test(value);
  const rules: Rules = {
    start_time: seconds,
    end_time: seconds,
    bucket_width: (value) => value === '1d',
    'group_by[]': (value) => groups.includes(value),
    limit: (value) => Number(value) >= 1 && Number(value) <= limitMax,
    page: () => true,
  };
  const mistake = mistakeIn(query, rules, ['start_time']);
  if (mistake !== undefined) return refused(400, mistake);
  const end = query.get('end_time') ?? String(Math.floor(Date.now() / 1000));
  const days = daysFrom(Number(query.get('start_time')) * 1000, Number(end) * 1000);
  const page = pageOf(days, query.get('page'), Math.min(Number(query.get('limit') ?? 7), pageDays));
  if (page === undefined) return refused(400, 'Invalid page');
  const by = query.getAll('group_by[]');
  const data = page.days.map((day) => ({
    object: 'bucket',
    start_time: Date.parse(day) / 1000,
    end_time: Date.parse(day) / 1000 + 86_400,
    results: isUsage
      ? grouped(
          usage.filter((row) => row.day === day),
          by,
          usageGroups,
          usageSums,
        ).map((result) => ({
          object: 'organization.usage.completions.result',
          ...result,
        }))
      : grouped(
          costs.filter((row) => row.day === day),
          by,
          costGroups,
          ['value'],
        ).map(({ value, ...result }) => ({
          object: 'organization.costs.result',
          amount: { value, currency: 'usd' },
          ...result,
        })),
  }));
  return { status: 200, body: { object: 'page', data, has_more: page.next !== null, next_page: page.next } };
}
