// Every request of an organization in the order of time, as CSV or as lines of JSON. Read page by page, each in a snapshot of its
// own: the whole is never in memory, and a reader who takes his time holds nothing in the database.
import type { Kysely, Selectable } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import type { Schema } from '../store/schema.ts';
import { type Cell, csvLine } from './csv.ts';
import { type Metadata, readSets } from './metadata.ts';
import type { SpecialUsage } from './special.ts';

export type UsageFormat = 'csv' | 'json_lines';

export interface UsageRange {
  readonly organizationId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export type ReadPage = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** Resolves once the first page is read. @throws what `read` throws, as the chunks do for later pages */
export async function exportUsage(
  range: UsageRange,
  format: UsageFormat,
  read: ReadPage,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await read((db) => readRows(db, range, undefined));
  return chunks(first, format, (after) => read((db) => readRows(db, range, after)));
}

interface Row extends Selectable<Schema['usage_events']> {
  /** What its key had. */
  readonly metadata?: Metadata;
}

const pageRows = 500;

async function* chunks(
  first: readonly Row[],
  format: UsageFormat,
  rowsAfter: (row: Row) => Promise<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  const lineOf = format === 'csv' ? csvRecord : jsonRecord;
  const header = format === 'csv' ? csvLine(Object.keys(columns)) : '';
  let rows = first;
  yield Buffer.from(header + rows.map(lineOf).join(''));
  for (let last = rows.at(-1); rows.length === pageRows && last !== undefined; last = rows.at(-1)) {
    rows = await rowsAfter(last);
    if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(''));
  }
}

/** The next rows in the order of the table's index; requests that are reported meanwhile from before there are left out. */
async function readRows(
  db: Kysely<Schema>,
  { organizationId, from, to }: UsageRange,
  after: Row | undefined,
): Promise<readonly Row[]> {
  let query = db
    .selectFrom('usage_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('day', '>=', after?.day ?? dayOf(from))
    .where('day', '<=', dayOf(to))
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('day')
    .orderBy('at')
    .orderBy('id')
    .limit(pageRows);
  if (after !== undefined) {
    const { day, at, id } = after;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('day', 'at', 'id'), '>', tuple(day, at, id)),
    );
  }
  const rows = await query.execute();
  const sets = await readSets(
    db,
    organizationId,
    rows.map(({ metadata_set }) => metadata_set),
  );
  return rows.map((row) => ({ ...row, metadata: sets.get(row.metadata_set) ?? {} }));
}

/** Null where there are none; in CSV as JSON. */
function metadataOf({ metadata = {} }: Row): Metadata | null {
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** Null where there is nothing of it. */
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
} as const satisfies Record<string, (row: Row) => Cell>;

function specialOf({ special }: Row): Partial<SpecialUsage> {
  return special === null ? nothingSpecial : (JSON.parse(special) as SpecialUsage);
}

const nothingSpecial: Partial<SpecialUsage> = Object.freeze({});

/** Columns of the CSV in their order; JSON has the same in lowerCamelCase. */
const columns = {
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
} as const satisfies Record<string, (row: Row) => Cell | Metadata>;

function csvRecord(row: Row): string {
  const values = Object.values(columns).map((read) => read(row));
  return csvLine(
    values.map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value)),
  );
}

const jsonFields = Object.entries(columns).map(
  ([name, read]) => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), read] as const,
);

/** What is absent is left out. */
function jsonRecord(row: Row): string {
  const fields = jsonFields.flatMap(([name, read]): [string, Cell | Metadata][] => {
    const value = read(row);
    return value === null ? [] : [[name, value]];
  });
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}
