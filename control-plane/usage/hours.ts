// Sums of usage by hour: a row for each hour, key, scope and model that occurs. A missing id is the empty string, so
// that the key is unique.
import { shadowModel } from '../../catalog/model-selector.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { LedgerTransaction, RowsInsert } from '../store/store.ts';
import { groupBySource, type Source, subjectColumns } from './sources.ts';
import type { SetOf } from './tagged-event.ts';

type HourRow = Schema['usage_hours'];

const [ofOrganization, ...ofOthers] = subjectColumns;

/** Columns of the primary key, in its order. */
export const hourKey = [
  ofOrganization,
  'hour',
  ...ofOthers,
  'model_asked',
] as const satisfies readonly (keyof HourRow)[];

type Sum = Exclude<keyof HourRow, (typeof hourKey)[number]>;

const summed = {
  requests: () => 1,
  // 499 if the client left.
  failed_requests: (event) => (event.status >= 400 ? 1 : 0),
  unpriced_requests: (event) => event.unpriced,
  estimated_requests: (event) => event.estimated,
  prompt_tokens: (event) => event.prompt_tokens,
  completion_tokens: (event) => event.completion_tokens,
  cache_read_tokens: (event) => event.cache_read_tokens,
  cache_write_tokens: (event) => event.cache_write_tokens,
  cache_write1h_tokens: (event) => event.cache_write1h_tokens,
  reasoning_tokens: (event) => event.reasoning_tokens,
  cost: (event) => event.cost,
  latency_ms: (event) => event.latency_ms,
} as const satisfies Record<Sum, (event: UsageEventRow) => number>;

export const hourSums = Object.keys(summed) as readonly Sum[];

/** The columns of a table of sums, and their types. */
export const hourColumns = {
  organization_id: 'text',
  hour: 'bigint',
  key_id: 'text',
  ai_system_id: 'text',
  person_id: 'text',
  project_key_id: 'text',
  project_ai_system_id: 'text',
  project_person_id: 'text',
  model_asked: 'text',
  requests: 'bigint',
  failed_requests: 'bigint',
  unpriced_requests: 'bigint',
  estimated_requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cache_read_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  cache_write1h_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost: 'bigint',
  latency_ms: 'bigint',
} as const satisfies Record<keyof HourRow, 'text' | 'bigint'>;

type MetadataHourRow = Schema['usage_metadata_hours'];

/** The same for usage whose key had metadata. */
const metadataHourKey = [...hourKey, 'metadata_set'] as const;

const metadataHourColumns = { ...hourColumns, metadata_set: 'text' } as const satisfies Record<
  keyof MetadataHourRow,
  'text' | 'bigint'
>;

/** Start of the hour of a time. */
export function hourOf(at: number): number {
  return at - (at % hourMs);
}

/** @returns rows in the order of their keys, which is the same everywhere */
export function sumByHour(events: readonly UsageEventRow[]): readonly HourRow[] {
  const rows: HourRow[] = [];
  for (const [source, own] of groupBySource(events.map(summedAs), (event) => event)) {
    const ofSource = Map.groupBy(own, ({ at }) => hourOf(at));
    for (const [hour, inHour] of ofSource) rows.push(sumOf(emptyRow(source, hour), inHour));
  }
  const keyed = rows.map((row) => ({ row, key: JSON.stringify(hourKey.map((column) => row[column])) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

/** A copy of a request is nobody's usage but the organization's, and not a request to the model. */
function summedAs(event: UsageEventRow): UsageEventRow {
  return event.shadow === 0 ? event : { ...event, ...nobody, model_asked: shadowModel(event.model_asked) };
}

const nobody = {
  key_id: '',
  ai_system_id: null,
  person_id: null,
  project_key_id: null,
  project_ai_system_id: null,
  project_person_id: null,
} as const satisfies Record<(typeof ofOthers)[number], string | null>;

/** Sums the events that have a metadata set. @returns rows in the order of their keys */
export function sumByHourAndSet(events: readonly UsageEventRow[], setOf: SetOf): readonly MetadataHourRow[] {
  const bySet = Map.groupBy(events, setOf);
  bySet.delete('');
  return [...bySet]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([metadata_set, own]) => sumByHour(own).map((row) => ({ ...row, metadata_set })));
}

function sumOf(row: HourRow, events: readonly UsageEventRow[]): HourRow {
  for (const event of events) for (const sum of hourSums) row[sum] += summed[sum](event);
  return row;
}

type HoursTransaction = Pick<LedgerTransaction, 'db' | 'insertRows'>;

/** @param rows in the order of their keys; written before the sums by set, so that transactions cannot deadlock */
export async function addToHours({ db, insertRows }: HoursTransaction, rows: readonly HourRow[]): Promise<void> {
  await insertRows(
    db,
    hoursInsert,
    rows.map((row) => hourNames.map((column) => row[column])),
  );
}

/** @param rows as for addToHours */
export async function addToMetadataHours(
  { db, insertRows }: HoursTransaction,
  rows: readonly MetadataHourRow[],
): Promise<void> {
  await insertRows(
    db,
    metadataHoursInsert,
    rows.map((row) => metadataHourNames.map((column) => row[column])),
  );
}

const hourNames = Object.keys(hourColumns) as readonly (keyof HourRow)[];
const metadataHourNames = Object.keys(metadataHourColumns) as readonly (keyof MetadataHourRow)[];

const hoursInsert: RowsInsert = {
  table: 'usage_hours',
  columns: hourColumns,
  ending: sumsUpdate('usage_hours', hourKey),
};

const metadataHoursInsert: RowsInsert = {
  table: 'usage_metadata_hours',
  columns: metadataHourColumns,
  ending: sumsUpdate('usage_metadata_hours', metadataHourKey),
};

/** The ending of an insert that adds to the sums of rows that exist. */
export function sumsUpdate(table: string, key: readonly string[]): string {
  const sums = hourSums.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`);
  return `on conflict (${key.join(', ')}) do update set ${sums.join(', ')}`;
}

/** Sums of zero. @param hour its start */
export function emptyRow(source: Source, hour: number): HourRow {
  return {
    organization_id: source.organization_id,
    hour,
    key_id: source.key_id,
    ai_system_id: source.ai_system_id ?? '',
    person_id: source.person_id ?? '',
    project_key_id: source.project_key_id ?? '',
    project_ai_system_id: source.project_ai_system_id ?? '',
    project_person_id: source.project_person_id ?? '',
    model_asked: source.model_asked,
    requests: 0,
    failed_requests: 0,
    unpriced_requests: 0,
    estimated_requests: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write1h_tokens: 0,
    reasoning_tokens: 0,
    cost: 0,
    latency_ms: 0,
  };
}

export const hoursKeptMs = 5 * 366 * dayMs;
