// Records usage in the ledger: each event once, with its hour's sums and its keys' last use in the same transaction.
// Rows are locked in one order everywhere (values of tags, sets of metadata, events, hours, hours by set, hours of provider
// keys, sums of days and months, keys; each by its key), so that reports cannot deadlock.
import type { UsageEventRow } from '../store/schema.ts';
import type { LedgerTransaction, RowsInsert, StoredRow } from '../store/store.ts';
import { addLate } from './fold-late.ts';
import { type FoldedTo, foldPositionsOf } from './fold-position.ts';
import { addToHours, addToMetadataHours, sumByHour, sumByHourAndSet } from './hours.ts';
import { noteLastUse } from './last-used.ts';
import { metadataSets } from './metadata.ts';
import { addToProviderKeyHours } from './provider-key-hours.ts';
import type { SetOf, TaggedEventRow } from './tagged-event.ts';

/**
 * A batch costs PostgreSQL at most seven statements, however large it is, and a few more if keys have metadata or
 * requests have tags. The days of the events must exist: see partitions.ts.
 * @param folded up to where sums of the organizations are folded, read under their ledger locks
 * @returns ids of the events that were not recorded before; a repeated id counts once
 */
export async function recordUsage(
  tx: LedgerTransaction,
  events: readonly TaggedEventRow[],
  folded?: FoldedTo,
): Promise<ReadonlySet<string>> {
  const foldedTo = folded ?? (await foldPositionsOf(tx.db, [...new Set(events.map((event) => event.organization_id))]));
  // A copy of a request is not usage of the key.
  const setOf = await metadataSets(
    tx,
    events.filter(({ shadow }) => shadow === 0),
  );
  const fresh = await insertEvents(tx, events, setOf);
  const hours = sumByHour(fresh);
  await addToHours(tx, hours);
  const ofSets = sumByHourAndSet(fresh, setOf);
  await addToMetadataHours(tx, ofSets);
  await addToProviderKeyHours(tx, fresh);
  await addLate(tx, 'hours', { rows: hours, foldedTo });
  await addLate(tx, 'sets', { rows: ofSets, foldedTo });
  await noteLastUse(tx, fresh);
  return new Set(fresh.map(({ id }) => id));
}

async function insertEvents(
  { db, now, insertRows }: LedgerTransaction,
  events: readonly UsageEventRow[],
  setOf: SetOf,
): Promise<readonly UsageEventRow[]> {
  const byId = new Map<string, UsageEventRow>();
  for (const event of events) if (!byId.has(event.id)) byId.set(event.id, event);
  const rows = [...byId.values()].toSorted(byDayAndId);
  const inserted = await insertRows(
    db,
    eventsInsert,
    rows.map((row) => storedEvent(row, now, setOf(row))),
  );
  const fresh = new Set(inserted.map(({ id }) => id));
  return rows.filter(({ id }) => fresh.has(id));
}

function byDayAndId(a: UsageEventRow, b: UsageEventRow): number {
  return a.day < b.day || (a.day === b.day && a.id < b.id) ? -1 : 1;
}

function storedEvent(row: UsageEventRow, now: number, metadataSet: string): StoredRow {
  const values: (string | number | null)[] = reportedNames.map((column) => row[column]);
  values.push(now, metadataSet);
  return values;
}

const reportedColumns = {
  day: 'text',
  id: 'text',
  at: 'bigint',
  session_id: 'text',
  organization_id: 'text',
  key_id: 'text',
  ai_system_id: 'text',
  person_id: 'text',
  project_key_id: 'text',
  project_ai_system_id: 'text',
  project_person_id: 'text',
  request_id: 'text',
  provider: 'text',
  model_asked: 'text',
  model_answered: 'text',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cache_read_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  cache_write1h_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost: 'bigint',
  unpriced: 'bigint',
  status: 'bigint',
  error_source: 'text',
  error_code: 'text',
  latency_ms: 'bigint',
  first_token_ms: 'bigint',
  streamed: 'bigint',
  direct_key: 'bigint',
  attempts: 'bigint',
  estimated: 'bigint',
  estimate_reason: 'text',
  reported_cost: 'bigint',
  provider_key_id: 'text',
  guardrail_id: 'text',
  shadow: 'bigint',
  special: 'text',
} as const satisfies Record<keyof UsageEventRow, 'text' | 'bigint'>;

const reportedNames = Object.keys(reportedColumns) as readonly (keyof UsageEventRow)[];

const eventsInsert: RowsInsert = {
  table: 'usage_events',
  columns: { ...reportedColumns, recorded_at: 'bigint', metadata_set: 'text' },
  ending: 'on conflict (day, id) do nothing returning id',
};
