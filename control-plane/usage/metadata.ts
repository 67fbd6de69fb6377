// The metadata of usage: that of its key, as it was when the request was made, and the tags of the request, which come
// first. metadata-sets.ts stores each set once, and limits how many there are.
import { type Kysely, sql } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import { aMap, aString } from '../../common/json-shape.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { collapsedInHour, type HourName } from './full-hours.ts';
import { hourOf } from './hours.ts';
import { type NamedSet, setOf, storeSets } from './metadata-sets.ts';
import type { KeyUse, Metadata, SetOf } from './tagged-event.ts';

/** How many past versions of a key's metadata are kept, for usage that is reported late. */
export const pastMetadataMax = 20;
const pastKeptMs = 41 * dayMs;

/**
 * Uses the metadata of the key, or else of the project key, and the tags. New sets are stored. At most two statements run
 * if there is neither.
 * @returns the set of each event
 */
export async function metadataSets(
  tx: Pick<LedgerTransaction, 'db' | 'insertRows' | 'now'>,
  events: readonly KeyUse[],
): Promise<SetOf> {
  const metadataAt = await readMetadata(tx.db, events);
  const tagged = events.filter(({ tags }) => tags !== undefined);
  if (metadataAt === undefined && tagged.length === 0) return () => '';
  const collapsed = await collapsedInHour(tx.db, tagged.map(hourNameOf));
  const found = new Map<KeyUse, NamedSet>();
  // Many events share few sets, so each set is hashed once.
  const sets = new Map<string, NamedSet>();
  for (const event of events) {
    const own = metadataAt?.(event, event.key_id) ?? metadataAt?.(event, event.project_key_id);
    if (own === undefined && event.tags === undefined) continue;
    const least = event.tags === undefined ? 0 : collapsed(hourNameOf(event));
    const text = JSON.stringify([event.organization_id, own, event.tags, least]);
    const set = sets.get(text) ?? merged(event, own, least);
    sets.set(text, set);
    found.set(event, set);
  }
  const stored = await storeSets(tx, [...sets.values()]);
  return (event) => {
    const set = found.get(event);
    return set === undefined ? '' : (stored.get(set) ?? '');
  };
}

function hourNameOf({ at, organization_id }: KeyUse): HourName {
  return { organizationId: organization_id, hour: hourOf(at) };
}

/** @param own the stored metadata of the key */
function merged({ organization_id: id, tags = {} }: KeyUse, own: string | undefined, least: number): NamedSet {
  const ofKey = own === undefined ? {} : metadataOf({ metadata: own });
  return setOf(id, { ofKey, tags, least });
}

/** The stored metadata of a key at the time of the request. */
const metadataOf = jsonColumn('virtual_keys', 'metadata', aMap(aString));

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
