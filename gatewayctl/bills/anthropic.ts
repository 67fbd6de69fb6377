// Anthropic's usage and cost reports: GET /v1/organizations/usage_report/messages and /v1/organizations/cost_report
// (pages "Get Messages Usage Report" and "Get Cost Report" of the Admin API). Usage is in tokens by API key, cost in
// cents by workspace; both by UTC day.
import { dayMs } from '../../common/durations.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Secret } from '../../common/secret.ts';
import { type BillLine, daysBetween, type ReadBill } from './bill.ts';
import { bucketLines } from './buckets.ts';
import { count, decimal, present, text } from './fields.ts';
import type { DayRange } from './openai.ts';
import { broken, type VendorApi } from './vendor-api.ts';

export const anthropicUrl = 'https://api.anthropic.com';

export function anthropic(url: string, key: Secret): VendorApi {
  return {
    vendor: 'Anthropic',
    url,
    key,
    headers: (value) => ({ 'x-api-key': value, 'anthropic-version': '2023-06-01' }),
  };
}

export function anthropicUsage(api: VendorApi, range: DayRange): ReadBill {
  const groups = ['api_key_id', 'workspace_id', 'model', 'service_tier'];
  const path = '/v1/organizations/usage_report/messages';
  return {
    lines: lines(api, { path, groups, lineOf: usageLine }, range),
    days: daysBetween(range.from, range.to),
    remarks: () => [],
  };
}

export function anthropicCosts(api: VendorApi, range: DayRange): ReadBill {
  const groups = ['workspace_id', 'description'];
  return {
    lines: lines(api, { path: '/v1/organizations/cost_report', groups, lineOf: costLine }, range),
    days: daysBetween(range.from, range.to),
    remarks: () => [],
  };
}

interface VendorRequest {
  readonly path: string;
  readonly groups: readonly string[];
  lineOf(api: VendorApi, day: string, result: JsonObject): BillLine;
}

function lines(api: VendorApi, { path, groups, lineOf }: VendorRequest, range: DayRange) {
  const query = [
    ['starting_at', `${range.from}T00:00:00Z`],
    ['ending_at', new Date(Date.parse(range.to) + dayMs).toISOString().replace('.000', '')],
    ['bucket_width', '1d'],
    ...groups.map((group) => ['group_by[]', group] as const),
    ['limit', '31'],
  ] as const;
  return bucketLines(api, { path, query, dayOf: (bucket) => dayOf(api, bucket), lineOf });
}

function dayOf(api: VendorApi, bucket: JsonObject): string | undefined {
  const start = text(api, bucket, 'starting_at');
  return /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0+)?(?:Z|\+00:00)$/.exec(start)?.[1];
}

/** The default workspace has no id. */
function workspace(api: VendorApi, result: JsonObject): readonly [kind: 'workspace', value: string] {
  return ['workspace', text(api, result, 'workspace_id') || 'default'];
}

function usageLine(api: VendorApi, day: string, result: JsonObject): BillLine {
  const creation = isObject(result.cache_creation) ? result.cache_creation : {};
  const [written, hour] = [
    count(api, creation, 'ephemeral_5m_input_tokens'),
    count(api, creation, 'ephemeral_1h_input_tokens'),
  ];
  const cacheRead = count(api, result, 'cache_read_input_tokens');
  const uncached = count(api, result, 'uncached_input_tokens');
  return {
    day,
    references: present([['api-key', text(api, result, 'api_key_id')], workspace(api, result)]),
    model: text(api, result, 'model'),
    kind: 'usage',
    tier: standard(text(api, result, 'service_tier')),
    tokens: {
      prompt: uncached + cacheRead + written + hour,
      completion: count(api, result, 'output_tokens'),
      cacheRead,
      cacheWrite: written + hour,
      cacheWrite1h: hour,
    },
  };
}

/** `amount` is in cents, as a decimal string. Costs of the priority tier are not in the report. */
function costLine(api: VendorApi, day: string, result: JsonObject): BillLine {
  const currency = text(api, result, 'currency');
  if (currency !== 'USD') throw broken(api, `is in ${currency || 'no currency'}, and the ledger in USD`);
  const cost = decimal(api, result, 'amount') / 100n;
  const model = text(api, result, 'model');
  const isOfTokens = text(api, result, 'cost_type') === 'tokens';
  return {
    day,
    references: [workspace(api, result)],
    model: isOfTokens ? model : '',
    kind: cost < 0n ? 'credit' : isOfTokens ? 'usage' : 'tool',
    tier: standard(text(api, result, 'service_tier')),
    cost,
  };
}

function standard(tier: string): string {
  return tier === 'standard' ? '' : tier;
}
