// Puts usage into the books: each event once, and its hour's sums and its keys' last use in the same transaction. Rows are
// locked in one order everywhere (events, hours, keys; each by its key), so that reports never wait in a circle.
import { type Kysely, sql } from 'kysely';
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { type HourRow, hourColumns, hourKey, hourSums, sumByHour } from './hours.ts';
import { type ColumnTypes, insertRows } from './json-rows.ts';
import { noteLastUse } from './last-used.ts';

/**
 * A batch costs five statements at most, however large it is. The days of the events must be there: days.ts.
 * @returns ids of the events that were not in the books before; an id that comes twice counts once
 */
export async function recordUsage(
  tx: BooksTransaction,
  events: readonly UsageEventRow[],
): Promise<ReadonlySet<string>> {
  const fresh = await insertEvents(tx, events);
  await addToHours(tx.db, sumByHour(fresh));
  await noteLastUse(tx, fresh);
  return new Set(fresh.map(({ id }) => id));
}

async function insertEvents(
  { db, now }: BooksTransaction,
  events: readonly UsageEventRow[],
): Promise<readonly UsageEventRow[]> {
  if (events.length === 0) return [];
  const byId = new Map<string, Schema['usage_events']>();
  for (const event of events) {
    if (!byId.has(event.id)) byId.set(event.id, { ...event, recorded_at: now });
  }
  const rows = [...byId.values()].toSorted((a, b) => (a.day + a.id < b.day + b.id ? -1 : 1));
  const inserted = await sql<{ id: string }>`
    ${insertRows('usage_events', eventColumns, rows)} on conflict (day, id) do nothing returning id`.execute(
    db,
  );
  const fresh = new Set(inserted.rows.map(({ id }) => id));
  return rows.filter(({ id }) => fresh.has(id));
}

const eventColumns = {
  day: 'text',
  id: 'text',
  at: 'bigint',
  recorded_at: 'bigint',
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
} as const satisfies ColumnTypes<Schema['usage_events']>;

async function addToHours(db: Kysely<Schema>, rows: readonly HourRow[]): Promise<void> {
  if (rows.length === 0) return;
  const added = hourSums.map((sum) => {
    const column = sql.ref(sum);
    return sql`${column} = usage_hours.${column} + excluded.${column}`;
  });
  await sql`
    ${insertRows('usage_hours', hourColumns, rows)}
    on conflict (${sql.join(hourKey.map((column) => sql.ref(column)))}) do update set ${sql.join(added)}`.execute(
    db,
  );
}
