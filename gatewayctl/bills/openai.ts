// OpenAI's organization usage and costs: GET /organization/usage/completions and /organization/costs, with the SDK's
// types (openai 7.55.0, resources/admin/organization/usage). Usage is in tokens by API key, costs in dollars by line
// item; both by day.
import type { JsonObject } from '../../common/json.ts';
import type { Secret } from '../../common/secret.ts';
import { type BillLine, daysBetween, type ReadBill } from './bill.ts';
import { bucketLines } from './buckets.ts';
import { count, decimal, present, text } from './fields.ts';
import { broken, type VendorApi } from './vendor-api.ts';

export const openAiUrl = 'https://api.openai.com/v1';

export function openAi(url: string, key: Secret): VendorApi {
  return { vendor: 'OpenAI', url, key, headers: (value) => ({ authorization: `Bearer ${value}` }) };
}

export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export function openAiUsage(api: VendorApi, range: DayRange): ReadBill {
  const groups = ['project_id', 'api_key_id', 'model', 'batch', 'service_tier'];
  return {
    lines: lines(api, { path: '/organization/usage/completions', groups, limit: 31, lineOf: usageLine }, range),
    days: daysBetween(range.from, range.to),
    remarks: () => [],
  };
}

export function openAiCosts(api: VendorApi, range: DayRange): ReadBill {
  const groups = ['project_id', 'api_key_id', 'line_item'];
  return {
    lines: lines(api, { path: '/organization/costs', groups, limit: 180, lineOf: costLine }, range),
    days: daysBetween(range.from, range.to),
    remarks: () => [],
  };
}

interface VendorRequest {
  readonly path: string;
  readonly groups: readonly string[];
  /** Maximum of buckets per page. */
  readonly limit: number;
  lineOf(api: VendorApi, day: string, result: JsonObject): BillLine;
}

const dayS = 86_400;

function lines(api: VendorApi, { path, groups, limit, lineOf }: VendorRequest, range: DayRange) {
  const query = [
    ['start_time', String(Date.parse(range.from) / 1000)],
    ['end_time', String(Date.parse(range.to) / 1000 + dayS)],
    ['bucket_width', '1d'],
    ...groups.map((group) => ['group_by[]', group] as const),
    ['limit', String(limit)],
  ] as const;
  return bucketLines(api, { path, query, dayOf: (bucket) => dayOf(api, bucket), lineOf });
}

/** A bucket is a UTC day: `start_time` is its first second. */
function dayOf(api: VendorApi, bucket: JsonObject): string | undefined {
  const start = count(api, bucket, 'start_time');
  return start % dayS === 0 ? new Date(start * 1000).toISOString().slice(0, 10) : undefined;
}

function referencesOf(api: VendorApi, result: JsonObject): BillLine['references'] {
  const [key, project] = [text(api, result, 'api_key_id'), text(api, result, 'project_id')];
  return present([
    ['api-key', key],
    ['project', project],
  ]);
}

/** `input_tokens` includes the cached and the written tokens. */
function usageLine(api: VendorApi, day: string, result: JsonObject): BillLine {
  const tier = text(api, result, 'service_tier');
  return {
    day,
    references: referencesOf(api, result),
    model: text(api, result, 'model'),
    kind: 'usage',
    tier: result.batch === true ? 'batch' : standard(tier),
    tokens: {
      prompt: count(api, result, 'input_tokens'),
      completion: count(api, result, 'output_tokens'),
      cacheRead: count(api, result, 'input_cached_tokens'),
      cacheWrite: count(api, result, 'input_cache_write_tokens'),
    },
    requests: count(api, result, 'num_model_requests'),
  };
}

function standard(tier: string): string {
  return ['default', 'standard', 'auto'].includes(tier) ? '' : tier;
}

function costLine(api: VendorApi, day: string, result: JsonObject): BillLine {
  const { amount = {} } = result as { readonly amount?: JsonObject };
  const currency = text(api, amount, 'currency').toLowerCase();
  if (currency !== 'usd') throw broken(api, `is in ${currency || 'no currency'}, and the ledger in USD`);
  const cost = decimal(api, amount, 'value');
  const { model, tier } = readLineItem(text(api, result, 'line_item'));
  return {
    day,
    references: referencesOf(api, result),
    model,
    kind: cost < 0n ? 'credit' : model === '' ? 'tool' : 'usage',
    tier,
    cost,
  };
}

/**
 * Splits "gpt-5.5-2026-04-23, cached input", "priority | gpt-5.6-sol, output, long context" and "gpt-4o"; any other
 * text belongs to no model.
 */
export function readLineItem(item: string): { readonly model: string; readonly tier: string } {
  const [, tier = '', rest = ''] = /^(?:([a-z_ -]+) \| )?(.*)$/i.exec(item) ?? [];
  const [, model = ''] =
    /^([A-Za-z0-9][\w.:@/-]*)(?: (?:text|audio|image|video))?, .+$/.exec(rest) ??
    /^([a-z0-9][\w.:@/-]*)$/.exec(rest) ??
    [];
  return { model, tier: standard(tier.toLowerCase()) };
}
