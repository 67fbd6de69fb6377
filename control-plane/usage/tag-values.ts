// The values that an organization's tags have. So many of each name are distinguished as long as usage has them; what
// callers send beyond that counts together.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { inParts } from './parts.ts';

/** The most different values of one name of one organization. */
export const tagValuesMax = 10_000;

export interface TagValue {
  readonly organizationId: string;
  readonly name: string;
  readonly value: string;
}

/** By `nameKey`. */
export type ValueCounts = ReadonlyMap<string, number>;

export function nameKey({ organizationId, name }: Omit<TagValue, 'value'>): string {
  return `${organizationId} ${name}`;
}

export async function countValues(db: Kysely<Schema>, organizationIds: readonly string[]): Promise<ValueCounts> {
  const rows = await db
    .selectFrom('usage_tag_values')
    .select(['organization_id', 'name', sql<number>`cast(count(*) as bigint)`.as('count')])
    .where('organization_id', 'in', organizationIds)
    .groupBy(['organization_id', 'name'])
    .execute();
  return new Map(
    rows.map(({ organization_id: organizationId, name, count }) => [nameKey({ organizationId, name }), Number(count)]),
  );
}

/**
 * Stores new values while there is room for them.
 * @param counts of the stored values
 * @returns whether a value is one of the stored ones
 */
export async function limitValues(
  { db, insertRows }: Pick<LedgerTransaction, 'db' | 'insertRows'>,
  values: readonly TagValue[],
  counts: ValueCounts,
): Promise<(value: TagValue) => boolean> {
  const wanted = new Map(values.map((value) => [keyOf(value), value]));
  const stored = await readStored(db, [...wanted.values()]);
  const added = new Map<string, TagValue>();
  const room = new Map<string, number>();
  for (const [key, value] of wanted) {
    if (stored.has(key)) continue;
    const name = nameKey(value);
    const left = room.get(name) ?? tagValuesMax - (counts.get(name) ?? 0);
    if (left > 0) added.set(key, value);
    room.set(name, left - 1);
  }
  // In the order of their keys, so that transactions cannot deadlock.
  const rows = [...added].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  await insertRows(
    db,
    valuesInsert,
    rows.map(({ organizationId, name, value }) => [organizationId, name, value]),
  );
  return (value) => stored.has(keyOf(value)) || added.has(keyOf(value));
}

async function readStored(db: Kysely<Schema>, values: readonly TagValue[]): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  for (const part of inParts(values)) {
    const wanted = sql.join(part.map(({ organizationId, name, value }) => sql`(${organizationId}, ${name}, ${value})`));
    const rows = await db
      .selectFrom('usage_tag_values')
      .select(['organization_id as organizationId', 'name', 'value'])
      .where(sql<boolean>`(organization_id, name, value) in (values ${wanted})`)
      .execute();
    for (const row of rows) stored.add(keyOf(row));
  }
  return stored;
}

function keyOf(value: TagValue): string {
  return `${nameKey(value)} ${value.value}`;
}

const valuesInsert = {
  table: 'usage_tag_values',
  columns: { organization_id: 'text', name: 'text', value: 'text' },
  ending: 'on conflict (organization_id, name, value) do nothing',
} as const;
