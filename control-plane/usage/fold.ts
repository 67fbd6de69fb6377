// Folds sums by hour: adds rows of finished hours to the sums of their days and months, a few hundred at a time and in the
// order of their key. The position is stored in the same transaction, under the organization's exclusive lock, so each
// row is folded once. The ledger adds usage that comes later for a folded row itself: see fold-late.ts.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minuteMs } from '../../common/durations.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import type { FoldSource } from '../store/usage-sums-tables.ts';
import { beside, type FoldPosition, foldPositions } from './fold-position.ts';
import { hourOf, hourSums, sumsUpdate } from './hours.ts';
import { columnsOfOwners, foldSources, type Level, nextUnit, noOwners, startOfUnit, sumsKey } from './levels.ts';

/** An hour is folded when it has been over for so long: most of its usage is recorded then. */
const graceMs = 2 * minuteMs;
/** Some 30 ms of SQLite, for which everything else waits. */
const pieceRows = 500;

export interface FoldNext {
  readonly organizationId: string;
  readonly source: FoldSource;
}

/** What there is to fold now. @throws StoreUnavailableError */
export function whatToFold(store: Pick<Store, 'ledger'>): Promise<readonly FoldNext[]> {
  return store.ledger(async ({ db, now }) => {
    const begins = await db.selectFrom('usage_folds').select('hour').where('source', '=', 'begins').executeTakeFirst();
    if (begins !== undefined && now < begins.hour) return [];
    const ofSources = [];
    for (const source of ['hours', 'sets'] as const) ofSources.push(...(await unfolded(db, source, closedAt(now))));
    return ofSources;
  });
}

function closedAt(now: number): number {
  return hourOf(now - graceMs);
}

async function unfolded(db: Kysely<Schema>, source: FoldSource, closed: number): Promise<readonly FoldNext[]> {
  const { rows } = await sql<{ id: string }>`
    select id from organizations where exists (
      select 1 from ${sql.table(foldSources[source].table)} as hours
      where hours.organization_id = organizations.id and hours.hour < cast(${closed} as bigint)
      and hours.hour >= coalesce((
        select folds.hour from usage_folds as folds
        where folds.organization_id = organizations.id and folds.source = ${source}), 0)
    ) order by id`.execute(db);
  return rows.map(({ id }) => ({ organizationId: id, source }));
}

/** Folds a few hundred rows. @returns whether there are more. @throws StoreUnavailableError */
export function foldPiece(store: Pick<Store, 'ledger'>, next: FoldNext, rowsMax = pieceRows): Promise<boolean> {
  return store.ledger(async (tx) => {
    await tx.locks.organizations(tx.db, [next.organizationId], 'alone');
    const position = (await foldPositions(tx.db, next.organizationId))[next.source];
    const month = await firstMonth(tx, next, position);
    if (month === undefined) return false;
    const end = await endOfPiece(tx.db, next, { position, rowsMax, to: month.to });
    const rows = sql`${beside(next.source, position, 'from')} and ${beside(next.source, end, 'before')}`;
    await addSums(tx.db, next, { rows, month: month.from, sign: 1 });
    await savePosition(tx.db, next, end);
    return true;
  });
}

/** The month of the first rows, as far as it is over. */
async function firstMonth(
  { db, now }: LedgerTransaction,
  { organizationId, source }: FoldNext,
  position: FoldPosition,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const { rows } = await sql<{ hour: number }>`
    select hour from ${sql.table(foldSources[source].table)}
    where organization_id = ${organizationId} and hour < cast(${closedAt(now)} as bigint)
    and ${beside(source, position, 'from')} order by hour limit 1`.execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const from = startOfUnit('month', first.hour);
  return { from, to: Math.min(nextUnit('month', from), closedAt(now)) };
}

interface PieceBounds {
  readonly position: FoldPosition;
  readonly rowsMax: number;
  readonly to: number;
}

/** The first row behind the piece, or the end of its last hour. */
async function endOfPiece(
  db: Kysely<Schema>,
  { organizationId, source }: FoldNext,
  { position, rowsMax, to }: PieceBounds,
): Promise<FoldPosition> {
  const { table, owners } = foldSources[source];
  const key = sql.join(['hour', ...owners].map((name) => sql.ref(name)));
  const { rows } = await sql<Schema['usage_metadata_hours']>`
    select ${key} from ${sql.table(table)}
    where organization_id = ${organizationId} and hour < cast(${to} as bigint) and ${beside(source, position, 'from')}
    order by ${key} limit 1 offset ${sql.lit(rowsMax)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return { hour: to, owners: [], inside: false };
  return { hour: row.hour, owners: owners.map((name) => String(row[name])), inside: true };
}

interface Added {
  /** The condition of the rows, all of one month. */
  readonly rows: RawBuilder<unknown>;
  /** Start of the month. */
  readonly month: number;
  readonly sign: 1 | -1;
}

async function addSums(db: Kysely<Schema>, { organizationId, source }: FoldNext, added: Added): Promise<void> {
  const { levels } = foldSources[source];
  for (const level of levels) await addToLevel(db, { organizationId, source, level }, added);
}

async function addToLevel(
  db: Kysely<Schema>,
  { organizationId, source, level }: FoldNext & { readonly level: Level },
  { rows, month, sign }: Added,
): Promise<void> {
  const { table } = foldSources[source];
  const start = {
    hour: sql`hour`,
    day: sql`hour - hour % 86400000`,
    month: sql`cast(${month} as bigint)`,
  }[level.unit];
  const kept = columnsOfOwners(level.owners);
  const owners = sumOwners.map((name) =>
    kept.includes(name) && isIn(source, name) ? sql.ref(name) : sql`'' as ${sql.ref(name)}`,
  );
  const keyed = sql.join(sumOwners.map((name) => sql.ref(name)));
  const sums = sql.join(hourSums.map((name) => sql.ref(name)));
  const signed = sql.join(hourSums.map((name) => sql`${sql.raw(sign === 1 ? '' : '-')}sum(${sql.ref(name)})`));
  await sql`
    insert into usage_sums (organization_id, level, hour, ${keyed}, ${sums})
    select organization_id, ${level.name}, start, ${keyed}, ${signed} from (
      select organization_id, ${start} as start, ${sql.join(owners)}, ${sums} from ${sql.table(table)}
      where organization_id = ${organizationId} and ${rows}
    ) as piece where true
    group by organization_id, start, ${keyed}
    ${sql.raw(sumsUpdate('usage_sums', sumsKey))}`.execute(db);
}

/** The columns of the key of usage_sums from the key on. */
const sumOwners = foldSources.sets.owners;

function isIn(source: FoldSource, name: (typeof sumOwners)[number]): boolean {
  return foldSources[source].owners.some((owner) => owner === name);
}

async function savePosition(db: Kysely<Schema>, { organizationId, source }: FoldNext, to: FoldPosition): Promise<void> {
  const owners = Object.fromEntries(sumOwners.map((name, nth) => [name, to.owners[nth] ?? '']));
  const values = { hour: to.hour, inside: to.inside ? 1 : 0, ...owners } as const;
  await db
    .insertInto('usage_folds')
    .values({ ...noOwners, ...values, organization_id: organizationId, source })
    .onConflict((conflict) => conflict.columns(['organization_id', 'source']).doUpdateSet(values))
    .execute();
}

/**
 * Deletes the oldest hour of an organization's sums if it is before the given time, and takes it from the sums of its day
 * and month. @returns whether it did. @throws StoreUnavailableError
 */
export function forgetHour(store: Pick<Store, 'ledger'>, next: FoldNext, before: number): Promise<boolean> {
  const { organizationId, source } = next;
  const table = sql.table(foldSources[source].table);
  return store.ledger(async (tx) => {
    const { db } = tx;
    const ofOrganization = sql`organization_id = ${organizationId}`;
    const oldest = sql<{ hour: number }>`
      select hour from ${table} where ${ofOrganization} and hour < cast(${before} as bigint) order by hour limit 1`;
    if ((await oldest.execute(db)).rows.length === 0) return false;
    await tx.locks.organizations(db, [organizationId], 'alone');
    const [first] = (await oldest.execute(db)).rows;
    const position = (await foldPositions(db, organizationId))[source];
    // An hour of which a part is folded is deleted once all of it is.
    if (first === undefined || (position.inside && first.hour === position.hour)) return false;
    const rows = sql`hour = cast(${first.hour} as bigint)`;
    if (first.hour < position.hour)
      await addSums(db, next, { rows, month: startOfUnit('month', first.hour), sign: -1 });
    await sql`delete from ${table} where ${ofOrganization} and ${rows}`.execute(db);
    for (const { name, unit } of foldSources[source].levels) {
      await sql`delete from usage_sums where ${ofOrganization} and level = ${name}
        and hour < cast(${startOfUnit(unit, first.hour)} as bigint)`.execute(db);
    }
    return true;
  });
}
