// Exports every request and every recorded adjustment of an organization in the order of time, as CSV or JSON lines. It
// reads page by page, each in its own snapshot, so it never has everything in memory, and a slow reader holds nothing
// in the database.
import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { type Cell, csvLine } from '../../common/csv.ts';
import { usdOfNano } from '../../common/money.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import type { UsageFormat } from '../../proto/words/money.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { readSets } from './metadata.ts';
import { readNames, readUsageNames, type UsageNames } from './names.ts';
import type { SpecialUsage } from './special.ts';
import type { Metadata } from './tagged-event.ts';

export interface UsageRange {
  readonly organizationId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export type ReadPage = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** Resolves once the first page is read. @throws errors of `read`; the chunks throw those of later pages */
export async function exportUsage(
  range: UsageRange,
  format: UsageFormat,
  read: ReadPage,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await read((db) => readRows(db, range, undefined));
  return chunks(first, format, (after) => read((db) => readRows(db, range, after)));
}

interface RequestRow extends Selectable<Schema['usage_events']> {
  /** The metadata of its key. */
  readonly metadata: Metadata;
  readonly names: RowNames;
}
interface AdjustmentRow extends Selectable<Schema['usage_adjustments']> {
  readonly names: RowNames;
}
interface RowNames extends UsageNames {
  readonly providerKeys: ReadonlyMap<string, string>;
}
type Row =
  | ({ readonly kind: 'request' } & RequestRow)
  | ({ readonly kind: 'adjustment' } & Omit<AdjustmentRow, 'kind'>);

const pageRows = 500;

async function* chunks(
  first: readonly Row[],
  format: UsageFormat,
  rowsAfter: (row: Row) => Promise<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  const lineOf = format === 'csv' ? csvRecord : jsonRecord;
  const header = format === 'csv' ? csvLine(columns) : '';
  let rows = first;
  yield Buffer.from(header + rows.map(lineOf).join(''));
  for (let last = rows.at(-1); rows.length === pageRows && last !== undefined; last = rows.at(-1)) {
    rows = await rowsAfter(last);
    if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(''));
  }
}

/** The next rows in the order of time. Rows of an earlier time that are reported meanwhile are left out. */
async function readRows(db: Kysely<Schema>, range: UsageRange, after: Row | undefined): Promise<readonly Row[]> {
  const requests = await nextOf(db.selectFrom('usage_events').selectAll(), range, after).execute();
  const recorded = db.selectFrom('usage_adjustments').selectAll().where('booked', '=', 1);
  const adjustments = await nextOf(recorded, range, after).execute();
  const names = await namesOf(db, range, { requests, adjustments });
  const rows: Row[] = [
    ...(await withMetadata(db, range, requests)).map((row) => ({ ...row, names, kind: 'request' as const })),
    ...adjustments.map((row) => ({ ...row, names, kind: 'adjustment' as const })),
  ];
  return adjustments.length === 0 ? rows : rows.toSorted(inOrder).slice(0, pageRows);
}

interface PageRows {
  readonly requests: readonly Selectable<Schema['usage_events']>[];
  readonly adjustments: readonly Selectable<Schema['usage_adjustments']>[];
}

async function namesOf(
  db: Kysely<Schema>,
  { organizationId }: UsageRange,
  { requests, adjustments }: PageRows,
): Promise<RowNames> {
  const all = [...requests, ...adjustments];
  const names = await readUsageNames(db, organizationId, {
    systems: [...all.map((row) => row.ai_system_id), ...requests.map((row) => row.project_ai_system_id)],
    people: [
      ...all.map((row) => row.person_id),
      ...requests.map((row) => row.project_person_id),
      ...adjustments.map((row) => row.author_id),
    ],
    keys: [...all.map((row) => row.key_id), ...requests.map((row) => row.project_key_id)],
  });
  const ids = [...new Set(all.flatMap((row) => row.provider_key_id || []))];
  return { ...names, providerKeys: await readNames(db, 'provider_keys', { organizationId, ids }) };
}

/** Both tables have an index in this order. */
function nextOf<Table extends 'usage_events' | 'usage_adjustments', Selected>(
  query: SelectQueryBuilder<Schema, Table, Selected>,
  { organizationId, from, to }: UsageRange,
  after: Row | undefined,
): SelectQueryBuilder<Schema, Table, Selected> {
  const ordered = query
    .where(
      sql<boolean>`organization_id = ${organizationId} and day >= ${after?.day ?? dayOf(from)} and day <= ${dayOf(to)}
        and at >= ${from} and at < ${to}`,
    )
    .orderBy(sql`day, at, id`)
    .limit(pageRows);
  return after === undefined
    ? ordered
    : ordered.where(sql<boolean>`(day, at, id) > (${after.day}, ${after.at}, ${after.id})`);
}

function inOrder(a: Row, b: Row): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

/** Adds the metadata of their keys. */
async function withMetadata(
  db: Kysely<Schema>,
  { organizationId }: UsageRange,
  rows: readonly Selectable<Schema['usage_events']>[],
): Promise<readonly Omit<RequestRow, 'names'>[]> {
  const named = rows.map(({ metadata_set }) => metadata_set);
  const sets = await readSets(db, organizationId, named);
  return rows.map((row) => ({ ...row, metadata: sets.get(row.metadata_set) ?? {} }));
}

/** Null if there is none; CSV contains it as JSON. */
function metadataOf({ metadata }: RequestRow): Metadata | null {
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** Null if there is no such usage. */
const specialColumns = {
  service_tier: (row) => specialOf(row).serviceTier ?? null,
  region: (row) => specialOf(row).region ?? null,
  cache_write12h_tokens: (row) => specialOf(row).cacheWrite12hTokens ?? null,
  audio_prompt_tokens: (row) => specialOf(row).audioPromptTokens ?? null,
  audio_cache_read_tokens: (row) => specialOf(row).audioCacheReadTokens ?? null,
  audio_completion_tokens: (row) => specialOf(row).audioCompletionTokens ?? null,
  image_completion_tokens: (row) => specialOf(row).imageCompletionTokens ?? null,
  searches: (row) => specialOf(row).searches ?? null,
  images: (row) => specialOf(row).images ?? null,
} as const satisfies Record<string, (row: RequestRow) => Cell>;

function specialOf({ id, special }: RequestRow): Partial<SpecialUsage> {
  return special === null ? nothingSpecial : storedSpecial({ special }, id);
}

const storedSpecial = jsonColumn('usage_events', 'special', aMessage<SpecialUsage>('UsageSpecial'));

const nothingSpecial: Partial<SpecialUsage> = Object.freeze({});

/** Columns of the CSV in their order; JSON has the same in lowerCamelCase. */
const ofRequests = {
  at: (row) => new Date(row.at).toISOString(),
  id: (row) => row.id,
  request_id: (row) => row.request_id,
  key_id: (row) => row.key_id,
  ai_system_id: (row) => row.ai_system_id,
  person_id: (row) => row.person_id,
  project_key_id: (row) => row.project_key_id,
  project_ai_system_id: (row) => row.project_ai_system_id,
  project_person_id: (row) => row.project_person_id,
  provider: (row) => row.provider,
  model_asked: (row) => row.model_asked,
  model_answered: (row) => row.model_answered,
  prompt_tokens: (row) => row.prompt_tokens,
  completion_tokens: (row) => row.completion_tokens,
  cache_read_tokens: (row) => row.cache_read_tokens,
  cache_write_tokens: (row) => row.cache_write_tokens,
  cache_write1h_tokens: (row) => row.cache_write1h_tokens,
  reasoning_tokens: (row) => row.reasoning_tokens,
  cost_usd: (row) => usdOfNano(row.cost),
  unpriced: (row) => row.unpriced === 1,
  estimated: (row) => row.estimated === 1,
  status: (row) => row.status,
  error_source: (row) => row.error_source,
  error_code: (row) => row.error_code,
  latency_ms: (row) => row.latency_ms,
  first_token_ms: (row) => row.first_token_ms,
  streamed: (row) => row.streamed === 1,
  direct_key: (row) => row.direct_key === 1,
  attempts: (row) => row.attempts,
  estimate_reason: (row) => row.estimate_reason,
  reported_cost_usd: (row) => (row.reported_cost === null ? null : usdOfNano(row.reported_cost)),
  ...specialColumns,
  metadata: metadataOf,
  provider_key_id: (row) => row.provider_key_id,
  kind: kindOf,
  author_id: () => null,
  reason: () => null,
  undoes: () => null,
  guardrail_id: (row) => row.guardrail_id,
  key_name: ({ names, key_id }) => names.keys.get(key_id)?.name ?? null,
  ai_system_name: ({ names, ai_system_id }) => names.systems.get(ai_system_id ?? '') ?? null,
  person_name: ({ names, person_id }) => names.people.get(person_id ?? '') ?? null,
  project_key_name: ({ names, project_key_id }) => names.keys.get(project_key_id ?? '')?.name ?? null,
  project_ai_system_name: ({ names, project_ai_system_id }) => names.systems.get(project_ai_system_id ?? '') ?? null,
  project_person_name: ({ names, project_person_id }) => names.people.get(project_person_id ?? '') ?? null,
  provider_key_name: ({ names, provider_key_id }) => names.providerKeys.get(provider_key_id ?? '') ?? null,
  author_name: () => null,
} as const satisfies Record<string, (row: RequestRow) => Cell | Metadata>;

function kindOf({ shadow, guardrail_id }: Pick<RequestRow, 'shadow' | 'guardrail_id'>): string {
  if (shadow === 1) return 'shadow';
  return guardrail_id === null ? 'request' : 'guardrail';
}

type Column = keyof typeof ofRequests;

const columns = Object.keys(ofRequests) as readonly Column[];

/** The other columns are empty. */
const ofAdjustments: Partial<Record<Column, (row: Omit<AdjustmentRow, 'kind'>) => Cell>> = {
  at: (row) => new Date(row.at).toISOString(),
  id: (row) => row.id,
  key_id: (row) => present(row.key_id),
  ai_system_id: (row) => present(row.ai_system_id),
  person_id: (row) => present(row.person_id),
  provider: (row) => present(row.model.slice(0, Math.max(0, row.model.indexOf('/')))),
  model_asked: (row) => present(row.model),
  cost_usd: (row) => usdOfNano(row.amount),
  provider_key_id: (row) => present(row.provider_key_id),
  kind: () => 'adjustment',
  author_id: (row) => row.author_id,
  reason: (row) => row.reason,
  undoes: (row) => row.undoes,
  key_name: ({ names, key_id }) => names.keys.get(key_id)?.name ?? null,
  ai_system_name: ({ names, ai_system_id }) => names.systems.get(ai_system_id) ?? null,
  person_name: ({ names, person_id }) => names.people.get(person_id) ?? null,
  provider_key_name: ({ names, provider_key_id }) => names.providerKeys.get(provider_key_id) ?? null,
  author_name: ({ names, author_id }) => names.people.get(author_id) ?? null,
};

function present(text: string): string | null {
  return text === '' ? null : text;
}

function cellsOf(row: Row): readonly (Cell | Metadata)[] {
  return row.kind === 'request'
    ? columns.map((column) => ofRequests[column](row))
    : columns.map((column) => ofAdjustments[column]?.(row) ?? null);
}

function csvRecord(row: Row): string {
  return csvLine(
    cellsOf(row).map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value)),
  );
}

const jsonNames = columns.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));

/** Leaves out absent values. */
function jsonRecord(row: Row): string {
  const cells = cellsOf(row);
  const fields = jsonNames.flatMap((name, index): [string, Cell | Metadata][] => {
    const value = cells[index] ?? null;
    return value === null ? [] : [[name, value]];
  });
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}
