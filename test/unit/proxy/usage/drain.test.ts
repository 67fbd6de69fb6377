import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisUnavailableError } from '../../../../proxy/redis/connection.ts';
import { Random } from '../../../support/access/random.ts';
import {
  FakeStore,
  FakeWindows,
  startUsageProxy,
  type UsageProxy,
  type UsageProxyOptions,
  usageOf,
  usagesOf,
} from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

let time: VirtualTime;
let ledger: FakeWindows;
let store: FakeStore;
const proxies: UsageProxy[] = [];
const dayMs = 86_400_000;

beforeEach(() => {
  time = new VirtualTime();
  ledger = new FakeWindows(time);
  store = new FakeStore(time);
});

afterEach(async () => {
  const closed = Promise.all(proxies.map((proxy) => proxy.close(time.monotonic() + 1)));
  await time.advance(1);
  await closed;
  expect(proxies.splice(0).flatMap((proxy) => proxy.failures)).toEqual([]);
});

function start(options: Partial<UsageProxyOptions> = {}): UsageProxy {
  const random = new Random(proxies.length);
  const proxy = startUsageProxy({
    time,
    client: ledger.client(),
    overflow: store.overflow(),
    random,
    ...options,
  });
  proxies.push(proxy);
  return proxy;
}

/** Fills the overflow like a proxy that ended while the control plane was unreachable. */
async function leave(...batches: readonly ReturnType<typeof usagesOf>[]): Promise<void> {
  const overflow = store.overflow(new Random(3));
  const put = Promise.all(batches.map((events) => overflow.put(events)));
  await time.advance(100);
  expect((await put).flat()).toEqual([]);
}

describe('usage in the overflow', () => {
  it('is reported by any proxy, and removed only afterwards', async () => {
    await leave(usagesOf(10), usagesOf(20, { organizationId: 'organization-2' }));
    const proxy = start();
    await time.advance(15_000);
    expect(ledger.recorded.size).toBe(30);
    expect(store.entries).toEqual([]);
    expect(proxy.counts).toMatchObject({ drained: 30, reported: 0, skipped: 0 });
  });

  it('is found even if it arrives late', async () => {
    start();
    await time.advance(60_000);
    await leave(usagesOf(10));
    await time.advance(20_000);
    expect(ledger.recorded.size).toBe(10);
  });

  it('is reported in few large reports', async () => {
    await leave(...Array.from({ length: 60 }, () => usagesOf(2)));
    start();
    await time.advance(15_000);
    expect(ledger.recorded.size).toBe(120);
    expect(ledger.reports.length).toBeLessThan(30);
  });

  it('stays when its report is not acknowledged', async () => {
    await leave(usagesOf(10));
    ledger.condition = 'deaf';
    start();
    await time.advance(60_000);
    expect(ledger.recorded.size).toBe(10);
    expect(store.events.length).toBe(10);
    ledger.condition = 'up';
    await time.advance(20_000);
    expect(ledger.recorded.size).toBe(10);
    expect(store.entries).toEqual([]);
  });

  it('is searched within a second when the control plane is back', async () => {
    const proxy = start();
    ledger.condition = 'down';
    proxy.record(usageOf());
    await time.advance(40_000);
    await leave(usagesOf(50));
    ledger.condition = 'up';
    proxy.record(usageOf());
    await time.advance(6_500);
    expect(ledger.recorded.size).toBe(52);
  });

  it('is reported once by two concurrent proxies', async () => {
    await leave(...Array.from({ length: 40 }, () => usagesOf(100)));
    const together = { random: new Random(9), overflow: store.overflow() };
    const [first, second] = [start(together), start({ ...together, random: new Random(9) })];
    await time.advance(30_000);
    expect(ledger.recorded.size).toBe(4_000);
    expect(first.counts.drained + second.counts.drained).toBe(4_000);
    expect(ledger.reports.reduce((sum, events) => sum + events, 0)).toBe(4_000);
  });

  it('is taken over from a killed proxy as soon as its lock ends', async () => {
    await leave(...Array.from({ length: 40 }, () => usagesOf(100)));
    const killed = start();
    while (ledger.recorded.size === 0) await time.advance(1);
    killed.kill();
    proxies.splice(0);
    expect(store.entries.length).toBeGreaterThan(0);
    start();
    await time.advance(40_000);
    expect(ledger.recorded.size).toBe(4_000);
    expect(store.entries).toEqual([]);
  });

  it('waits while Redis is unreachable', async () => {
    await leave(usagesOf(10));
    store.condition = 'mute';
    const proxy = start();
    await time.advance(60_000);
    expect(ledger.recorded.size).toBe(0);
    store.condition = 'up';
    await time.advance(20_000);
    expect(ledger.recorded.size).toBe(10);
    expect(proxy.failures).toEqual([]);
  });
});

describe('an entry that cannot be reported', () => {
  it('because it does not open stays, is logged once, and does not block others', async () => {
    await leave(usagesOf(1), usagesOf(2), usagesOf(3), usagesOf(4));
    for (const stream of store.streams) if (stream[0] !== undefined) store.unreadable.add(stream[0].id);
    const unreadable = store.entries.filter(({ id }) => store.unreadable.has(id));
    const proxy = start();
    await time.advance(3 * 600_000);
    await leave(usagesOf(7));
    await time.advance(20_000);
    expect(store.entries).toEqual(unreadable);
    expect(proxy.counts).toMatchObject({ skipped: unreadable.length, lost: 0 });
    expect(ledger.recorded.size).toBe(17 - unreadable.flatMap(({ events }) => events).length);
  });

  it('because one of its events is refused for good stays, while its other events are recorded', async () => {
    const events = usagesOf(100);
    ledger.invalid.add(events[33]?.id ?? '');
    await leave(events, usagesOf(10), usagesOf(10));
    const proxy = start();
    await time.advance(15_000);
    expect(ledger.recorded.size).toBe(119);
    expect(store.entries.map((entry) => entry.events.length)).toEqual([100]);
    expect(proxy.counts).toMatchObject({ drained: 20, skipped: 1, lost: 0 });
  });

  it('because this proxy may not report it stays for another proxy', async () => {
    await leave(...Array.from({ length: 20 }, (_, i) => usagesOf(5, { organizationId: `organization-${i % 2}` })));
    const bound = start({ client: ledger.client('organization-1') });
    await time.advance(1_500);
    expect(ledger.recorded.size).toBe(50);
    expect(bound.counts).toMatchObject({ drained: 50, skipped: 1 });
    // One denial for a group, and one for its first entry alone.
    expect(ledger.denials).toBe(2);
    const reports = ledger.reports.length;
    await time.advance(300_000);
    expect(ledger.reports.length).toBe(reports);
    bound.record(usageOf({ organizationId: 'organization-1' }));
    await time.advance(100);
    expect(bound.counts.reported).toBe(1);
    start();
    await time.advance(15_000);
    expect(ledger.recorded.size).toBe(101);
    expect(store.entries).toEqual([]);
  });

  it('is tried again after ten minutes', async () => {
    await leave(usagesOf(5));
    const [entry] = store.entries;
    store.unreadable.add(entry?.id ?? '');
    start();
    await time.advance(15_000);
    store.unreadable.clear();
    await time.advance(300_000);
    expect(ledger.recorded.size).toBe(0);
    await time.advance(320_000);
    expect(ledger.recorded.size).toBe(5);
  });

  it('is logged and removed when it is older than the control plane accepts', async () => {
    const events = usagesOf(3);
    for (const { id } of events) ledger.invalid.add(id);
    await leave(events);
    time.wallOffset += 40 * dayMs - 60_000;
    const proxy = start();
    await time.advance(30_000);
    expect(store.events.length).toBe(3);
    await time.advance(700_000);
    expect(store.entries).toEqual([]);
    expect(proxy.counts.lost).toBe(3);
    expect(proxy.lines.at(-1)).toMatchObject({
      level: 'error',
      events: 3,
      organization_id: 'organization-1',
    });
  });
});

describe('the pending charge of usage in the overflow', () => {
  const escrow = 1_500_000;
  const escrowOf = (proxy: UsageProxy) => proxy.elsewhere('session-1').map(({ amount }) => amount / escrow);

  /** Makes the proxy put its usage into the overflow as two entries. @returns the proxy, with the control plane back */
  async function overflowed(events: readonly [number, number], options: Partial<UsageProxyOptions> = {}) {
    const proxy = start(options);
    ledger.condition = 'down';
    for (const [index, count] of events.entries())
      for (const event of usagesOf(count, { organizationId: `organization-${index + 1}` })) proxy.record(event);
    await time.advance(30_000);
    expect(store.events.length).toBe(events[0] + events[1]);
    expect(escrowOf(proxy)).toEqual([events[0] + events[1]]);
    ledger.condition = 'up';
    return proxy;
  }

  const entryOf = (organizationId: string) => store.entries.find((entry) => entry.organizationId === organizationId);

  it('is deducted by the proxy that put it there, once it is reported and removed', async () => {
    const proxy = await overflowed([10, 10]);
    store.unreadable.add(entryOf('organization-2')?.id ?? '');
    await time.advance(20_000);
    expect(ledger.recorded.size).toBe(10);
    expect(escrowOf(proxy)).toEqual([10]);
  });

  it('is not deducted each time that an entry with a refused event is reported again', async () => {
    const proxy = await overflowed([10, 10]);
    ledger.invalid.add(entryOf('organization-1')?.events[3]?.id ?? '');
    store.unreadable.add(entryOf('organization-2')?.id ?? '');
    await time.advance(4 * 600_000);
    expect(ledger.recorded.size).toBe(9);
    expect(store.events.length).toBe(20);
    expect(escrowOf(proxy)).toEqual([20]);
  });

  it('is deducted once when the entry could not be removed and was reported again', async () => {
    const overflow = store.overflow();
    let failures = 2;
    const remove: typeof overflow.remove = async (shard, entries) => {
      if (failures-- > 0) throw new RedisUnavailableError('Redis is not there');
      await overflow.remove(shard, entries);
    };
    const proxy = await overflowed([10, 10], { overflow: { ...overflow, remove } });
    store.unreadable.add(entryOf('organization-2')?.id ?? '');
    await time.advance(60_000);
    expect(ledger.reports.filter((events) => events === 10).length).toBeGreaterThanOrEqual(3);
    expect(store.events.length).toBe(10);
    expect(escrowOf(proxy)).toEqual([10]);
  });

  it('is deducted once when the entry was written several times because its acknowledgement was lost', async () => {
    store.condition = 'deaf';
    const proxy = start();
    ledger.condition = 'down';
    for (const event of usagesOf(10)) proxy.record(event);
    await time.advance(8_000);
    store.condition = 'up';
    await time.advance(2_000);
    expect(store.entries.length).toBeGreaterThan(1);
    expect(escrowOf(proxy)).toEqual([10]);
    const copies = store.entries.map(({ id }) => id);
    for (const event of usagesOf(10, { organizationId: 'organization-2' })) proxy.record(event);
    await time.advance(8_000);
    for (const { id } of store.entries) if (!copies.includes(id)) store.unreadable.add(id);
    expect(escrowOf(proxy)).toEqual([20]);
    ledger.condition = 'up';
    await time.advance(20_000);
    expect([ledger.recorded.size, store.events.length]).toEqual([10, 10]);
    expect(escrowOf(proxy)).toEqual([10]);
  });

  it('is not deducted for usage that was reported from memory and is also in Redis', async () => {
    const proxy = start();
    ledger.condition = 'down';
    for (const event of usagesOf(10, { organizationId: 'organization-2' })) proxy.record(event);
    await time.advance(10_000);
    for (const { id } of store.entries) store.unreadable.add(id);
    store.condition = 'deaf';
    for (const event of usagesOf(10)) proxy.record(event);
    await time.advance(7_000);
    ledger.condition = 'up';
    await time.advance(6_000);
    expect(ledger.recorded.size).toBe(10);
    expect(proxy.counts).toMatchObject({ reported: 10 });
    store.condition = 'up';
    await time.advance(20_000);
    expect(store.events.length).toBe(10);
    expect(escrowOf(proxy)).toEqual([10]);
  });
});
