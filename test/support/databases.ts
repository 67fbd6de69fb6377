// A fresh database of either kind for the store, and a direct connection to it, for changes that the store would never
// make.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, beforeEach, describe } from 'vitest';
import { systemClock } from '../../common/clock.ts';
import { type OpenOptions, openStore } from '../../control-plane/store/open.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from './postgres.ts';
import { silentLog } from './silent-log.ts';

export interface StoreDatabase {
  readonly url: string;
  /** Opens a store over it; `drop` closes it. */
  open(options?: Partial<OpenOptions>): Promise<Store>;
  /** Runs SQL without the stores. */
  raw(sql: string): Promise<void>;
  /** Closes its stores and removes it. */
  drop(): Promise<void>;
}

export async function freshSqlite(): Promise<StoreDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sqlite-'));
  const path = join(directory, 'gateway.db');
  return storeDatabase(`sqlite:${path}`, {
    raw: async (sql) => {
      using database = new DatabaseSync(path, { timeout: 2000 });
      database.exec(sql);
    },
    remove: async () => rmSync(directory, { recursive: true }),
  });
}

/** With the tables of this version. */
export async function freshPostgres(): Promise<StoreDatabase> {
  return overPostgres(await createMigratedDatabase());
}

/** Without any table: the first store that opens it migrates it. */
export async function emptyPostgres(): Promise<StoreDatabase> {
  return overPostgres(await createDatabase());
}

function overPostgres(database: TestDatabase): StoreDatabase {
  return storeDatabase(database.url, { raw: (sql) => runSql(database.url, sql), remove: database.drop });
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function storeDatabase(
  url: string,
  { raw, remove }: { readonly raw: StoreDatabase['raw']; readonly remove: () => Promise<void> },
): StoreDatabase {
  const stores: Store[] = [];
  return {
    url,
    open: async (options) => {
      const store = await openStore({ url, log: silentLog, clock: systemClock, ...options });
      stores.push(store);
      return store;
    },
    raw,
    drop: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await remove();
    },
  };
}

export interface GivenStore {
  readonly store: Store;
  readonly database: StoreDatabase;
}

/** The same tests over both databases, each test over a fresh one. */
export function describeStores(what: string, tests: (given: GivenStore) => void): void {
  describe.each([
    ['SQLite', freshSqlite],
    ['PostgreSQL', freshPostgres],
  ])(`${what} over %s`, (_name, fresh) => {
    let database: StoreDatabase;
    let store: Store;
    beforeEach(async () => {
      database = await fresh();
      store = await database.open();
    });
    afterEach(() => database.drop());
    tests({
      get store() {
        return store;
      },
      get database() {
        return database;
      },
    });
  });
}
