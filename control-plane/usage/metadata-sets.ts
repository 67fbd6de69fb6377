// Stores sets of metadata, each once for an organization under a hash of its content. Tags come from callers, so what
// they can fill is limited: the values of each name, the sets with tags, and, in a part of its own that no tag can fill,
// the sets of keys' metadata alone. Whatever is beyond a limit has `(other)` as its value, of the names with the most
// values first, so that a flood of one name leaves the others readable.
import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import { tagNamesMax } from '../../common/tags.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { inParts } from './parts.ts';
import { countValues, limitValues, nameKey, type TagValue, type ValueCounts } from './tag-values.ts';
import type { Metadata } from './tagged-event.ts';

/** The most different sets of one organization's keys that are stored with values. */
export const metadataSetsMax = 10_000;
/** The most sets with tags, of one organization. */
export const taggedSetsMax = 100_000;
/** The most further sets for each name that has no values of its own in them. */
const collapsedSetsMax = 10_000;
/** Replaces values beyond a limit. */
export const otherValue = '(other)';

export interface NamedSet {
  readonly organizationId: string;
  readonly id: string;
  readonly parts: SetParts;
}

export interface SetParts {
  /** Of the key. */
  readonly ofKey: Metadata;
  /** Of the request. They replace what the key has under the same names. */
  readonly tags: Metadata;
  /** So many names of tags, those with the most values, get no value of their own; above their number, no tag is stored. */
  readonly least: number;
}

export function setOf(organizationId: string, parts: SetParts): NamedSet {
  const text = JSON.stringify(entriesOf(parts));
  return { organizationId, parts, id: hash('sha256', text, 'hex').slice(0, 32) };
}

/** With sorted names. */
function entriesOf({ ofKey, tags }: SetParts): Metadata {
  const entries = Object.entries({ ...ofKey, ...tags });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf({ organizationId, id }: NamedSet): string {
  return `${organizationId} ${id}`;
}

type SetsTransaction = Pick<LedgerTransaction, 'db' | 'insertRows' | 'now'>;

/** @returns the id under which each is stored; empty: it has no entry, or there is no room even for its names */
export async function storeSets(
  tx: SetsTransaction,
  sets: readonly NamedSet[],
): Promise<ReadonlyMap<NamedSet, string>> {
  const today = tx.now - (tx.now % dayMs);
  const whole = sets.filter(({ parts }) => parts.least === 0);
  const known = await readKnown(tx.db, whole);
  const missing = sets.filter((set) => set.parts.least > 0 || !known.has(keyOf(set)));
  const added = missing.length === 0 ? nothingAdded : await addSets(tx, missing, today);
  const stale = whole.filter((set) => (known.get(keyOf(set)) ?? today) < today);
  await writeSets(tx, [...stale.map((set) => ({ set, part: partOf(set) })), ...added.stale, ...added.fresh], today);
  await tx.insertRows(tx.db, entriesInsert, added.fresh.toSorted(byKey).flatMap(rowsOf));
  return new Map([...whole.map((set) => [set, set.id] as const), ...added.ids]);
}

/** When each stored set was used last: the start of a day. */
async function readKnown(db: Kysely<Schema>, sets: readonly NamedSet[]): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  for (const part of inParts(sets)) {
    const pairs = sql.join(part.map(({ organizationId, id }) => sql`(${organizationId}, ${id})`));
    const rows = await db
      .selectFrom('usage_metadata_sets')
      .select(['organization_id', 'set_id', 'used_on'])
      .where(sql<boolean>`(organization_id, set_id) in (values ${pairs})`)
      .execute();
    for (const row of rows) known.set(`${row.organization_id} ${row.set_id}`, row.used_on);
  }
  return known;
}

/** In the order of their keys, and each once, so that transactions cannot deadlock. */
async function writeSets({ db, insertRows }: SetsTransaction, sets: readonly StoredSet[], today: number) {
  const distinct = [...new Map(sets.map((one) => [keyOf(one.set), one])).values()].toSorted(byKey);
  const rows = distinct.map(({ set, part }) => [set.organizationId, set.id, part, today]);
  await insertRows(db, setsInsert, rows);
}

function byKey({ set: a }: StoredSet, { set: b }: StoredSet): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function rowsOf({ set: { organizationId, id, parts } }: StoredSet): readonly (readonly string[])[] {
  return Object.entries(entriesOf(parts)).map(([name, value]) => [organizationId, id, name, value]);
}

const setsInsert = {
  table: 'usage_metadata_sets',
  columns: { organization_id: 'text', set_id: 'text', part: 'bigint', used_on: 'bigint' },
  ending: 'on conflict (organization_id, set_id) do update set used_on = excluded.used_on',
} as const;

const entriesInsert = {
  table: 'usage_metadata',
  columns: { organization_id: 'text', set_id: 'text', name: 'text', value: 'text' },
  ending: 'on conflict (organization_id, set_id, name) do nothing',
} as const;

/** The part of the table in which a set is counted: 0 has no tags, 1 has all of them, 2 one collapsed name, and so on. */
type Part = number;

/** Its sets have the names of a key's metadata only, each with `(other)`. */
const partOfNames: Part = 100;

interface StoredSet {
  readonly set: NamedSet;
  readonly part: Part;
}

/** And those without. */
const partsWithTags: readonly Part[] = Array.from({ length: tagNamesMax + 2 }, (_, part) => part);

function partOf({ parts: { tags } }: NamedSet): Part {
  return Object.keys(tags).length === 0 ? 0 : 1;
}

function maxOf(part: Part): number {
  if (part === 1) return taggedSetsMax;
  return part === 0 || part === partOfNames ? metadataSetsMax : collapsedSetsMax;
}

interface Added {
  readonly ids: ReadonlyMap<NamedSet, string>;
  /** To be written, or to be marked as used. */
  readonly fresh: readonly StoredSet[];
  readonly stale: readonly StoredSet[];
}

const nothingAdded: Added = { ids: new Map(), fresh: [], stale: [] };

/** Finds a form of each set that is stored, or for which there is room. */
async function addSets(tx: SetsTransaction, missing: readonly NamedSet[], today: number): Promise<Added> {
  const { db } = tx;
  const bySet = Map.groupBy(missing, ({ organizationId }) => organizationId);
  const rooms = await Rooms.read(db, [...bySet.keys()]);
  const values = await readValues(tx, missing, [...bySet.keys()]);
  const forms = [...bySet].flatMap(([organizationId, own]) =>
    own.map((set) => {
      const all = formsOf(set, values);
      return { set, forms: rooms.isScarce(organizationId, own.length) ? all : all.slice(0, 1) };
    }),
  );
  const known = await readKnown(
    db,
    forms.flatMap((each) => each.forms.map(({ set }) => set)),
  );
  const ids = new Map<NamedSet, string>();
  const [fresh, stale] = [new Map<string, StoredSet>(), new Map<string, StoredSet>()];
  for (const { set, forms: own } of forms) {
    const form = own.find(({ set: one, part }) => {
      return isEmpty(one) || known.has(keyOf(one)) || fresh.has(keyOf(one)) || rooms.take(one, part);
    });
    ids.set(set, form === undefined || isEmpty(form.set) ? '' : form.set.id);
    if (form === undefined || isEmpty(form.set)) continue;
    const usedOn = known.get(keyOf(form.set));
    if (usedOn === undefined) fresh.set(keyOf(form.set), form);
    else if (usedOn < today) stale.set(keyOf(form.set), form);
  }
  return { ids, fresh: [...fresh.values()], stale: [...stale.values()] };
}

function isEmpty({ parts: { ofKey, tags } }: NamedSet): boolean {
  return Object.keys(ofKey).length === 0 && Object.keys(tags).length === 0;
}

interface TagValues {
  readonly counts: ValueCounts;
  readonly isStored: (value: TagValue) => boolean;
}

const noValues: TagValues = { counts: new Map(), isStored: () => true };

async function readValues(
  tx: SetsTransaction,
  sets: readonly NamedSet[],
  organizationIds: readonly string[],
): Promise<TagValues> {
  // Values of sets that get no tags are not stored.
  const values = sets.filter(({ parts }) => parts.least < Object.keys(parts.tags).length).flatMap(tagsOf);
  if (!sets.some((set) => partOf(set) > 0)) return noValues;
  const counts = await countValues(tx.db, organizationIds);
  return { counts, isStored: await limitValues(tx, values, counts) };
}

function tagsOf({ organizationId, parts }: NamedSet): readonly TagValue[] {
  return Object.entries(parts.tags).flatMap(([name, value]) =>
    value === otherValue ? [] : [{ organizationId, name, value }],
  );
}

/** From the one with the most values to the one with the fewest. */
function formsOf({ organizationId, parts }: NamedSet, { counts, isStored }: TagValues): readonly StoredSet[] {
  const { ofKey, least } = parts;
  const countOf = (name: string) => counts.get(nameKey({ organizationId, name })) ?? 0;
  const names = Object.keys(parts.tags).toSorted((a, b) => countOf(b) - countOf(a) || (a < b ? -1 : 1));
  const form = (tags: Metadata, part: Part) => ({ set: setOf(organizationId, { ofKey, tags, least: 0 }), part });
  const forms: StoredSet[] = [];
  for (let collapsed = least; names.length > 0 && collapsed <= names.length; collapsed++) {
    const others = new Set(names.slice(0, collapsed));
    const tags = Object.entries(parts.tags).map(([name, value]) => {
      const isOwn = !others.has(name) && isStored({ organizationId, name, value });
      return [name, isOwn ? value : otherValue] as const;
    });
    forms.push(form(Object.fromEntries(tags), 1 + collapsed));
  }
  const onlyNames = Object.fromEntries(Object.keys(ofKey).map((name) => [name, otherValue]));
  const nameSet = setOf(organizationId, { ofKey: onlyNames, tags: {}, least: 0 });
  return [...forms, form({}, 0), { set: nameSet, part: partOfNames }];
}

/** How many more sets each part of an organization's sets may have. */
class Rooms {
  readonly #left: Map<string, number>;

  private constructor(left: Map<string, number>) {
    this.#left = left;
  }

  static async read(db: Kysely<Schema>, organizationIds: readonly string[]): Promise<Rooms> {
    const rows = await db
      .selectFrom('usage_metadata_sets')
      .select(['organization_id', 'part', sql<number>`cast(count(*) as bigint)`.as('count')])
      .where('organization_id', 'in', organizationIds)
      .groupBy(['organization_id', 'part'])
      .execute();
    return new Rooms(
      new Map(rows.map((row) => [`${row.organization_id} ${row.part}`, maxOf(row.part) - Number(row.count)])),
    );
  }

  /** Whether so many sets may need another form than their first. */
  isScarce(organizationId: string, sets: number): boolean {
    return partsWithTags.some((part) => this.#leftOf(organizationId, part) < sets);
  }

  #leftOf(organizationId: string, part: Part): number {
    return this.#left.get(`${organizationId} ${part}`) ?? maxOf(part);
  }

  take({ organizationId }: NamedSet, part: Part): boolean {
    const left = this.#leftOf(organizationId, part);
    if (left > 0) this.#left.set(`${organizationId} ${part}`, left - 1);
    return left > 0;
  }
}
