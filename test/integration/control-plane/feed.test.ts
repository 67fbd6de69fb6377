// The change feed of one process, below the watches.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Feed, type FeedDeps, startFeed } from '../../../control-plane/changes/feed.ts';
import { type Store, StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { invalidate } from '../../support/stored-records.ts';
import { settle, VirtualTime } from '../../support/virtual-time.ts';

const person = [{ kind: 'person', ref: 'person-1', state: 'changed' }] as const;

describe('the feed', () => {
  let database: StoreDatabase;
  let store: Store;
  let feed: Feed;
  const time = new VirtualTime();
  /** The feed gets no notifications and its clock stands still, so it reads only when requested. */
  const start = async (options: Partial<FeedDeps> = {}) => {
    const deaf = { ...store, onNotification: () => undefined };
    feed = await startFeed({ store: deaf, log: silentLog, timers: time, ...options });
  };
  const revisions = (after: number) => feed.after(after)?.map((row) => row.revision);
  beforeEach(async () => {
    database = await freshSqlite();
    store = await database.open();
  });
  afterEach(async () => {
    await feed.close();
    await database.drop();
  });

  it('reads at a notification', async () => {
    await start({ store });
    let news = 0;
    feed.onNews(() => {
      news++;
    });
    await invalidate(store, person);
    await until(() => feed.position.revision === 1);
    expect(news).toBe(1);
    expect(revisions(0)).toEqual([1]);
  });

  it('serves a call from a read that began after the call, not from one in progress', async () => {
    const gate = Promise.withResolvers<void>();
    let reads = 0;
    const slow: Store = {
      ...store,
      onNotification: () => undefined,
      changesAfter: async (revision, rows) => {
        const page = await store.changesAfter(revision, rows);
        reads++;
        if (reads === 1) await gate.promise;
        return page;
      },
    };
    await start({ store: slow });
    const underWay = feed.read();
    await until(() => reads === 1);
    await invalidate(store, person);
    const [after, andAnother] = [feed.read(), feed.read()];
    gate.resolve();
    expect((await underWay).revision).toBe(0);
    expect((await after).revision).toBe(1);
    expect((await andAnother).revision).toBe(1);
    expect(reads).toBe(2);
  });

  it('keeps the newest whole revisions, and reports where they begin', async () => {
    await start({ rowsMax: 3 });
    for (let i = 0; i < 2; i++) {
      await invalidate(store, [...person, { kind: 'person', ref: 'person-2', state: 'changed' }]);
      await feed.read();
    }
    expect(revisions(0)).toBeUndefined();
    expect(revisions(1)).toEqual([2, 2]);
    await invalidate(store, person);
    await feed.read();
    expect(revisions(1)).toEqual([2, 2, 3]);
    expect(revisions(2)).toEqual([3]);
    expect(revisions(3)).toEqual([]);
  });

  it('starts over when more has changed in the meantime than it keeps', async () => {
    await start({ rowsMax: 3 });
    for (let i = 0; i < 4; i++) await invalidate(store, person);
    await feed.read();
    expect(revisions(3)).toBeUndefined();
    expect(revisions(4)).toEqual([]);
  });

  it('starts over when changes were deleted before it read them', async () => {
    await start();
    for (let i = 0; i < 3; i++) await invalidate(store, person);
    await database.raw('update feed set pruned_revision = 2; delete from changes where revision <= 2');
    await feed.read();
    expect(feed.prunedRevision).toBe(2);
    expect(revisions(2)).toBeUndefined();
    expect(revisions(3)).toEqual([]);
  });

  it('reports when its last successful read of the database began', async () => {
    let cutOff = false;
    const clock = new VirtualTime();
    await start({
      clock,
      store: {
        ...store,
        onNotification: () => undefined,
        changesAfter: async (revision, rows) => {
          await clock.advance(100);
          if (cutOff) throw new StoreUnavailableError(new Error('cut off'));
          return await store.changesAfter(revision, rows);
        },
      },
    });
    const began = clock.monotonic();
    await feed.read();
    expect(feed.readAt).toBe(began);
    cutOff = true;
    await expect(feed.read()).rejects.toThrow(StoreUnavailableError);
    expect(feed.readAt).toBe(began);
  });

  it('reads again after an outage', async () => {
    let reachable = false;
    const failing: Store = {
      ...store,
      changesAfter: (revision, rows) =>
        reachable
          ? store.changesAfter(revision, rows)
          : Promise.reject(new StoreUnavailableError(new Error('cut off'))),
    };
    await start({ store: failing });
    await invalidate(store, person);
    await expect(feed.read()).rejects.toThrow(StoreUnavailableError);
    await time.advance(1000);
    expect(feed.position.revision).toBe(0);
    reachable = true;
    await time.advance(1000);
    await until(() => feed.position.revision === 1);
  });

  it('reads no more once it is closed', async () => {
    let reads = 0;
    const counting: Store = {
      ...store,
      changesAfter: (revision, rows) => {
        reads++;
        return store.changesAfter(revision, rows);
      },
    };
    await start({ store: counting });
    await feed.close();
    await invalidate(store, person);
    await time.advance(5000);
    await settle();
    expect(reads).toBe(0);
  });
});
