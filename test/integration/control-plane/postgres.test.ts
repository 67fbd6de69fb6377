// Behaviour with PostgreSQL only: replicas, restores, and databases that do not respond.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import { type Store, StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { startBlackHole } from '../../support/black-hole.ts';
import { emptyPostgres, freshPostgres, runSql, type StoreDatabase } from '../../support/databases.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { change, invalidate } from '../../support/stored-records.ts';

const person = [{ kind: 'person', ref: 'person-1', state: 'changed' }] as const;
const open = (url: string) => openStore({ url, log: silentLog, clock: systemClock });

async function timed(work: Promise<unknown>): Promise<{ thrown: unknown; ms: number }> {
  const started = performance.now();
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { thrown, ms: performance.now() - started };
}

describe('replicas over one PostgreSQL', () => {
  let database: StoreDatabase;
  beforeEach(async () => {
    database = await emptyPostgres();
  });
  afterEach(() => database.drop());

  it('start together over an empty database and agree on the epoch', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => database.open()));
    const positions = await Promise.all(stores.map((store) => store.position()));
    expect(new Set(positions.map(({ epoch }) => epoch)).size).toBe(1);
    const restarted = await database.open();
    expect(await restarted.position()).toEqual(positions[0]);
  });

  it('run fifty concurrent changes without a gap, in the order in which a reader sees them', async () => {
    const [one, two] = [await database.open(), await database.open()];
    const changing = Promise.all(Array.from({ length: 50 }, (_, i) => invalidate(i % 2 === 0 ? one : two, person)));
    const seen: number[] = [];
    let last = 0;
    await until(async () => {
      const page = await two.changesAfter(last, 1000);
      seen.push(...page.changes.map((row) => row.revision));
      last = page.upTo;
      return last === 50;
    });
    const expected = Array.from({ length: 50 }, (_, i) => i + 1);
    expect(seen).toEqual(expected);
    expect((await changing).toSorted((a, b) => a - b)).toEqual(expected);
  });

  it('keep working when a newer one has migrated the tables of prepared statements', async () => {
    const store = await database.open();
    const read = () => store.ledger(({ db }) => db.selectFrom('leases').selectAll().where('seq', '>', 0).execute());
    // Prepares the statement on several connections.
    for (let round = 0; round < 10; round++) await Promise.all([read(), read(), read()]);
    const prepared = () =>
      store.ledger(({ db }) => sql`select name from pg_prepared_statements`.execute(db)).then(({ rows }) => rows);
    expect(await prepared()).not.toEqual([]);
    await database.raw('alter table leases add column later bigint');
    expect(await Promise.all([read(), read(), read()])).toEqual([[], [], []]);
    await database.raw('alter table leases drop column later');
    expect(await Promise.all([read(), read(), read()])).toEqual([[], [], []]);
  });

  it("get each other's notifications, also after the listening connection was lost", async () => {
    const [one, two] = [await database.open(), await database.open()];
    let rings = 0;
    two.onNotification(() => {
      rings++;
    });
    const rung = async () => {
      const before = rings;
      await invalidate(one, person);
      return until(() => rings > before, { timeoutMs: 300 }).catch(() => false);
    };
    await until(rung);
    await database.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen gateway_feed' and datname = current_database()`,
    );
    await until(rung);
  });

  it('keep a snapshot unchanged while another replica commits', async () => {
    const [one, two] = [await database.open(), await database.open()];
    await one.snapshot(async (db, position) => {
      await invalidate(two, person);
      const feed = await db.selectFrom('feed').select('revision').executeTakeFirstOrThrow();
      expect(feed.revision).toBe(position.revision);
      expect(await db.selectFrom('changes').selectAll().execute()).toEqual([]);
    });
    expect((await one.position()).revision).toBe(1);
  });

  it('run a change again that the database aborted because of others', async () => {
    const store = await database.open();
    let runs = 0;
    const revision = await change(store, async (tx) => {
      runs++;
      if (runs < 3) await sql.raw(`do $$ begin raise exception using errcode = '40001'; end $$`).execute(tx.db);
      return { result: tx.revision };
    });
    expect({ runs, revision }).toEqual({ runs: 3, revision: 1 });
  });
});

describe('the epoch of a PostgreSQL database', () => {
  let database: StoreDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await freshPostgres();
    store = await database.open();
    await invalidate(store, person);
  });
  afterEach(() => database.drop());

  it('differs in a database that was restored from this one', async () => {
    const before = await store.position();
    await store.close();
    const name = `${new URL(database.url).pathname.slice(1)}_restored`;
    const server = new URL(database.url);
    server.pathname = '/postgres';
    await runSql(server.href, `create database ${name} template ${new URL(database.url).pathname.slice(1)}`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const restored = await open(url.href);
    const after = await restored.position();
    await restored.close();
    await runSql(server.href, `drop database ${name} with (force)`);
    expect(after.revision).toBe(before.revision);
    expect(after.epoch).not.toBe(before.epoch);
  });

  it('changes when the tables are restored in the same database', async () => {
    const before = await store.position();
    await database.raw('create table backup as select * from feed; drop table feed; alter table backup rename to feed');
    const after = await store.position();
    expect(after.revision).toBe(before.revision);
    expect(after.epoch).not.toBe(before.epoch);
  });

  it('stays the same while the server keeps running', async () => {
    const before = await store.position();
    await database.raw('checkpoint');
    await database.raw('vacuum analyze');
    expect(await store.position()).toEqual(before);
  });
});

describe('a promoted standby', () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPostgresPair();
  });
  afterEach(() => pair.stop());

  it('fails all calls before its promotion, and starts a new epoch after it', async () => {
    const primary = await open(pair.primaryUrl);
    await invalidate(primary, person);
    const before = await primary.position();
    await primary.close();
    // Fails until the table and its first revision were replicated.
    const followed = () => runSql(pair.standbyUrl, 'select 1 / revision from feed');
    await until(() =>
      followed().then(
        () => true,
        () => false,
      ),
    );

    const standby = await open(pair.standbyUrl);
    await expect(standby.position()).rejects.toThrow(StoreUnavailableError);
    await expect(invalidate(standby, person)).rejects.toThrow(StoreUnavailableError);
    await runSql(pair.standbyUrl, 'select pg_promote()');
    const after = await standby.position();
    expect(after.revision).toBe(before.revision);
    expect(after.epoch).not.toBe(before.epoch);
    expect(await invalidate(standby, person)).toBe(2);
    expect((await standby.position()).epoch).toBe(after.epoch);
    await standby.close();
  });
});

describe('a PostgreSQL server that does not respond', () => {
  it('fails within seconds when it never responds', async () => {
    const hole = await startBlackHole();
    const { thrown, ms } = await timed(open(`postgres://user:canary@127.0.0.1:${hole.port}/gateway`));
    expect(thrown).toBeInstanceOf(StoreUnavailableError);
    expect(String(thrown)).not.toContain('canary');
    expect(ms).toBeLessThan(4000);
    await hole.stop();
  });

  describe('after earlier responses', () => {
    let database: StoreDatabase;
    let network: Network;
    let store: Store;
    beforeEach(async () => {
      database = await freshPostgres();
      const direct = new URL(database.url);
      network = await startNetwork(Number(direct.port), direct.hostname);
      direct.host = `127.0.0.1:${network.port}`;
      store = await open(direct.href);
      await invalidate(store, person);
    });
    afterEach(async () => {
      await store.close();
      await network.stop();
      await database.drop();
    });

    it('fails within seconds on connections that went silent, and works on new ones at once', async () => {
      const { revision } = await store.position();
      await Promise.all(Array.from({ length: 8 }, () => store.position()));
      network.silenceOpenConnections();
      const outcomes = await Promise.all([timed(store.position()), timed(invalidate(store, person))]);
      for (const { thrown, ms } of outcomes) {
        expect(thrown).toBeInstanceOf(StoreUnavailableError);
        expect(ms).toBeLessThan(6000);
      }
      for (let i = 0; i < 8; i++) expect((await store.position()).revision).toBe(revision);
      expect(await invalidate(store, person)).toBe(revision + 1);
    });

    it('keeps reading while a change waits for one that is stuck', async () => {
      const begun = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<void>();
      const stuck = timed(
        change(store, () => {
          begun.resolve();
          return finished.promise.then(() => undefined);
        }),
      );
      await begun.promise;
      const waiting = timed(invalidate(store, person));
      const reading = await Promise.all(Array.from({ length: 20 }, () => timed(store.position())));
      expect(reading.map(({ thrown }) => thrown)).toEqual(reading.map(() => undefined));
      expect((await waiting).thrown).toBeInstanceOf(StoreUnavailableError);
      finished.resolve();
      await stuck;
      await until(() => invalidate(store, person).then(Boolean, () => false));
    });
  });
});

interface Network {
  readonly port: number;
  /** Forwards nothing more on the connections that are open now; new connections work. */
  silenceOpenConnections(): void;
  stop(): Promise<void>;
}

async function startNetwork(port: number, host: string): Promise<Network> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    pairs.add([near, far]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    silenceOpenConnections: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    stop: async () => {
      for (const socket of [...pairs].flat()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
