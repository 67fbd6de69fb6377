// The metadata of keys in usage, as it was when the request was made. Each set is stored once for an organization,
// under a hash of its content. Up to a limit of different sets, values are stored; beyond it only names are.

import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import { aMap, aString } from '../../common/json-shape.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';

/** The most different sets of one organization that are stored with values. */
export const metadataSetsMax = 10_000;
/** Replaces the values of sets beyond that limit. */
export const otherValue = '(other)';
/** How many past versions of a key's metadata are kept, for usage that is reported late. */
export const pastMetadataMax = 20;
const pastKeptMs = 41 * dayMs;

export type Metadata = Readonly<Record<string, string>>;

/** The fields of an event, or of a correction, by which its metadata is found. */
export type KeyUse = Pick<UsageEventRow, 'at' | 'organization_id' | 'key_id' | 'project_key_id'>;

/** @returns the id of an event's set; empty if it has none */
export type SetOf = (event: KeyUse) => string;

/**
 * Uses the metadata of the key, or else of the project key. New sets are stored. At most two statements run if no key
 * has metadata.
 * @returns the set of each event
 */
export async function metadataSets(
  tx: Pick<LedgerTransaction, 'db' | 'insertRows'>,
  events: readonly KeyUse[],
): Promise<SetOf> {
  const metadataAt = await readMetadata(tx.db, events);
  if (metadataAt === undefined) return () => '';
  const found = new Map<KeyUse, NamedSet>();
  // Many events share few sets, so each set is hashed once.
  const sets = new Map<string, NamedSet>();
  for (const event of events) {
    const own = metadataAt(event, event.key_id) ?? metadataAt(event, event.project_key_id);
    if (own === undefined) continue;
    const text = `${event.organization_id} ${own}`;
    const set = sets.get(text) ?? setOf(event.organization_id, own);
    sets.set(text, set);
    found.set(event, set);
  }
  const stored = await storeSets(tx, [...sets.values()]);
  return (event) => {
    const set = found.get(event);
    return set === undefined ? '' : (stored.get(set) ?? '');
  };
}

/** Call it in every transaction that changes a key's metadata. @param before the stored text before the change */
export async function keepPastMetadata(
  { db, now }: { readonly db: Kysely<Schema>; readonly now: number },
  keyId: string,
  before: string,
): Promise<void> {
  await db
    .insertInto('key_metadata_past')
    .values({ key_id: keyId, until: now, metadata: before })
    .onConflict((conflict) => conflict.columns(['key_id', 'until']).doNothing())
    .execute();
  const newest = db
    .selectFrom('key_metadata_past')
    .select('until')
    .where('key_id', '=', keyId)
    .orderBy('until', 'desc')
    .limit(pastMetadataMax);
  await db
    .deleteFrom('key_metadata_past')
    .where('key_id', '=', keyId)
    .where((where) => where.or([where('until', '<', now - pastKeptMs), where('until', 'not in', newest)]))
    .execute();
}

/** Sets by id, of one organization. */
export async function readSets(
  db: Kysely<Schema>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Metadata>> {
  const wanted = [...new Set(ids)].filter((id) => id !== '');
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom('usage_metadata')
    .select(['set_id', 'name', 'value'])
    .where('organization_id', '=', organizationId)
    .where('set_id', 'in', wanted)
    .orderBy('name')
    .execute();
  const entries = Map.groupBy(rows, ({ set_id }) => set_id);
  return new Map(
    Array.from(entries, ([id, own]) => [id, Object.fromEntries(own.map(({ name, value }) => [name, value]))]),
  );
}

const none = '{}';

interface PastRow {
  readonly key_id: string;
  readonly organization_id: string;
  /** Null for the present metadata. */
  readonly until: number | null;
  readonly metadata: string;
}

type MetadataAt = (event: KeyUse, keyId: string | null) => string | undefined;

/** Undefined if none of the keys has or had metadata. */
async function readMetadata(db: Kysely<Schema>, events: readonly KeyUse[]): Promise<MetadataAt | undefined> {
  const ids = [...new Set(events.flatMap(({ key_id, project_key_id }) => [key_id, project_key_id ?? key_id]))];
  if (ids.length === 0) return undefined;
  const since = events.reduce((least, { at }) => Math.min(least, at), Number.MAX_SAFE_INTEGER);
  const { rows } = await sql<PastRow>`
    select id as key_id, organization_id, cast(null as bigint) as until, metadata from virtual_keys
    where id in (${sql.join(ids)}) and metadata <> ${none}
    union all
    select past.key_id, virtual_keys.organization_id, past.until, past.metadata from key_metadata_past as past
    join virtual_keys on virtual_keys.id = past.key_id
    where past.key_id in (${sql.join(ids)}) and past.until > ${since}`.execute(db);
  if (rows.length === 0) return undefined;
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id);
  return ({ at, organization_id }, keyId) => {
    let found: PastRow | undefined;
    for (const row of byKey.get(keyId ?? '') ?? []) {
      if (row.organization_id !== organization_id || (row.until !== null && row.until <= at)) continue;
      if (found === undefined || endOf(row) < endOf(found)) found = row;
    }
    return found === undefined || found.metadata === none ? undefined : found.metadata;
  };
}

function endOf({ until }: PastRow): number {
  return until ?? Number.POSITIVE_INFINITY;
}

interface NamedSet {
  readonly organizationId: string;
  readonly id: string;
  /** JSON, with sorted names. */
  readonly metadata: string;
}

function setOf(organizationId: string, metadata: string): NamedSet {
  return { organizationId, id: hash('sha256', metadata, 'hex').slice(0, 32), metadata };
}

function keyOf({ organizationId, id }: NamedSet): string {
  return `${organizationId} ${id}`;
}

function distinct(sets: readonly NamedSet[]): readonly NamedSet[] {
  return [...new Map(sets.map((set) => [keyOf(set), set])).values()];
}

/**
 * @param sets without repetitions
 * @returns the id under which each is stored
 */
async function storeSets(
  { db, insertRows }: Pick<LedgerTransaction, 'db' | 'insertRows'>,
  sets: readonly NamedSet[],
): Promise<ReadonlyMap<NamedSet, string>> {
  const ids = new Map(sets.map((set) => [set, set.id]));
  const missing = await notStored(db, sets);
  if (missing.length === 0) return ids;
  const added: NamedSet[] = [];
  for (const [organizationId, own] of Map.groupBy(missing, (set) => set.organizationId)) {
    const room = metadataSetsMax - (await countSets(db, organizationId));
    for (const [nth, set] of own.entries()) {
      const kept = nth < room ? set : withoutValues(set);
      // There are few different names, unless an operator fills the table on purpose. Then the usage gets no metadata
      // at all.
      const fits = nth < room + metadataSetsMax;
      ids.set(set, fits ? kept.id : '');
      if (fits) added.push(kept);
    }
  }
  await insertRows(db, setsInsert, rowsOf(distinct(added)));
  return ids;
}

async function notStored(db: Kysely<Schema>, sets: readonly NamedSet[]): Promise<readonly NamedSet[]> {
  if (sets.length === 0) return [];
  const pairs = sql.join(sets.map(({ organizationId, id }) => sql`(${organizationId}, ${id})`));
  const stored = await db
    .selectFrom('usage_metadata')
    .select(['organization_id', 'set_id'])
    .distinct()
    .where(sql<boolean>`(organization_id, set_id) in (values ${pairs})`)
    .execute();
  const known = new Set(stored.map(({ organization_id, set_id }) => `${organization_id} ${set_id}`));
  return sets.filter((set) => !known.has(keyOf(set)));
}

async function countSets(db: Kysely<Schema>, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('usage_metadata')
    .select(({ fn }) => fn.count<number>('set_id').distinct().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The stored metadata of a key at the time of the request. */
const metadataOf = jsonColumn('virtual_keys', 'metadata', aMap(aString));

function withoutValues(set: NamedSet): NamedSet {
  const { organizationId } = set;
  const names = Object.keys(metadataOf(set));
  return setOf(organizationId, JSON.stringify(Object.fromEntries(names.map((name) => [name, otherValue]))));
}

/** Sorts rows by their keys, so that transactions cannot deadlock. */
function rowsOf(sets: readonly NamedSet[]): readonly (readonly string[])[] {
  return sets
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((set) =>
      Object.entries(metadataOf(set)).map(([name, value]) => [set.organizationId, set.id, name, value]),
    );
}

const setsInsert = {
  table: 'usage_metadata',
  columns: { organization_id: 'text', set_id: 'text', name: 'text', value: 'text' },
  ending: 'on conflict (organization_id, set_id, name) do nothing',
} as const;
