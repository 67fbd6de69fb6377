// The watch protocol over a stream without a transport: the messages that are sent, their order and their receivers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Feed, FeedDeps } from '../../../control-plane/changes/feed.ts';
import { type AccessDeps, type AccessService, defaultAccessLimits } from '../../../control-plane/services/access.ts';
import { type Invalidation, type Store, StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { describeStores, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { until } from '../../support/process.ts';
import { invalidate } from '../../support/stored-records.ts';
import { settle } from '../../support/virtual-time.ts';
import { beginWatch, boundProxy, startAccess, type WatchingProxy } from '../../support/watching.ts';

const person = (ref: string): Invalidation => ({ kind: 'person', ref, state: 'changed' });
const people = (count: number) => Array.from({ length: count }, (_, i) => person(`person-${i}`));

describeStores('a watch', (given) => {
  let feed: Feed;
  let service: AccessService;
  beforeEach(async () => {
    ({ feed, service } = await startAccess(given.store));
  });
  afterEach(() => feed.close());

  it("begins at the feed's position of some time ago, with all changes since", async () => {
    await invalidate(given.store, [person('person-1')]);
    await invalidate(given.store, [person('person-2')]);
    await given.database.raw('update changes set at = at - 7200000 where revision = 1');
    const { proxy } = beginWatch(service);
    proxy.start({ maxStaleSeconds: 3600 });
    await proxy.messages(2);
    expect(proxy.story).toEqual(['started 1', 'changes 2']);
    expect(proxy.received[0]?.started?.horizon?.epoch).toBe((await given.store.position()).epoch);
  });

  it('continues from a position, and sends later commits', async () => {
    await invalidate(given.store, [person('person-1')]);
    const { proxy } = beginWatch(service);
    proxy.startAt(await given.store.position());
    await proxy.messages(1);
    await invalidate(given.store, [person('person-2')]);
    await proxy.messages(2);
    expect(proxy.story).toEqual(['started 1', 'changes 2']);
  });

  it('names records as in the contract, all of one change in one message', async () => {
    const { proxy } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    const hash = 'ab'.repeat(32);
    await invalidate(given.store, [
      { kind: 'key', ref: hash, state: 'gone' },
      { kind: 'ai_system', ref: 'system-1', state: 'gone' },
      { kind: 'organization', ref: 'organization-1', state: 'changed' },
      person('person-1'),
    ]);
    await proxy.messages(2);
    const sent = proxy.received[1]?.changes?.invalidations ?? [];
    expect(sent.toSorted((a, b) => String(a.kind).localeCompare(String(b.kind)))).toEqual([
      { kind: 'RECORD_KIND_AI_SYSTEM', id: 'system-1', revision: 1, state: 'RECORD_STATE_GONE' },
      { kind: 'RECORD_KIND_KEY', keyHash: Buffer.from(hash, 'hex'), revision: 1, state: 'RECORD_STATE_GONE' },
      { kind: 'RECORD_KIND_ORGANIZATION', id: 'organization-1', revision: 1, state: 'RECORD_STATE_CHANGED' },
      { kind: 'RECORD_KIND_PERSON', id: 'person-1', revision: 1, state: 'RECORD_STATE_CHANGED' },
    ]);
  });

  it('is reset when the epoch differs, and when it changes', async () => {
    await invalidate(given.store, [person('person-1')]);
    const { proxy } = beginWatch(service);
    proxy.startAt({ epoch: 'of another database', revision: 0 });
    await proxy.messages(1);
    const { epoch } = await given.store.position();
    await given.store.startNewEpoch(epoch);
    await proxy.messages(2);
    await invalidate(given.store, [person('person-2')]);
    await proxy.messages(3);
    expect(proxy.story).toEqual(['reset 1', 'reset 2', 'changes 3']);
    expect(proxy.received[0]?.reset?.horizon?.epoch).toBe(epoch);
    expect(proxy.received[1]?.reset?.horizon?.epoch).toBe((await given.store.position()).epoch);
  });

  it('is reset when the database is restored under the running feed', async () => {
    for (let i = 0; i < 3; i++) await invalidate(given.store, [person('person-1')]);
    const { proxy } = beginWatch(service);
    proxy.startAt(await given.store.position());
    await proxy.messages(1);
    const { epoch } = await given.store.position();
    await given.database.raw('delete from changes where revision > 1; update feed set revision = 1');
    await given.database.raw('delete from audit_events where revision > 1');
    proxy.ask(1);
    await proxy.messages(3);
    expect(proxy.story).toEqual(['started 3', 'reset 2', 'response 1 2']);
    expect((await given.store.position()).epoch).not.toBe(epoch);
  });
});

describe('a watch', () => {
  let database: StoreDatabase;
  let store: Store;
  const feeds: Feed[] = [];
  const access = async (options: Partial<AccessDeps & FeedDeps> = {}) => {
    const started = await startAccess(store, options);
    feeds.push(started.feed);
    return started;
  };
  beforeEach(async () => {
    database = await freshSqlite();
    store = await database.open();
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
    await database.drop();
  });
  const deaf = () => ({ ...store, onNotification: () => undefined });

  describe('that requests heartbeats', () => {
    it('gets a response from a read after the request, once every change up to there was sent', async () => {
      const { service } = await access({ store: deaf() });
      const { proxy } = beginWatch(service);
      proxy.start();
      await proxy.messages(1);
      await invalidate(store, [person('person-1')]);
      await invalidate(store, [person('person-2')]);
      await settle();
      expect(proxy.story).toEqual(['started 0']);
      proxy.ask(7);
      await proxy.messages(3);
      expect(proxy.story).toEqual(['started 0', 'changes 1 2', 'response 7 2']);
      proxy.ask(8);
      await proxy.messages(4);
      expect(proxy.story.at(-1)).toBe('response 8 2');
    });

    it('gets no response while the database cannot be read, and gets one again afterwards', async () => {
      let reachable = true;
      const failing: Store = {
        ...store,
        changesAfter: (revision, rows) =>
          reachable
            ? store.changesAfter(revision, rows)
            : Promise.reject(new StoreUnavailableError(new Error('cut off'))),
      };
      const { service } = await access({ store: failing });
      const { proxy } = beginWatch(service);
      proxy.start();
      await proxy.messages(1);
      reachable = false;
      proxy.ask(1);
      await settle();
      reachable = true;
      proxy.ask(2);
      await proxy.messages(2);
      expect(proxy.story).toEqual(['started 0', 'response 2 0']);
      expect(proxy.ended).toBeUndefined();
    });

    it('shares reads among proxies that request at the same time', async () => {
      let reads = 0;
      const counting: Store = {
        ...store,
        changesAfter: (revision, rows) => {
          reads++;
          return store.changesAfter(revision, rows);
        },
      };
      const { service } = await access({ store: counting });
      const proxies = Array.from({ length: 50 }, () => beginWatch(service).proxy);
      for (const proxy of proxies) proxy.start();
      await Promise.all(proxies.map((proxy) => proxy.messages(1)));
      reads = 0;
      for (const proxy of proxies) proxy.ask(1);
      await Promise.all(proxies.map((proxy) => proxy.messages(2)));
      expect(reads).toBeLessThanOrEqual(2);
    });
  });

  it('reads every second in case it misses a notification', async () => {
    const { service, time } = await access({ store: deaf() });
    const { proxy } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    await invalidate(store, [person('person-1')]);
    await time.advance(999);
    expect(proxy.story).toEqual(['started 0']);
    await time.advance(1);
    await proxy.messages(2);
    expect(proxy.story).toEqual(['started 0', 'changes 1']);
  });

  it('sends a bound proxy only changes of its organization, and still responds to it', async () => {
    const { service } = await access();
    const { proxy } = beginWatch(service, boundProxy);
    proxy.start();
    await proxy.messages(1);
    await invalidate(store, [person('person-1')], 'organization-1');
    await invalidate(store, [person('person-2')], 'organization-2');
    await invalidate(store, [person('person-3')]);
    await invalidate(store, [person('person-4')], 'organization-1');
    await invalidate(store, [person('person-5')], 'organization-2');
    proxy.ask(1);
    await until(() => proxy.story.at(-1) === 'response 1 5');
    const ids = proxy.received.flatMap(({ changes }) => changes?.invalidations?.map(({ id }) => id) ?? []);
    expect(ids).toEqual(['person-1', 'person-4']);
  });

  it('sends long histories in messages of whole revisions', async () => {
    for (const count of [2, 3, 1, 4]) await invalidate(store, people(count));
    const { epoch } = await store.position();
    const { service } = await access({ limits: { ...defaultAccessLimits, messageRows: 3 } });
    const { proxy } = beginWatch(service);
    proxy.startAt({ epoch, revision: 0 });
    await proxy.messages(3);
    for (const count of [2, 2]) await invalidate(store, people(count));
    proxy.ask(1);
    await until(() => proxy.story.at(-1) === 'response 1 6');
    const changes = proxy.story.filter((line) => line.startsWith('changes')).map((line) => line.slice(8));
    expect(changes.join(' ')).toBe('1 1 2 2 2 3 4 4 4 4 5 5 6 6');
    for (const message of changes) expect(message.split(' ').length).toBeLessThan(6);
  });

  describe('that is slow', () => {
    it('receives nothing while it has no room, and everything in order afterwards', async () => {
      const { feed, service } = await access();
      const { proxy } = beginWatch(service);
      proxy.room = 1;
      proxy.start();
      await proxy.messages(1);
      for (let i = 1; i <= 3; i++) await invalidate(store, [person(`person-${i}`)]);
      proxy.ask(1);
      await until(() => feed.position.revision === 3);
      await settle();
      expect(proxy.story).toEqual(['started 0']);
      proxy.drain(1);
      await proxy.messages(2);
      proxy.drain();
      await proxy.messages(3);
      expect(proxy.story).toEqual(['started 0', 'changes 1 2 3', 'response 1 3']);
    });

    it('is reset once it has fallen behind the changes that are kept for watchers', async () => {
      const { feed, service } = await access({ rowsMax: 4 });
      const [slow, quick] = [beginWatch(service).proxy, beginWatch(service).proxy];
      for (const proxy of [slow, quick]) proxy.start();
      await Promise.all([slow.messages(1), quick.messages(1)]);
      slow.room = 1;
      await invalidate(store, [person('person-0')]);
      await slow.messages(2);
      for (let i = 1; i <= 5; i++) {
        await invalidate(store, [person(`person-${i}`)]);
        await until(() => feed.position.revision === i + 1);
        await settle();
      }
      expect(slow.story).toEqual(['started 0', 'changes 1']);
      slow.drain();
      await slow.messages(3);
      await invalidate(store, [person('person-6')]);
      await slow.messages(4);
      expect(slow.story).toEqual(['started 0', 'changes 1', 'reset 6', 'changes 7']);
      expect(quick.story.join(' ')).not.toContain('reset');
    });

    it('is reset by a change that is too large for a message', async () => {
      const { service } = await access({ limits: { ...defaultAccessLimits, revisionRowsMax: 5 } });
      const { proxy } = beginWatch(service);
      proxy.start();
      await proxy.messages(1);
      await invalidate(store, people(6));
      await proxy.messages(2);
      await invalidate(store, people(5));
      await proxy.messages(3);
      expect(proxy.story).toEqual(['started 0', 'reset 1', 'changes 2 2 2 2 2']);
    });
  });

  it('is reset when its position is older than the stored changes', async () => {
    for (let i = 0; i < 4; i++) await invalidate(store, [person('person-1')]);
    const { epoch } = await store.position();
    await database.raw('update feed set pruned_revision = 2; delete from changes where revision <= 2');
    const { service } = await access();
    const [gone, kept] = [beginWatch(service).proxy, beginWatch(service).proxy];
    gone.startAt({ epoch, revision: 1 });
    kept.startAt({ epoch, revision: 2 });
    await gone.messages(1);
    await kept.messages(2);
    expect(gone.story).toEqual(['reset 4']);
    expect(kept.story).toEqual(['started 2', 'changes 3 4']);
  });

  describe('of a proxy that has seen a later revision than the database', () => {
    it('starts a new epoch for all proxies', async () => {
      await invalidate(store, [person('person-1')]);
      const { epoch } = await store.position();
      const { service } = await access();
      const [other, recorder] = [beginWatch(service).proxy, beginWatch(service).proxy];
      other.startAt({ epoch, revision: 1 });
      await other.messages(1);
      recorder.startAt({ epoch, revision: 9 });
      await Promise.all([recorder.messages(1), other.messages(2)]);
      expect(recorder.story).toEqual(['reset 2']);
      expect(other.story).toEqual(['started 1', 'reset 2']);
      expect((await store.position()).epoch).not.toBe(epoch);
    });

    it('affects only itself when it is bound to an organization', async () => {
      await invalidate(store, [person('person-1')]);
      const { epoch } = await store.position();
      const { service } = await access();
      const { proxy } = beginWatch(service, boundProxy);
      proxy.startAt({ epoch, revision: 9 });
      await proxy.messages(1);
      expect(proxy.story).toEqual(['reset 1']);
      expect((await store.position()).epoch).toBe(epoch);
    });
  });

  it.each([
    ['earliest', 0, 270_000],
    ['latest', 1, 330_000],
  ])('ends in order after five minutes, at the %s ten percent off', async (_which, random, at) => {
    const { service, time } = await access({ random: () => random });
    const { proxy, done } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    await time.advance(at - 1);
    expect(proxy.ended).toBeUndefined();
    await time.advance(1);
    expect(proxy.ended).toBeNull();
    await done;
  });

  it('is over when the proxy leaves', async () => {
    const { service, feed } = await access();
    const { proxy, done } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    proxy.leave();
    await done;
    await invalidate(store, [person('person-1')]);
    await until(() => feed.position.revision === 1);
    expect(proxy.story).toEqual(['started 0']);
  });

  it('ends as unavailable when the database cannot be read at its start', async () => {
    const failing = {
      ...store,
      positionAgo: () => Promise.reject(new StoreUnavailableError(new Error('cut off'))),
    };
    const { service } = await access({ store: failing });
    const { proxy } = beginWatch(service);
    proxy.start();
    await proxy.untilEnded();
    expect(proxy.ended).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each<[string, (proxy: WatchingProxy) => void]>([
    ['requests a heartbeat before it starts', (proxy) => proxy.ask(1)],
    [
      'starts twice',
      (proxy) => {
        proxy.start();
        proxy.start();
      },
    ],
    ['starts at no position', (proxy) => proxy.startAt({ epoch: 'x', revision: 2 ** 60 })],
    [
      'requests many heartbeats without waiting',
      (proxy) => {
        proxy.start();
        for (let i = 0; i < 20; i++) proxy.ask(i);
      },
    ],
  ])('is refused when the proxy %s', async (_what, misbehave) => {
    const { service } = await access();
    const { proxy, done } = beginWatch(service);
    misbehave(proxy);
    await done;
    expect(proxy.ended).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
