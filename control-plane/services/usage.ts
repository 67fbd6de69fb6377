// Usage: totals, and the export of every request. Members only get totals of their own usage.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import { dayOf, windowOf, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import { canonicalVendorName } from '../../common/vendors.ts';
import type { ExportUsageRequest__Output } from '../../proto/generated/gateway/v1/ExportUsageRequest.ts';
import type { UsageTotal } from '../../proto/generated/gateway/v1/UsageTotal.ts';
import type { UsageTotalsRequest__Output } from '../../proto/generated/gateway/v1/UsageTotalsRequest.ts';
import type { UsageTotalsResponse } from '../../proto/generated/gateway/v1/UsageTotalsResponse.ts';
import type { UsageDimension, UsageFormat } from '../../proto/words/money.ts';
import { usageDimensions, usageFormats } from '../../proto/words/money.ts';
import { wordOf } from '../domain/enum-names.ts';
import { each, type Field, invalid, optional, valid } from '../domain/field.ts';
import { spentSelector } from '../domain/model-selector.ts';
import { id, isMetadataName, metadata, modelGlob, time, timeText } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import { exportUsage } from '../usage/export.ts';
import { hourMs, hourOf } from '../usage/hours.ts';
import { modelsUsed, readTotals, type UsageGroup, type UsageTotalRow } from '../usage/totals.ts';
import { readKnownModels } from './known-models.ts';
import type { Download, DownloadCall, ReadCall } from './method.ts';

const pageSizes = { default: 100, max: 1000 };

export async function totals(call: ReadCall, request: UsageTotalsRequest__Output): Promise<UsageTotalsResponse> {
  const { from, to } = range(request, call.now);
  const fields = checked({
    group_by: groupBy(request.groupBy),
    ai_system_id: optional(id, request.aiSystemId),
    person_id: optional(id, request.personId),
    key_id: optional(id, request.keyId),
    model: optional(modelGlob, request.model),
    provider: optional(providerName, request.provider),
    group_by_metadata: metadataNames(request.groupByMetadata),
    metadata: metadataEntries(request.metadata),
  });
  const names = { groupBy: fields.group_by, groupByMetadata: fields.group_by_metadata };
  const { size, limit, after } = pageBy(request, (key) => readGroup(key, names), pageSizes);
  const { role, personId: own } = call.caller;
  // For a member, another person's usage looks the same as none.
  if (role === 'member' && (fields.person_id ?? own) !== own) return { totals: [], nextPageToken: '' };
  const question = {
    organizationId: request.organizationId,
    from: hourOf(from),
    to: hourOf(to + hourMs - 1),
    metadata: fields.metadata,
    only: {
      ai_system: fields.ai_system_id,
      person: role === 'member' ? own : fields.person_id,
      key: fields.key_id,
      provider: fields.provider,
    },
  };
  const { models, match } = await readModels(call, request, question);
  const rows = await readTotals(call.db, { ...question, ...names, models, after, limit });
  const keyOf = (row: UsageTotalRow) =>
    JSON.stringify([...fields.group_by.map((name) => row[name]), ...(row.metadata ?? [])]);
  const { items, nextPageToken } = cutPage(rows, size, keyOf, (row) => totalMessage(row, fields.group_by_metadata));
  return { totals: items, nextPageToken, ...(match && { match }) };
}

/**
 * A used model may no longer be in any catalog, so a selector that matches used models is valid.
 * @throws CallError if it matches nothing
 */
async function readModels(
  { db }: ReadCall,
  { organizationId, model, allowUnmatched }: UsageTotalsRequest__Output,
  question: Parameters<typeof modelsUsed>[1],
) {
  if (model === undefined) return { models: undefined, match: undefined };
  const models = await modelsUsed(db, question, canonicalSelector(model));
  const known = await readKnownModels(db, organizationId, model);
  const read = spentSelector(known, allowUnmatched === true || models.length > 0);
  return { models, match: checked({ model: read(model) }).model.match };
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

/** From the start of the current month until now, unless the request names other times. */
function range(request: { readonly from?: string; readonly to?: string }, now: number) {
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

/** Reads the name of a provider as its canonical name. */
function providerName(text: string): Field<string> {
  return /^[a-z0-9-]{1,63}$/.test(text)
    ? valid(canonicalVendorName(text) ?? text)
    : invalid('must be the name of a provider');
}

const metadataNamesMax = 4;

function metadataNames(names: readonly string[]): Field<readonly string[]> {
  if (names.length > metadataNamesMax) return invalid(`must contain at most ${metadataNamesMax} names`);
  if (new Set(names).size < names.length) return invalid('must name each once');
  return names.every(isMetadataName) ? valid(names) : invalid('must be names of metadata, such as team');
}

function metadataEntries(entries: Readonly<Record<string, string>>): Field<Readonly<Record<string, string>>> {
  const read = metadata({ entries });
  return 'value' in read ? read : { problems: read.problems.map(({ description }) => ({ at: '', description })) };
}

interface GroupNames {
  readonly groupBy: readonly UsageDimension[];
  readonly groupByMetadata: readonly string[];
}

/** Parses the last group of the previous page. */
function readGroup(key: string, { groupBy: names, groupByMetadata }: GroupNames): UsageGroup | undefined {
  const group = parse(key);
  const length = names.length + groupByMetadata.length;
  if (!Array.isArray(group) || group.length !== length || length === 0) return undefined;
  const isOfIts = (value: unknown, at: number) =>
    names[at] === 'day' || names[at] === 'hour' ? Number.isSafeInteger(value) : typeof value === 'string';
  return group.every(isOfIts) ? group : undefined;
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
