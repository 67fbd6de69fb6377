// Behaviour with SQLite only: the file, and a new epoch at every start.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import { StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import { invalidate } from '../../support/stored-records.ts';

const open = (url: string) => openStore({ url, log: silentLog, clock: systemClock });

describe('a SQLite database', () => {
  let database: StoreDatabase;
  let path: string;
  beforeEach(async () => {
    database = await freshSqlite();
    path = database.url.slice('sqlite:'.length);
  });
  afterEach(() => database.drop());

  it('keeps everything over a restart, under a new epoch', async () => {
    const first = await database.open();
    await invalidate(first, [{ kind: 'person', ref: 'person-1', state: 'changed' }]);
    const before = await first.position();
    await first.close();
    const second = await database.open();
    const after = await second.position();
    expect(after.revision).toBe(1);
    expect((await second.changesAfter(0, 9)).changes).toHaveLength(1);
    // The file may have been replaced while no program had it open.
    expect(after.epoch).not.toBe(before.epoch);
  });

  it('is readable by its owner only', async () => {
    const store = await database.open();
    await invalidate(store, []);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps a write-ahead log and waits for the disk at each commit', async () => {
    const store = await database.open();
    const pragma = (name: string) =>
      store.snapshot(async (db) => (await sql`select * from ${sql.raw(`pragma_${name}`)}`.execute(db)).rows[0]);
    expect(await pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(await pragma('synchronous')).toEqual({ synchronous: 2 });
    expect(await pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
  });

  it('waits for another program that is writing, and continues after it', async () => {
    const store = await database.open();
    using other = new DatabaseSync(path);
    other.exec('begin immediate');
    const changing = invalidate(store, []);
    setTimeout(() => other.exec('rollback'), 20);
    expect(await changing).toBe(1);
  });

  it('gives up when another program does not stop writing', async () => {
    const store = await database.open();
    using other = new DatabaseSync(path);
    other.exec('begin immediate');
    await expect(invalidate(store, [])).rejects.toThrow(StoreUnavailableError);
    other.exec('rollback');
    expect(await invalidate(store, [])).toBe(1);
  });

  it.each([
    [
      'in a folder that does not exist',
      () => `sqlite:${path}-nowhere/gateway.db`,
      /nowhere\/gateway\.db cannot be opened/,
    ],
    ['of an unknown kind', () => 'mysql://user:canary@host/db', /must begin with sqlite: or postgres:/],
    ['without a path', () => 'sqlite:', /must begin with sqlite: or postgres:/],
  ])('cannot be opened with %s, and the error explains it', async (_what, url, message) => {
    const error: unknown = await open(url()).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('canary');
  });
});
