// PostgreSQL: several replicas, one primary. Nothing here waits for longer than a few seconds.
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type PoolConfig, TypeOverrides, types } from 'pg';
import type { Logger } from '../../common/logger.ts';
import { epochOf } from './epoch.ts';
import { insertFromJson } from './insert-rows.ts';
import type { Backend } from './kysely-store.ts';
import { migrate } from './migrations.ts';
import { postgresLocks } from './postgres-locks.ts';
import { listenForBell, ringBell } from './postgres-notify.ts';
import { createPool, mayRunAgain, type PoolDeps } from './postgres-pool.ts';
import { createStatementNames } from './postgres-prepared.ts';
import type { Schema } from './schema.ts';
import { type Position, StoreUnavailableError } from './store.ts';

/** Every wait has an end: a database that accepts and never answers is an error, not a hang. */
export const postgresTimeouts = {
  /** For a connection, new or from the pool: also how long a change waits when others keep all connections busy. */
  connectionTimeoutMillis: 2000,
  /** The server gives up a statement, also one that waits for the feed's row. */
  statement_timeout: 3000,
  /** We give up a server that does not say so: a little later, so that its own word comes first. */
  query_timeout: 4000,
  /** A replica that was cut off within a change must not keep the feed's row locked. */
  idle_in_transaction_session_timeout: 4000,
} as const satisfies PoolConfig;

const features = { partitions: true } as const;
const clockMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const readConnections = 6;
/** Of the feed, its heartbeats and what proxies ask for: operators' reads never have them. */
const proxyConnections = 4;
const changeConnections = 2;
const booksConnections = 6;
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
  const proxyReads = kyselyOver({ ...configuration, max: proxyConnections }, deps);
  const changes = kyselyOver({ ...configuration, max: changeConnections }, deps);
  // The same few statements over and over.
  const prepared = { ...deps, nameOf: createStatementNames() };
  const books = kyselyOver({ ...configuration, max: booksConnections }, prepared);
  const bell = listenForBell(configuration, log);
  return {
    reads,
    proxyReads,
    changes,
    books,
    features,
    locks: postgresLocks,
    insertRows: insertFromJson,
    now: () => clockMs,
    position: async (db) => (await readMoment(db)).position,
    moment: readMoment,
    ring: ringBell,
    mayRunAgain,
    // Its operators watch its disk; a change that it refuses says so.
    whyNotWritable: async () => undefined,
    onBell: bell.onRing,
    recall: (recall) => bell.recall(proxyReads, recall),
    onRecall: bell.onRecall,
    close: async () => {
      await bell.close();
      // A pool waits for the server's good-bye, which a dead one never says.
      const ended = Promise.all([reads, proxyReads, changes, books].map((pool) => pool.destroy()));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    },
  };
}

/** On connections of its own, without the time-outs of requests: a step, or the wait for another replica's, may take long. */
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

/** Revisions and times are bigint, which pg hands out as text: as numbers, where they are exact. */
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

function kyselyOver(configuration: PoolConfig, deps: PoolDeps): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createPool(configuration, deps) }) });
}

interface MomentRow {
  readonly now: number;
  readonly incarnation: string;
  readonly revision: number;
  readonly system: string;
  /** Null on a standby. */
  readonly timeline: string | null;
  readonly database: string;
  readonly file: string;
}

/**
 * The epoch is made of
 * - the incarnation: we have seen the database go back;
 * - the system identifier: another cluster, made by initdb and filled from a dump;
 * - the timeline: a promoted standby, or a restore to a point in time. It is read off the name of the write-ahead log file
 *   that is written now: pg_control_checkpoint() tells it only after the first checkpoint since;
 * - the database's oid and the feed's file: a dump that was restored into another or the same database. (VACUUM FULL gives
 *   the table a new file as well, and so a new epoch: needless, harmless, rare.)
 * A copy of the data directory put back leaves all of them as they were; that shows as a revision going back.
 */
async function readMoment(
  db: Kysely<Schema>,
): Promise<{ readonly now: number; readonly position: Position }> {
  const { rows } = await sql<MomentRow>`
    select ${clockMs} as now, feed.incarnation, feed.revision, control.system_identifier::text as system,
      case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
      pg_database.oid::text as database, pg_relation_filenode('feed')::text as file
    from feed, pg_control_system() as control, pg_database
    where pg_database.datname = current_database()`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new StoreUnavailableError(new Error('the feed has no row'));
  // A standby lags behind what was committed: it may neither answer nor say where the feed stands.
  if (row.timeline === null) throw new StoreUnavailableError(new Error('the database is a standby'));
  const { incarnation, system, timeline, database, file } = row;
  const epoch = epochOf([incarnation, system, timeline, database, file]);
  return { now: row.now, position: { epoch, revision: row.revision } };
}
