// Usage: totals, and the export of every request. Members only get totals of their own usage.
import { dayOf, windowOf, windowStart } from '../../common/budget-window.ts';
import { hourMs } from '../../common/durations.ts';
import { usdOfNano } from '../../common/money.ts';
import type { ExportUsageRequest__Output } from '../../proto/generated/gateway/v1/ExportUsageRequest.ts';
import type { UsageTotal } from '../../proto/generated/gateway/v1/UsageTotal.ts';
import type { UsageTotalsRequest__Output } from '../../proto/generated/gateway/v1/UsageTotalsRequest.ts';
import type { UsageTotalsResponse } from '../../proto/generated/gateway/v1/UsageTotalsResponse.ts';
import { scopeKinds } from '../../proto/words/access.ts';
import type { UsageDimension, UsageFormat, UsageOrder } from '../../proto/words/money.ts';
import { usageDimensions, usageFormats, usageOrders } from '../../proto/words/money.ts';
import { wordOf } from '../domain/enum-names.ts';
import { each, type Field, invalid, optional, valid } from '../domain/field.ts';
import { isMetadataName, metadata, time, timeText, within } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import { exportUsage } from '../usage/export.ts';
import { hourOf } from '../usage/hours.ts';
import { readUsageNames, scopeNameOf, type UsageNames } from '../usage/names.ts';
import { orderSumOf, readTotals, type UsageTotalRow } from '../usage/totals.ts';
import type { Download, DownloadCall, ReadCall } from './method.ts';
import { narrowing, selectedModels } from './usage-filter.ts';

const pageSizes = { default: 100, max: 1000 };

const topMax = 500;

export async function totals(call: ReadCall, request: UsageTotalsRequest__Output): Promise<UsageTotalsResponse> {
  const { from, to } = range(request, call.now);
  const fields = checked({
    group_by: groupBy(request.groupBy),
    group_by_metadata: metadataNames(request.groupByMetadata),
    metadata: metadataEntries(request.metadata),
    order_by: usageOrder(request.orderBy),
    top: top(request),
  });
  const only = narrowing(request);
  const names = { groupBy: fields.group_by, groupByMetadata: fields.group_by_metadata };
  const orderBy = fields.order_by;
  const page = pageBy(request, (key) => readPosition(key, { ...names, orderBy }), pageSizes);
  const { role, personId: own } = call.caller;
  // For a member, another person's usage looks the same as none.
  if (role === 'member' && !(only.person ?? [own]).includes(own)) return { totals: [], nextPageToken: '' };
  const question = {
    organizationId: request.organizationId,
    from: hourOf(from),
    to: hourOf(to + hourMs - 1),
    metadata: fields.metadata,
    only: role === 'member' ? { ...only, person: [own] } : only,
  };
  const { models, match } = await selectedModels(call, request, question);
  const limit = fields.top ?? page.limit;
  const rows = await readTotals(call.db, { ...question, ...names, models, orderBy, after: page.after, limit });
  const keyOf = (row: UsageTotalRow) =>
    JSON.stringify([
      ...(orderBy === undefined ? [] : [orderSumOf(row, orderBy)]),
      ...fields.group_by.map((name) => row[name]),
      ...(row.metadata ?? []),
    ]);
  const found = await namesOf(call, request.organizationId, rows);
  const { items, nextPageToken } = cutPage(rows, fields.top ?? page.size, keyOf, (row) => ({
    ...totalMessage(row, fields.group_by_metadata),
    ...nameFields(row, found),
  }));
  return { totals: items, nextPageToken, ...(match && { match }) };
}

function top({ top: rows, pageToken = '' }: UsageTotalsRequest__Output): Field<number | undefined> {
  if (rows !== undefined && pageToken !== '') return invalid('excludes page_token');
  return optional(within(1, topMax), rows);
}

function usageOrder(name: string): Field<UsageOrder | undefined> {
  return name === 'USAGE_ORDER_UNSPECIFIED' ? valid(undefined) : orderWord(name);
}

const orderWord = wordOf(usageOrders);

/** The names that the caller may read: a member those of their own keys and of themself. */
export async function namesOf(
  { db, caller }: ReadCall,
  organizationId: string,
  rows: readonly UsageTotalRow[],
): Promise<UsageNames> {
  const ids = (dimension: 'ai_system' | 'person' | 'key') =>
    rows.map((row) => (row[dimension] === undefined ? undefined : String(row[dimension])));
  const people = ids('person');
  const found = await readUsageNames(db, organizationId, { systems: ids('ai_system'), people, keys: ids('key') });
  if (caller.role !== 'member') return found;
  const own = [...found.keys].filter(
    ([, { scopeKind, scopeId }]) => scopeKind === 'person' && scopeId === caller.personId,
  );
  return { ...found, systems: new Map(), keys: new Map(own) };
}

function nameFields({ ai_system, person, key: keyId }: UsageTotalRow, names: UsageNames) {
  const key = names.keys.get(String(keyId));
  return {
    ...named('aiSystemName', names.systems.get(String(ai_system))),
    ...named('personName', names.people.get(String(person))),
    ...(key && {
      keyName: key.name,
      keyScopeKind: scopeKinds.names[key.scopeKind],
      ...named('keyScopeName', scopeNameOf(key, names)),
    }),
  };
}

export async function exportEvents(call: DownloadCall, request: ExportUsageRequest__Output): Promise<Download> {
  const { from, to } = range(request, call.now);
  const { format } = checked({ format: usageFormat(request.format) });
  const { extension, contentType } = files[format];
  return {
    contentType,
    filename: `usage-${dayOf(from)}-to-${dayOf(to - 1)}.${extension}`,
    chunks: await exportUsage({ organizationId: request.organizationId, from, to }, format, call.read),
  };
}

const files = {
  csv: { extension: 'csv', contentType: 'text/csv; charset=utf-8' },
  json_lines: { extension: 'jsonl', contentType: 'application/x-ndjson' },
} as const satisfies Record<UsageFormat, object>;

const usageFormat = wordOf(usageFormats);

/** From the start of the current month until now, unless the request names other times. @throws CallError */
export function range(request: { readonly from?: string; readonly to?: string }, now: number) {
  const given = checked({ from: optional(time, request.from), to: optional(time, request.to) });
  const from = given.from ?? windowStart(windowOf('month', now)) ?? now;
  const to = given.to ?? now;
  checked({ to: to > from ? valid(to) : invalid('must be later than from') });
  return { from, to };
}

const dimension = wordOf(usageDimensions);

function groupBy(names: readonly string[]): Field<readonly UsageDimension[]> {
  const read = each(dimension, names);
  if ('problems' in read) return read;
  const found = read.value;
  if (new Set(found).size < found.length) return invalid('must name each dimension once');
  return found.includes('day') && found.includes('hour')
    ? invalid('must name the day or the hour, not both')
    : valid(found);
}

const metadataNamesMax = 4;

function metadataNames(names: readonly string[]): Field<readonly string[]> {
  if (names.length > metadataNamesMax) return invalid(`must contain at most ${metadataNamesMax} names`);
  if (new Set(names).size < names.length) return invalid('must name each once');
  return names.every(isMetadataName) ? valid(names) : invalid('must be names of metadata, such as team');
}

export function metadataEntries(entries: Readonly<Record<string, string>>): Field<Readonly<Record<string, string>>> {
  const read = metadata({ entries });
  return 'value' in read ? read : { problems: read.problems.map(({ description }) => ({ at: '', description })) };
}

interface GroupNames {
  readonly groupBy: readonly UsageDimension[];
  readonly groupByMetadata: readonly string[];
  readonly orderBy: UsageOrder | undefined;
}

/** Parses the position of the last row of the previous page. */
function readPosition(key: string, { groupBy: names, groupByMetadata, orderBy }: GroupNames) {
  const parts = parse(key);
  if (!Array.isArray(parts)) return undefined;
  const [sum, group] = orderBy === undefined ? [undefined, parts] : [parts[0], parts.slice(1)];
  if (orderBy !== undefined && !/^-?\d{1,30}$/.test(String(sum))) return undefined;
  const length = names.length + groupByMetadata.length;
  if (group.length !== length || length === 0) return undefined;
  const isOfIts = (value: unknown, at: number) =>
    names[at] === 'day' || names[at] === 'hour' ? Number.isSafeInteger(value) : typeof value === 'string';
  return group.every(isOfIts) ? { group, sum: sum === undefined ? undefined : String(sum) } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function totalMessage(row: UsageTotalRow, metadataNames: readonly string[]) {
  const at = row.hour ?? row.day;
  const entries = metadataNames.map((name, nth) => [name, row.metadata[nth] ?? ''] as const);
  return {
    ...named('aiSystemId', row.ai_system),
    ...named('personId', row.person),
    ...named('keyId', row.key),
    ...named('model', row.model),
    ...named('provider', row.provider),
    ...(at === undefined ? {} : { at: timeText(Number(at)) }),
    metadata: Object.fromEntries(entries.filter(([, value]) => value !== '')),
    requests: row.requests,
    failedRequests: row.failed_requests,
    unpricedRequests: row.unpriced_requests,
    estimatedRequests: row.estimated_requests,
    tokens: {
      prompt: row.prompt_tokens,
      completion: row.completion_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite: row.cache_write_tokens,
      cacheWrite1h: row.cache_write1h_tokens,
      reasoning: row.reasoning_tokens,
    },
    costUsd: usdOfNano(BigInt(row.cost)),
    meanLatencyMs: row.requests === 0 ? 0 : Math.round(row.latency_ms / row.requests),
  } satisfies UsageTotal;
}

/** Leaves out an empty name. */
function named(field: string, value: string | number | undefined) {
  return value === undefined || value === '' ? {} : { [field]: value };
}
