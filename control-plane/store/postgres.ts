// PostgreSQL: several replicas with one primary. Nothing here waits for longer than a few seconds.
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type PoolConfig, TypeOverrides, types } from 'pg';
import { aList, aString, orNull } from '../../common/json-shape.ts';
import type { Logger } from '../../common/logger.ts';
import { accessRowsStatement, type RowsDialect } from './access-rows.ts';
import { epochOf } from './epochs.ts';
import { insertFromJson } from './insert-rows.ts';
import { readColumn } from './json-columns.ts';
import type { Backend } from './kysely-store.ts';
import { migrate } from './migrate.ts';
import type { Position } from './position.ts';
import { listenForNotifications, notify } from './postgres-notify.ts';
import { createPool, createStatementNames, mayRunAgain, type NameStatement, type PoolDeps } from './postgres-pool.ts';
import type { Schema } from './schema.ts';
import { type RowLocks, StoreUnavailableError } from './store.ts';

/** Every wait is bounded: a database that accepts connections but never responds causes an error, not a hang. */
export const postgresTimeouts = {
  /** For a connection, new or from the pool; also how long a change waits if others use all connections. */
  connectionTimeoutMillis: 2000,
  /** The server aborts a statement after this time, including one that waits for the feed's row. */
  statement_timeout: 3000,
  /** The client aborts a little later, so that the server's own error comes first. */
  query_timeout: 4000,
  /** A replica that was cut off during a change must not keep the feed's row locked. */
  idle_in_transaction_session_timeout: 4000,
} as const satisfies PoolConfig;

const features = { partitions: true } as const;
const clockMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const readConnections = 6;
/** For the feed, its heartbeats and reads of proxies; operators' reads never use them. */
const proxyConnections = 4;
const changeConnections = 2;
const ledgerConnections = 6;
const closeMs = 2000;

/** @throws StoreUnavailableError */
export async function openPostgres(url: string, log: Logger): Promise<Backend> {
  const configuration: PoolConfig = {
    ...postgresTimeouts,
    connectionString: url,
    types: checkedTypes(),
    keepAlive: true,
    application_name: 'model-gateway-control-plane',
  };
  await migrateAlone(configuration, log);
  const deps = { log, outages: { count: 0 }, nameOf: prepareNothing };
  const reads = kyselyOver({ ...configuration, max: readConnections }, deps);
  // Without these, planning would cost more than reading. Other reads of proxies are rare.
  const resolves = { ...deps, nameOf: nameAccessRows() };
  const proxyReads = kyselyOver({ ...configuration, max: proxyConnections }, resolves);
  const changes = kyselyOver({ ...configuration, max: changeConnections }, deps);
  // The ledger repeats the same few statements.
  const prepared = { ...deps, nameOf: createStatementNames() };
  const windowRow = kyselyOver({ ...configuration, max: ledgerConnections }, prepared);
  const notification = listenForNotifications(configuration, log);
  return {
    reads,
    proxyReads,
    changes,
    ledger: windowRow,
    features,
    rowsDialect,
    locks: postgresLocks,
    insertRows: insertFromJson,
    now: () => clockMs,
    position: async (db) => (await readInstant(db)).position,
    instant: readInstant,
    ring: notify,
    mayRunAgain,
    // The operators of PostgreSQL monitor its disk; a change that it refuses returns its error.
    whyNotWritable: async () => undefined,
    onNotification: notification.onRing,
    reclaim: (reclaim) => notification.reclaim(proxyReads, reclaim),
    onReclaim: notification.onReclaim,
    close: async () => {
      await notification.close();
      // A pool waits for the server to close its connections, which a dead server never does.
      const ended = Promise.all([reads, proxyReads, changes, windowRow].map((pool) => pool.destroy()));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    },
  };
}

/**
 * Migrates on its own connections without the time-outs of requests, because a step, or the wait for another replica's,
 * may take long.
 */
async function migrateAlone(configuration: PoolConfig, log: Logger): Promise<void> {
  const patient = { statement_timeout: false, query_timeout: 600_000 } as const;
  const deps = { log, outages: { count: 0 }, nameOf: prepareNothing };
  const db = kyselyOver({ ...configuration, ...patient, max: 2 }, deps);
  try {
    await migrate(db, { features, log });
  } finally {
    await db.destroy();
  }
}

/** Revisions and times are bigint, which pg returns as text. They are converted to numbers if they are exact. */
function checkedTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, (text: string) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number)) throw new RangeError('a number in the database is beyond 2^53');
    return number;
  });
  return overrides;
}

const prepareNothing = () => undefined;

/** Prepares the statement of resolves alone, in its two forms: with and without an organization. */
function nameAccessRows(): NameStatement {
  const nameOf = createStatementNames({ textMax: 20_000 });
  return (text) => (text.startsWith(accessRowsStatement) ? nameOf(text) : undefined);
}

function kyselyOver(configuration: PoolConfig, deps: PoolDeps): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createPool(configuration, deps) }) });
}

/**
 * The epoch consists of:
 * - the incarnation, which changes when the database is found to have gone back;
 * - the system identifier, which differs for another cluster, made by initdb and filled from a dump;
 * - the timeline, which changes when a standby is promoted, or after a restore to a point in time. It is read from the
 *   name of the current write-ahead log file, because pg_control_checkpoint() only shows it after the first checkpoint;
 * - the database's oid and the feed's file, which change when a dump is restored into another or the same database.
 *   (VACUUM FULL changes the table's file too, and so the epoch: needless, harmless, rare.)
 * A restored copy of the data directory changes none of them; it shows as a revision that goes back.
 */
const epochParts = sql<string>`json_build_array(
  feed.incarnation, control.system_identifier::text,
  case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
  pg_database.oid::text, pg_relation_filenode('feed')::text)`;
const epochSource = sql`feed, pg_control_system() as control, pg_database
  where pg_database.datname = current_database()`;

function epochOfParts(parts: readonly (string | null)[]): string {
  const known = parts.filter((part) => part !== null);
  // A standby, which has no timeline, lags behind the commits: it can neither serve reads nor report the feed's position.
  if (known.length < parts.length) throw new StoreUnavailableError(new Error('the database is a standby'));
  return epochOf(known);
}

interface InstantRow {
  readonly now: number;
  readonly revision: number;
  readonly parts: string;
}

async function readInstant(db: Kysely<Schema>): Promise<{ readonly now: number; readonly position: Position }> {
  const { rows } = await sql<InstantRow>`
    select ${clockMs} as now, feed.revision, ${epochParts}::text as parts from ${epochSource}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new StoreUnavailableError(new Error('the feed has no row'));
  const epoch = epochOfParts(readColumn(row.parts, aList(orNull(aString)), 'the epoch'));
  return { now: row.now, position: { epoch, revision: row.revision } };
}

const rowsDialect: RowsDialect = {
  texts: (texts) => texts,
  textsTable: (parameter) => sql`unnest(${parameter}::text[]) as wanted(hash)`,
  ...{ jsonArray: 'json_build_array', jsonRows: 'json_agg', epochParts, epochSource, epochOf: epochOfParts },
};

// The first of the two numbers of an advisory lock: it defines the meaning of the second.
const ledgerOfOrganizations = 1;
// Locks are hashed to this many, so that a transaction over a thousand organizations does not fill the server's lock
// table.
const turns = 64;

/** The row locks of PostgreSQL. */
const postgresLocks: RowLocks = {
  // The weakest lock that excludes `update`, so that a session can be marked as seen while money is acquired in it.
  share: (query) => query.forKeyShare(),
  update: (query) => query.forUpdate(),
  organizations: async (db, ids, turn) => {
    if (ids.length === 0) return;
    const lock = turn === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
    await sql`
      select ${lock}(${sql.lit(ledgerOfOrganizations)}, turn) from (
        select distinct abs(hashtext(id) % ${sql.lit(turns)}) as turn from unnest(${ids}::text[]) as id order by turn
      ) as wanted`.execute(db);
  },
};
