// The histories that this database has been part of, as far as they are recorded: whether an epoch continues the one
// before without loss, or the last commits may be lost. There is one row for each epoch; the first replica that finds
// the epoch writes it.
import { hash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Position } from './position.ts';
import type { Schema } from './schema.ts';
import type { EpochChange, Lineage } from './store.ts';

type EpochRow = Selectable<Schema['epochs']>;

/** The parts of a transaction that show its position in the history. */
interface EpochContext {
  readonly db: Kysely<Schema>;
  readonly now: number;
  readonly epoch: string;
}

const keptMax = 64;

/** The columns of the feed's row that record the epoch of the last change. */
export interface LastChange {
  readonly epoch: string | null;
  readonly epoch_revision: number | null;
  readonly revision: number;
}

/**
 * Records an ordinary start: the new epoch continues the stored one. Run it in one transaction, before any other of
 * this start.
 */
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
 * Records the present epoch unless it is recorded already. Unless it is the first of all, the database was restored or
 * a standby was promoted. Every change records the epoch in its own transaction; until then the database contains what
 * the previous epoch left.
 * @param lastChange the last change before this epoch; undefined reads it from the feed's row; 'lost' means that the
 * database was found to have gone back
 */
export async function noteEpoch(
  { db, epoch }: Omit<EpochContext, 'now'>,
  lastChange?: LastChange | 'lost',
): Promise<EpochRow> {
  const known = await read(db, epoch);
  if (known !== undefined) return known;
  const last = await newest(db);
  const isLost = lastChange === 'lost';
  const before = isLost ? undefined : continued(lastChange ?? (await readLastChange(db)));
  // A database that went back may contain no epoch at all.
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
  // Another replica may have recorded it first.
  return (await read(db, epoch)) ?? row;
}

/**
 * Undefined if the last change was made by a version that does not record epochs: then it is not known where this epoch
 * begins.
 */
function continued({ epoch, epoch_revision, revision }: LastChange): Position | undefined {
  return epoch !== null && epoch_revision === revision ? { epoch, revision } : undefined;
}

function readLastChange(db: Kysely<Schema>): Promise<LastChange> {
  return db.selectFrom('feed').select(['epoch', 'epoch_revision', 'revision']).executeTakeFirstOrThrow();
}

const lineageMax = 16;

export async function readLineage(context: EpochContext): Promise<Lineage> {
  const continues: Position[] = [];
  let row: EpochRow | undefined = await noteEpoch(context);
  while (row?.continues_epoch && row.continues_revision !== null && continues.length < lineageMax) {
    continues.push({ epoch: row.continues_epoch, revision: row.continues_revision });
    row = await read(context.db, row.continues_epoch);
  }
  return { epoch: context.epoch, continues };
}

/**
 * @returns the revision of the lineage's epoch that a position corresponds to; undefined if the position is of another
 * history
 */
export function countedIn({ epoch, continues }: Lineage, at: Position): number | undefined {
  if (at.epoch === epoch) return at.revision;
  const index = continues.findIndex((each) => each.epoch === at.epoch);
  if (index < 0) return undefined;
  return continues.slice(0, index + 1).every(({ revision }) => at.revision <= revision) ? at.revision : undefined;
}

/**
 * Records when an epoch that may lack the last commits was first found, by the ledger or by a proxy's watch. Earlier
 * transactions do not count, because proxies need time from then on to report again what was lost.
 */
export async function noteRestored({ db, now, epoch }: EpochContext): Promise<void> {
  await noteEpoch({ db, epoch });
  await db
    .updateTable('epochs')
    .set({ restored_at: now })
    .where('epoch', '=', epoch)
    .where('kind', '=', 'restored')
    .where('restored_at', 'is', null)
    .execute();
}

/** When a possible loss of the last commits was last found, by the database's clock. */
export async function restoredAt(db: Kysely<Schema>): Promise<number | undefined> {
  const { at } = await db
    .selectFrom('epochs')
    .select(({ fn }) => fn.max('restored_at').as('at'))
    .executeTakeFirstOrThrow();
  return at ?? undefined;
}

// Several proxies report the same loss within this time, each with its own position.
const oneLossMs = 60_000;

/**
 * Decides how the present epoch continues the history that a proxy has received.
 * @param since a position of another epoch
 * @param isBelieved whether the proxy may report a loss on behalf of all others
 */
export async function epochChange(context: EpochContext, since: Position, isBelieved: boolean): Promise<EpochChange> {
  await noteRestored(context);
  const present = await noteEpoch(context);
  const change = await changeBetween(context.db, present, since);
  if (change !== 'undone') return change;
  const { db, epoch, now } = context;
  if (isBelieved && now - (present.restored_at ?? Number.NEGATIVE_INFINITY) > oneLossMs)
    await db.updateTable('epochs').set({ restored_at: now }).where('epoch', '=', epoch).execute();
  return 'restored';
}

/** undone: the database is in an earlier state than the proxy has received. */
async function changeBetween(db: Kysely<Schema>, present: EpochRow, since: Position): Promise<EpochChange | 'undone'> {
  let row: EpochRow | undefined = present;
  let revision = Number.MAX_SAFE_INTEGER;
  for (let steps = 0; steps < keptMax && row?.kind === 'restarted'; steps++) {
    revision = Math.min(revision, row.continues_revision ?? 0);
    if (row.continues_epoch === since.epoch) return since.revision <= revision ? 'restarted' : 'undone';
    row = row.continues_epoch === null ? undefined : await read(db, row.continues_epoch);
  }
  if (row?.kind === 'restored') return 'restored';
  // Before the first recorded epoch a version ran that records none. Beyond deleted rows anything may have happened.
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
 * A short name of one history of the database, made from everything that distinguishes it. Positions of one epoch are
 * compared by revision only, so two databases that may have diverged must not share an epoch.
 */
export function epochOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}
