// The histories that this database has been part of, as far as it remembers them: whether one goes on from the other with nothing
// lost, or what was committed last may be gone. A row for each epoch, written by whoever meets it first.
import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';
import type { EpochChange, Lineage, Position } from './store.ts';

type EpochRow = Selectable<Schema['epochs']>;

/** What of a transaction tells where it is. */
interface Place {
  readonly db: Kysely<Schema>;
  readonly now: number;
  readonly epoch: string;
}

const keptMax = 64;

/** What of the feed's row says in which epoch the last change was made. */
export interface LastChange {
  readonly epoch: string | null;
  readonly epoch_revision: number | null;
  readonly revision: number;
}

/** A plain start: what follows goes on from what stands in this file. One transaction, before any other of this start. */
export async function noteRestart(db: Kysely<Schema>, { epoch, revision }: Position): Promise<void> {
  const last = await newest(db);
  await db
    .insertInto('epochs')
    .values({
      epoch,
      number: (last?.number ?? 0) + 1,
      restored_at: null,
      kind: last === undefined ? 'first' : 'restarted',
      continues_epoch: last?.epoch ?? null,
      continues_revision: last === undefined ? null : revision,
    })
    .execute();
}

/**
 * Notes the present epoch where nobody has: unless it is the first of all, the database was restored, or a standby promoted. Every change
 * notes it in its own transaction, so as long as nobody has, what stands here is what the epoch before has left.
 * @param lastChange of before this epoch; undefined: as the feed's row has it; 'lost': the database was seen to have gone back
 */
export async function noteEpoch(
  { db, epoch }: Omit<Place, 'now'>,
  lastChange?: LastChange | 'lost',
): Promise<EpochRow> {
  const known = await read(db, epoch);
  if (known !== undefined) return known;
  const last = await newest(db);
  const isLost = lastChange === 'lost';
  const before = isLost ? undefined : continued(lastChange ?? (await readLastChange(db)));
  // What went back may remember no epoch at all.
  const isFirst = last === undefined && !isLost;
  const row: EpochRow = {
    epoch,
    number: (last?.number ?? 0) + 1,
    continues_epoch: before?.epoch ?? null,
    continues_revision: before?.revision ?? null,
    kind: isFirst ? 'first' : 'restored',
    restored_at: null,
  };
  await db
    .insertInto('epochs')
    .values(row)
    .onConflict((conflict) => conflict.column('epoch').doNothing())
    .execute();
  await db
    .deleteFrom('epochs')
    .where('number', '<=', row.number - keptMax)
    .execute();
  // Another replica may have noted it first.
  return (await read(db, epoch)) ?? row;
}

/** Undefined where a version that does not say in which epoch made the last change: nothing is known of where this one begins. */
function continued({ epoch, epoch_revision, revision }: LastChange): Position | undefined {
  return epoch !== null && epoch_revision === revision ? { epoch, revision } : undefined;
}

function readLastChange(db: Kysely<Schema>): Promise<LastChange> {
  return db.selectFrom('feed').select(['epoch', 'epoch_revision', 'revision']).executeTakeFirstOrThrow();
}

const lineageMax = 16;

export async function readLineage(place: Place): Promise<Lineage> {
  const continues: Position[] = [];
  let row: EpochRow | undefined = await noteEpoch(place);
  while (row?.continues_epoch && row.continues_revision !== null && continues.length < lineageMax) {
    continues.push({ epoch: row.continues_epoch, revision: row.continues_revision });
    row = await read(place.db, row.continues_epoch);
  }
  return { epoch: place.epoch, continues };
}

/** The revision of the lineage's epoch that a position counts as; undefined: it is of another history. */
export function countedIn({ epoch, continues }: Lineage, at: Position): number | undefined {
  if (at.epoch === epoch) return at.revision;
  const index = continues.findIndex((each) => each.epoch === at.epoch);
  if (index < 0) return undefined;
  return continues.slice(0, index + 1).every(({ revision }) => at.revision <= revision)
    ? at.revision
    : undefined;
}

/**
 * An epoch that may lack what was committed last, as the ledger or a watch of a proxy meets it first. No earlier transaction counts:
 * proxies, which report again what is lost, need their time from then on.
 */
export async function noteRestored({ db, now, epoch }: Place): Promise<void> {
  await noteEpoch({ db, epoch });
  await db
    .updateTable('epochs')
    .set({ restored_at: now })
    .where('epoch', '=', epoch)
    .where('kind', '=', 'restored')
    .where('restored_at', 'is', null)
    .execute();
}

/** When it was last found that what was committed last may be gone, by the database's clock. */
export async function restoredAt(db: Kysely<Schema>): Promise<number | undefined> {
  const { at } = await db
    .selectFrom('epochs')
    .select(({ fn }) => fn.max('restored_at').as('at'))
    .executeTakeFirstOrThrow();
  return at ?? undefined;
}

// Proxies name what they have seen one after the other: it is one loss.
const oneLossMs = 60_000;

/**
 * How what the proxy has seen goes on here.
 * @param since of another epoch than the present one
 * @param isBelieved whether the proxy may tell all others that something is lost
 */
export async function epochChange(place: Place, since: Position, isBelieved: boolean): Promise<EpochChange> {
  await noteRestored(place);
  const present = await noteEpoch(place);
  const change = await changeBetween(place.db, present, since);
  if (change !== 'undone') return change;
  const { db, epoch, now } = place;
  if (isBelieved && now - (present.restored_at ?? Number.NEGATIVE_INFINITY) > oneLossMs)
    await db.updateTable('epochs').set({ restored_at: now }).where('epoch', '=', epoch).execute();
  return 'restored';
}

/** undone: this file goes back to before what the proxy has seen. */
async function changeBetween(
  db: Kysely<Schema>,
  present: EpochRow,
  since: Position,
): Promise<EpochChange | 'undone'> {
  let row: EpochRow | undefined = present;
  let revision = Number.MAX_SAFE_INTEGER;
  for (let steps = 0; steps < keptMax && row?.kind === 'restarted'; steps++) {
    revision = Math.min(revision, row.continues_revision ?? 0);
    if (row.continues_epoch === since.epoch) return since.revision <= revision ? 'restarted' : 'undone';
    row = row.continues_epoch === null ? undefined : await read(db, row.continues_epoch);
  }
  if (row?.kind === 'restored') return 'restored';
  // Before the first there was a version that remembered nothing. Behind what was forgotten may be anything.
  if (row?.kind === 'first') return present.kind === 'first' ? 'restarted' : 'undone';
  return 'restored';
}

function read(db: Kysely<Schema>, epoch: string): Promise<EpochRow | undefined> {
  return db.selectFrom('epochs').selectAll().where('epoch', '=', epoch).executeTakeFirst();
}

function newest(db: Kysely<Schema>): Promise<EpochRow | undefined> {
  return db.selectFrom('epochs').selectAll().orderBy('number', 'desc').limit(1).executeTakeFirst();
}

/**
 * A short name of a history of the database, from whatever distinguishes it: positions of one epoch are compared by revision alone, so two
 * databases that could have gone different ways must not share one.
 */
export function epochOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}
