// PostgreSQL: several replicas, one primary. Nothing here waits for longer than a few seconds.
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import { DatabaseError, Pool, type PoolConfig, TypeOverrides, types } from 'pg';
import type { Logger } from '../../common/logger.ts';
import { epochOf } from './epoch.ts';
import type { Backend } from './kysely-store.ts';
import { migrate } from './migrations.ts';
import { listenForBell, ringBell } from './postgres-bell.ts';
import type { Schema } from './schema.ts';
import {
  NameTakenError,
  type Position,
  StoreUnavailableError,
  type UniqueIndex,
  uniqueIndexes,
} from './store.ts';

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

const readConnections = 8;
const changeConnections = 2;
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
  const readPool = createPool({ ...configuration, max: readConnections }, log);
  const changePool = createPool({ ...configuration, max: changeConnections }, log);
  const bell = listenForBell(configuration, log);
  return {
    reads: kyselyOver(readPool),
    changes: kyselyOver(changePool),
    now: () => sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    position: readPosition,
    ring: ringBell,
    mayRunAgain: (error) => error instanceof DatabaseError && runAgainStates.has(error.code ?? ''),
    onBell: bell.onRing,
    close: async () => {
      await bell.close();
      // A pool waits for the server's good-bye, which a dead one never says.
      const ended = Promise.all([readPool.end(), changePool.end()]);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    },
  };
}

/** On connections of its own, without the time-outs of requests: a step, or the wait for another replica's, may take long. */
async function migrateAlone(configuration: PoolConfig, log: Logger): Promise<void> {
  const patient = { statement_timeout: false, query_timeout: 600_000 } as const;
  const db = kyselyOver(createPool({ ...configuration, ...patient, max: 2 }, log));
  try {
    await migrate(db);
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

function createPool(configuration: PoolConfig, log: Logger): Pool {
  const pool = new Pool(configuration);
  // Unheard, the failure of an idle connection would end the process. The pool replaces it.
  pool.on('error', (err) => log.warn({ err }, 'an idle database connection failed'));
  return pool;
}

function kyselyOver(pool: Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: bounded(pool) }) });
}

/**
 * The pool as Kysely takes it, with errors translated. A connection that failed or timed out is closed rather than given
 * back: pg itself would hand it to the next caller, who would wait behind the query that never ends.
 */
function bounded(pool: Pool): PostgresPool {
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw new StoreUnavailableError(error);
    });
    let failure: StoreUnavailableError | undefined;
    const onError = (error: Error) => {
      failure ??= new StoreUnavailableError(error);
    };
    // While a connection is lent, its failure between two queries is ours to hear.
    client.on('error', onError);
    const query = async (text: string, parameters: readonly unknown[]) => {
      if (failure !== undefined) throw failure;
      try {
        return await client.query(text, [...parameters]);
      } catch (error) {
        const translated = translate(error);
        if (translated instanceof StoreUnavailableError) failure = translated;
        throw translated;
      }
    };
    return {
      // Kysely's type also has the form for cursors, which nothing here uses.
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy) => {
        client.off('error', onError);
        client.release(destroy === true || failure !== undefined);
      },
    };
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

// SQLSTATEs, postgresql.org/docs/current/errcodes-appendix.html. What is run again is undone by others' doing.
const runAgainStates = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);
const unavailableClasses = new Set([
  '08', // connection
  '28', // authorization of the connection
  '53', // resources: disk, memory, connections
  '57', // operator intervention: shutdown, start-up, statement time-out
  '58', // system error
]);
const unavailableStates = new Set([
  '25006', // read_only_sql_transaction: a standby
  '25P03', // idle_in_transaction_session_timeout
  '3D000', // the database does not exist
  '55P03', // lock_not_available
]);
const uniqueViolation = '23505';

function translate(error: unknown): unknown {
  // A mistake of ours, or a number beyond 2^53.
  if (error instanceof TypeError || error instanceof RangeError) return error;
  // What else the server did not say itself came from the connection.
  if (!(error instanceof DatabaseError)) return new StoreUnavailableError(error);
  const state = error.code ?? '';
  if (unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state)) {
    return new StoreUnavailableError(error);
  }
  const index = error.constraint ?? '';
  if (state === uniqueViolation && Object.hasOwn(uniqueIndexes, index)) {
    return new NameTakenError(index as UniqueIndex);
  }
  return error;
}

interface PositionRow {
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
async function readPosition(db: Kysely<Schema>): Promise<Position> {
  const { rows } = await sql<PositionRow>`
    select feed.incarnation, feed.revision, control.system_identifier::text as system,
      case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
      pg_database.oid::text as database, pg_relation_filenode('feed')::text as file
    from feed, pg_control_system() as control, pg_database
    where pg_database.datname = current_database()`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new StoreUnavailableError(new Error('the feed has no row'));
  // A standby lags behind what was committed: it may neither answer nor say where the feed stands.
  if (row.timeline === null) throw new StoreUnavailableError(new Error('the database is a standby'));
  const { incarnation, system, timeline, database, file } = row;
  return { epoch: epochOf([incarnation, system, timeline, database, file]), revision: row.revision };
}
