// Usage.Series: sums by hour, day or month for charts, with zeros where nothing was used. The highest values of a
// dimension have a line each, and all others are one line. It reads a bounded number of rows of sums.
import { dayMs, hourMs } from '../../common/durations.ts';
import { usdOfNano } from '../../common/money.ts';
import type { UsageLine } from '../../proto/generated/gateway/v1/UsageLine.ts';
import type { UsageSeriesRequest__Output } from '../../proto/generated/gateway/v1/UsageSeriesRequest.ts';
import type { UsageSeriesResponse } from '../../proto/generated/gateway/v1/UsageSeriesResponse.ts';
import { type UsageBucket, type UsageDimension, usageBuckets, usageDimensions } from '../../proto/words/money.ts';
import { wordOf } from '../domain/enum-names.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { timeText, within } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { CallError } from '../rpc/errors.ts';
import { hourOf } from '../usage/hours.ts';
import { sumRowsMax } from '../usage/summed-rows.ts';
import { readTotals, type TotalsQuestion, type UsageTotalRow } from '../usage/totals.ts';
import type { ReadCall } from './method.ts';
import { metadataEntries, namesOf, range } from './usage.ts';
import { narrowing, selectedModels } from './usage-filter.ts';

const bucketsMax = 1_000;
const lines = { default: 8, max: 20 };

type LineDimension = Exclude<UsageDimension, 'day' | 'hour'>;

export async function series(call: ReadCall, request: UsageSeriesRequest__Output): Promise<UsageSeriesResponse> {
  const fields = checked({
    bucket: bucketOf(request.bucket),
    dimension: dimensionOf(request.dimension),
    top: optional(within(1, lines.max), request.top),
    metadata: metadataEntries(request.metadata),
  });
  const { from, to } = range(request, call.now);
  const starts = startsOf(fields.bucket, from, to);
  if (starts === undefined) throw new CallError('too_wide', `choose a period of at most ${bucketsMax} buckets`);
  const only = narrowing(request);
  const { role, personId: own } = call.caller;
  const at = starts.map(timeText);
  // For a member, another person's usage looks the same as none.
  if (role === 'member' && !(only.person ?? [own]).includes(own)) return { at, lines: [lineOf(starts, [], {})] };
  const question: Question = {
    organizationId: request.organizationId,
    from: starts[0] ?? hourOf(from),
    to: hourOf(to + hourMs - 1),
    metadata: fields.metadata,
    only: role === 'member' ? { ...only, person: [own] } : only,
  };
  const { models } = await selectedModels(call, request, question);
  const buckets = { ...question, models, bucket: fields.bucket, starts };
  const all = await readBuckets(call, buckets, []);
  if (fields.dimension === undefined) return { at, lines: [lineOf(starts, all, {})] };
  const wanted = { dimension: fields.dimension, top: fields.top ?? lines.default };
  return { at, lines: await linesBy(call, { ...buckets, all }, wanted) };
}

type Question = Pick<TotalsQuestion, 'organizationId' | 'from' | 'to' | 'metadata' | 'only'>;

interface BucketQuestion extends Question, Pick<TotalsQuestion, 'models'> {
  readonly bucket: UsageBucket;
  readonly starts: readonly number[];
}

const unpaged = { groupByMetadata: [], orderBy: undefined, after: undefined } as const;

/** Sums by bucket, and by the dimension if there is one. Months are put together from days. */
function readBuckets({ db }: ReadCall, question: BucketQuestion, by: readonly LineDimension[]) {
  const unit = question.bucket === 'hour' ? 'hour' : 'day';
  return readTotals(db, { ...question, ...unpaged, groupBy: [...by, unit], limit: sumRowsMax });
}

async function linesBy(
  call: ReadCall,
  question: BucketQuestion & { readonly all: readonly UsageTotalRow[] },
  { dimension, top }: { readonly dimension: LineDimension; readonly top: number },
): Promise<UsageLine[]> {
  const { starts, all, organizationId } = question;
  const highest = await readTotals(call.db, {
    ...{ ...question, ...unpaged },
    ...{ groupBy: [dimension], orderBy: 'cost', limit: top + 1 },
  });
  const listed = highest.slice(0, top);
  if (listed.length === 0) return [lineOf(starts, [], {})];
  const values = listed.map((row) => String(row[dimension] ?? ''));
  const narrowed = dimension === 'model' ? { models: values } : { only: { ...question.only, [dimension]: values } };
  const rows = await readBuckets(call, { ...question, ...narrowed }, [dimension]);
  const byValue = Map.groupBy(rows, (row) => String(row[dimension] ?? ''));
  const names = await namesOf(call, organizationId, listed);
  const nameOf: Partial<Record<LineDimension, (value: string) => string | undefined>> = {
    ai_system: (value) => names.systems.get(value),
    person: (value) => names.people.get(value),
    key: (value) => names.keys.get(value)?.name,
  };
  const named = values.map((value) => {
    const name = nameOf[dimension]?.(value);
    const who = { ...(value !== '' && { value }), ...(name !== undefined && { name }) };
    return lineOf(starts, byValue.get(value) ?? [], who);
  });
  if (highest.length <= top) return named;
  return [...named, lineOf(starts, [...all, ...rows.map(negative)], { others: true })];
}

function negative(row: UsageTotalRow): UsageTotalRow {
  return {
    ...row,
    cost: String(-BigInt(row.cost)),
    requests: -row.requests,
    failed_requests: -row.failed_requests,
    prompt_tokens: -row.prompt_tokens,
    completion_tokens: -row.completion_tokens,
  };
}

interface Sums {
  cost: bigint;
  requests: number;
  failed: number;
  tokens: number;
}

/** @param rows of any order, several of one bucket too */
function lineOf(
  starts: readonly number[],
  rows: readonly UsageTotalRow[],
  who: Pick<UsageLine, 'value' | 'name' | 'others'>,
): UsageLine {
  const sums = starts.map((): Sums => ({ cost: 0n, requests: 0, failed: 0, tokens: 0 }));
  for (const row of rows) {
    const sum = sums[indexOf(starts, Number(row.hour ?? row.day))];
    if (sum === undefined) continue;
    sum.cost += BigInt(row.cost);
    sum.requests += row.requests;
    sum.failed += row.failed_requests;
    sum.tokens += row.prompt_tokens + row.completion_tokens;
  }
  return {
    ...who,
    costUsd: sums.map(({ cost }) => usdOfNano(cost)),
    requests: sums.map(({ requests }) => requests),
    failedRequests: sums.map(({ failed }) => failed),
    tokens: sums.map(({ tokens }) => tokens),
  };
}

/** The last start that is not after the time. */
function indexOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Undefined: too many. */
function startsOf(bucket: UsageBucket, from: number, to: number): readonly number[] | undefined {
  const starts: number[] = [];
  for (let at = startOf(bucket, from); at < to; at = nextOf(bucket, at)) {
    if (starts.length === bucketsMax) return undefined;
    starts.push(at);
  }
  return starts;
}

function startOf(bucket: UsageBucket, at: number): number {
  const time = new Date(at);
  if (bucket === 'month') return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
  return at - (at % (bucket === 'hour' ? hourMs : dayMs));
}

function nextOf(bucket: UsageBucket, at: number): number {
  const time = new Date(at);
  if (bucket === 'month') return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
  return at + (bucket === 'hour' ? hourMs : dayMs);
}

const bucketWord = wordOf(usageBuckets);
const dimensionWord = wordOf(usageDimensions);

function bucketOf(name: string): Field<UsageBucket> {
  return name === 'USAGE_BUCKET_UNSPECIFIED' ? valid('day') : bucketWord(name);
}

function dimensionOf(name: string): Field<LineDimension | undefined> {
  if (name === 'USAGE_DIMENSION_UNSPECIFIED') return valid(undefined);
  const read = dimensionWord(name);
  if ('problems' in read) return read;
  return read.value === 'day' || read.value === 'hour' ? invalid('must not be a time') : valid(read.value);
}
