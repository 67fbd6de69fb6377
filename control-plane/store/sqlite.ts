// SQLite, embedded: one process, one connection, one file.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Dialect, Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect, sql } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { RowsDialect } from './access-rows.ts';
import { epochOf, noteRestart } from './epochs.ts';
import { insertInParts } from './insert-rows.ts';
import type { Backend } from './kysely-store.ts';
import { migrate } from './migrate.ts';
import type { Position } from './position.ts';
import type { Schema } from './schema.ts';
import { NameTakenError, StoreUnavailableError, type UniqueIndex, uniqueIndexes } from './store.ts';

// Another program (the sqlite3 shell, a restore) may be writing for a moment. This wait blocks the whole process, so it
// is short and the change runs again.
const busyMs = 100;

const features = { partitions: false } as const;

/** @throws Error that names the file, if it cannot be opened or created */
export async function openSqlite(path: string, clock: Clock, log: Logger): Promise<Backend> {
  const db = new Kysely<Schema>({ dialect: dialectOver(openFile(path)) });
  // While this process was down, the file may have been replaced by an older copy without a trace. So the feed's memory
  // does not outlive the process: each start is an epoch of its own.
  const nonce = randomUUID();
  const position = async (reader: Kysely<Schema>): Promise<Position> => {
    const feed = await reader.selectFrom('feed').select(['incarnation', 'revision']).executeTakeFirstOrThrow();
    return { epoch: epochOf([feed.incarnation, nonce]), revision: feed.revision };
  };
  try {
    await migrate(db, { features, log });
    await db.transaction().execute(async (tx) => noteRestart(tx, await position(tx)));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    reads: db,
    proxyReads: db,
    changes: db,
    ledger: db,
    features,
    rowsDialect: rowsDialect(nonce),
    locks: { share: (query) => query, update: (query) => query, organizations: async () => undefined },
    insertRows: insertInParts,
    now: () => sql<number>`${clock.now()}`,
    position,
    instant: async (reader) => ({ now: clock.now(), position: await position(reader) }),
    ring: async () => undefined,
    mayRunAgain: isBusy,
    whyNotWritable: () => whyNotWritable(path),
    onNotification: () => undefined,
    reclaim: async () => undefined,
    onReclaim: () => undefined,
    close: () => db.destroy(),
  };
}

function rowsDialect(nonce: string): RowsDialect {
  return {
    texts: (texts) => JSON.stringify(texts),
    textsTable: (parameter) => sql`(select value as hash from json_each(${parameter})) as wanted`,
    ...{ jsonArray: 'json_array', jsonRows: 'json_group_array' },
    ...{ epochParts: sql`json_array(feed.incarnation)`, epochSource: sql`feed` },
    epochOf: ([incarnation = null]) => epochOf([incarnation ?? '', nonce]),
  };
}

function openFile(path: string): DatabaseSync {
  try {
    // SQLite gives its side files the mode of this one.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true });
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new Error(`the database file ${path} cannot be opened or made: ${reason}`, { cause: error });
  }
}

function dialectOver(database: DatabaseSync): Dialect {
  const dialect = new SqliteDialect({ database: adapt(database) });
  return {
    createAdapter: transactionalAdapter,
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * Migrations run in one transaction, so that an interrupted start leaves nothing half done. Kysely does not do so by
 * default.
 */
function transactionalAdapter(): SqliteAdapter {
  return Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', { value: true });
}

// Most statements come again and again, and preparing one costs more than running it.
const statementsMax = 300;

/**
 * node:sqlite with the interface of better-sqlite3, which Kysely's dialect expects. Integers beyond 2^53 throw on
 * reading.
 */
function adapt(database: DatabaseSync): SqliteDatabase {
  const prepared = lruCache<ReturnType<typeof adaptStatement>>(statementsMax);
  return {
    close: () => database.close(),
    prepare: (text) => {
      const known =
        prepared.get(text) ??
        (text === 'rollback' ? rollbackOf(database) : adaptStatement(translated(() => database.prepare(text))));
      prepared.set(text, known);
      return known;
    },
  };
}

/** A full disk has already rolled the transaction back. Another rollback would be an error that hides the first one. */
function rollbackOf(database: DatabaseSync): ReturnType<typeof adaptStatement> {
  const rollback = adaptStatement(database.prepare('rollback'));
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return { ...rollback, run: (parameters) => (database.isTransaction ? rollback.run(parameters) : nothing) };
}

function adaptStatement(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => translated(() => statement.all(...checked(parameters))),
    run: (parameters: readonly unknown[]) => translated(() => statement.run(...checked(parameters))),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...checked(parameters)),
  };
}

/** Numbers are bound as doubles, so a number that is no safe integer would be stored as another one. */
function checked(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new TypeError(`a ${typeof value} that is no safe integer, text or null cannot be stored`);
  });
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

// Primary result codes, sqlite.org/rescode.html: errors that the file or another program causes.
const busy = 5; // SQLITE_BUSY
const full = 13; // SQLITE_FULL
const unavailable = new Set([
  busy,
  6, // SQLITE_LOCKED
  8, // SQLITE_READONLY
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  full,
  14, // SQLITE_CANTOPEN
  26, // SQLITE_NOTADB
]);
const uniqueViolation = 2067; // SQLITE_CONSTRAINT_UNIQUE

function translate(error: unknown): unknown {
  const code = codeOf(error);
  if ((code & 0xff) === full)
    return new StoreUnavailableError(error, 'the disk of the database is full, nothing can be changed');
  if (unavailable.has(code & 0xff)) return new StoreUnavailableError(error);
  if (code !== uniqueViolation || !(error instanceof Error)) return error;
  const index = violatedIndex(error.message);
  return index === undefined ? error : new NameTakenError(index);
}

function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailableError && (codeOf(error.cause) & 0xff) === busy;
}

/** SQLite's extended result code; 0 if the error does not come from SQLite. */
function codeOf(error: unknown): number {
  if (!(error instanceof Error && 'errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode : 0;
}

/**
 * SQLite names the columns ("ai_systems.organization_id, ai_systems.name"), and for an expression the index ("index
 * 'x'").
 */
function violatedIndex(message: string): UniqueIndex | undefined {
  const index = /index '(\w+)'$/.exec(message)?.[1] ?? message.replace(/^.*?(\w+)\.(\w+)$/, '$1_$2_unique');
  return Object.hasOwn(uniqueIndexes, index) ? (index as UniqueIndex) : undefined;
}

/** About the size of a large change and its log. */
const probeBytes = 256 * 1024;

/**
 * Checks whether there is room beside a database file, by writing and removing a small file. The file is no part of the
 * database, so no change waits for it, and its bytes never end up in a log for which the database has room already.
 * @param path of the database's file
 * @returns a short reason why nothing can be written; undefined if writing works. Never rejects
 */
async function whyNotWritable(path: string): Promise<string | undefined> {
  if (path === ':memory:') return undefined;
  const probe = `${path}.probe`;
  try {
    await writeFile(probe, Buffer.alloc(probeBytes), { mode: 0o600 });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return reasons.get(code) ?? `the database cannot be written (${code})`;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk of the database is full'],
  ['EDQUOT', 'the quota of the disk of the database is used up'],
  ['EROFS', 'the disk of the database is read-only'],
]);
