// Anthropic's GET /v1/organizations/usage_report/messages and /v1/organizations/cost_report (pages of the Admin API).
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

export interface AnthropicUsage {
  readonly day: string;
  readonly api_key_id: string;
  /** Null: the default workspace. */
  readonly workspace_id: string | null;
  readonly model: string;
  readonly service_tier: string;
  readonly uncached_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly ephemeral_5m_input_tokens: number;
  readonly ephemeral_1h_input_tokens: number;
  readonly output_tokens: number;
}

export interface AnthropicCost {
  readonly day: string;
  readonly workspace_id: string | null;
  readonly description: string;
  readonly cost_type: 'tokens' | 'web_search' | 'code_execution';
  readonly model: string | null;
  readonly service_tier: string | null;
  readonly token_type: string | null;
  readonly cents: number;
}

export interface AnthropicLedger {
  readonly usage: readonly AnthropicUsage[];
  readonly costs: readonly AnthropicCost[];
}

const pageDays = 7;

export function startAnthropic(adminKey: string, ledger: () => AnthropicLedger, busyEvery = 5) {
  return startVendor({ busyEvery, responseTo: (requested) => responseTo(adminKey, ledger(), requested) });
}

const usageGroups = ['api_key_id', 'workspace_id', 'model', 'service_tier', 'context_window'];
const usageSums = [
  ...['uncached_input_tokens', 'cache_read_input_tokens', 'output_tokens'],
  ...['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'],
];

function responseTo(adminKey: string, { usage, costs }: AnthropicLedger, { path, query, headers }: VendorRequest) {
  if (headers['x-api-key'] !== adminKey) return refused(401, 'invalid x-api-key');
  if (headers['anthropic-version'] === undefined) return refused(400, 'anthropic-version: header is required');
  const isUsage = path === '/v1/organizations/usage_report/messages';
  if (!isUsage && path !== '/v1/organizations/cost_report') return refused(404, 'Not found');
  const time = (value: string) => !Number.isNaN(Date.parse(value)) && value.endsWith('Z');
  const rules: Rules = {
    starting_at: time,
    ending_at: time,
    bucket_width: (value) => value === '1d',
    'group_by[]': (value) => (isUsage ? usageGroups : ['workspace_id', 'description']).includes(value),
    limit: (value) => Number(value) >= 1 && Number(value) <= 31,
    page: () => true,
  };
  const mistake = mistakeIn(query, rules, ['starting_at']);
  if (mistake !== undefined) return refused(400, mistake);
  const end = query.get('ending_at') ?? new Date().toISOString();
  const days = daysFrom(Date.parse(query.get('starting_at') ?? ''), Date.parse(end));
  const page = pageOf(days, query.get('page'), Math.min(Number(query.get('limit') ?? 7), pageDays));
  if (page === undefined) return refused(400, 'page: invalid');
  const by = query.getAll('group_by[]');
  const data = page.days.map((day) => ({
    starting_at: `${day}T00:00:00Z`,
    ending_at: `${daysFrom(Date.parse(day) + 86_400_000, Date.parse(day) + 2 * 86_400_000)[0]}T00:00:00Z`,
    results: isUsage
      ? usageResults(
          usage.filter((row) => row.day === day),
          by,
        )
      : costResults(
          costs.filter((row) => row.day === day),
          by,
        ),
  }));
  return { status: 200, body: { data, has_more: page.next !== null, next_page: page.next } };
}

function usageResults(rows: readonly AnthropicUsage[], by: readonly string[]) {
  return grouped(rows, by, usageGroups, usageSums).map((result) => {
    const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens, ...rest } = result;
    return {
      ...rest,
      cache_creation: { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens },
      server_tool_use: { web_search_requests: 0 },
    };
  });
}

/** Without `description` the vendor names neither model nor tier. */
function costResults(rows: readonly AnthropicCost[], by: readonly string[]) {
  const named = by.includes('description') ? ['cost_type', 'model', 'service_tier', 'token_type'] : [];
  const all = ['workspace_id', 'description', 'cost_type', 'model', 'service_tier', 'token_type'];
  return grouped(rows, [...by, ...named], all, ['cents']).map(({ cents, ...rest }) => ({
    ...rest,
    amount: String(Math.round(Number(cents) * 1e6) / 1e6),
    currency: 'USD',
    context_window: null,
  }));
}
