// The connection pools and the classes of their errors. A connection that failed is never used again, nor is one that
// is older than the failure: its cause may affect all of them, and each would cost its next user a time-out.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { Logger } from '../../common/logger.ts';
import { lruCache } from '../../common/lru-cache.ts';
import { NameTakenError, StoreUnavailableError, type UniqueIndex, uniqueIndexes } from './store.ts';

/** Counts failures of connections, over all pools to the same database. */
export interface Outages {
  count: number;
}

export interface PoolDeps {
  readonly log: Logger;
  readonly outages: Outages;
  readonly nameOf: NameStatement;
}

/**
 * A pool in Kysely's form. Its errors are StoreUnavailableError and NameTakenError, and the server's own if this
 * program is at fault.
 */
export function createPool(configuration: PoolConfig, { log, outages, nameOf }: PoolDeps): PostgresPool {
  const pool = new Pool(configuration);
  // Without a handler, the failure of an idle connection would end the process. The pool replaces the connection.
  pool.on('error', (err) => log.warn({ err }, 'an idle database connection failed'));
  const outagesBefore = new WeakMap<PoolClient, number>();
  pool.on('connect', (client) => {
    outagesBefore.set(client, outages.count);
    // One packet may complete a connection and end it, before `lend` listens. The first query then reports it.
    client.on('error', () => undefined);
  });
  const connect = async (): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => {
        throw new StoreUnavailableError(error);
      });
      if (outagesBefore.get(client) === outages.count) return lend(client, outages, nameOf);
      client.release(true);
    }
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

function lend(client: PoolClient, outages: Outages, nameOf: NameStatement): PostgresPoolClient {
  let failure: StoreUnavailableError | undefined;
  const fail = (error: StoreUnavailableError) => {
    failure ??= error;
    // If the server itself reported the error, the connections are sound.
    if (!(error.cause instanceof DatabaseError) || isStalePlan(error.cause)) outages.count++;
  };
  // While a connection is in use, this handler must receive its failure between two queries.
  const onError = (error: Error) => fail(new StoreUnavailableError(error));
  client.on('error', onError);
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (failure !== undefined) throw failure;
    try {
      const values = [...parameters];
      // A text without parameters that does not read begins or ends a transaction, or changes tables.
      const name = values.length > 0 || text.startsWith('select ') ? nameOf(text) : undefined;
      return await client.query(name === undefined ? { text, values } : { name, text, values });
    } catch (error) {
      const translated = translate(error);
      if (translated instanceof StoreUnavailableError) fail(translated);
      throw translated;
    }
  };
  return {
    // Kysely's type also includes the form for cursors, which is not used here.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => {
      client.off('error', onError);
      // pg itself would keep a connection whose query timed out, and its next user would wait for that query.
      client.release(destroy === true || failure !== undefined);
    },
  };
}

// SQLSTATEs, postgresql.org/docs/current/errcodes-appendix.html.
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

/** Whether the database rolled the transaction back because of others. */
export function mayRunAgain(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return isStalePlan(error.cause);
  return error instanceof DatabaseError && runAgainStates.has(error.code ?? '');
}

/** A table got a column after the connection prepared the statement, because a newer replica migrated the database. */
function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.routine === 'RevalidateCachedQuery';
}

function translate(error: unknown): unknown {
  // A bug of this program, or a number beyond 2^53.
  if (error instanceof TypeError || error instanceof RangeError) return error;
  // Any other error that the server did not report came from the connection.
  if (!(error instanceof DatabaseError)) return new StoreUnavailableError(error);
  const state = error.code ?? '';
  if (unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state) || isStalePlan(error)) {
    return new StoreUnavailableError(error);
  }
  const index = error.constraint ?? '';
  if (state === uniqueViolation && Object.hasOwn(uniqueIndexes, index)) {
    return new NameTakenError(index as UniqueIndex);
  }
  return error;
}

/**
 * Chooses the statements to prepare: those that come again and again, because parsing and planning cost the server more
 * than running them. Every connection keeps the plan of each, so their number is bounded, and long lists of values are
 * not prepared.
 * @returns the name of the prepared statement; undefined if it is not to be prepared
 */
export type NameStatement = (text: string) => string | undefined;

const namesMax = 100;
const usualTextMax = 4000;
const timesMin = 5;
const watchedMax = 1000;

/** A name is the same on all connections, and never of two statements. */
export function createStatementNames({ textMax = usualTextMax } = {}): NameStatement {
  const names = new Map<string, string>();
  const times = lruCache<number>(watchedMax);
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size === namesMax || text.length > textMax) return name;
    const seen = (times.get(text) ?? 0) + 1;
    times.set(text, seen);
    if (seen === timesMin) names.set(text, `statement_${names.size}`);
    return names.get(text);
  };
}
