import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOf } from '../../../../proxy/usage/batch.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { type UsageProxy, usageOf, usageScene, usagesOf } from '../../../support/usage-queue.ts';

let { ledger, goAway, proxies, start, store, time } = usageScene();

beforeEach(() => {
  ({ ledger, goAway, proxies, start, store, time } = usageScene());
});

afterEach(() => {
  expect(proxies.flatMap((proxy) => proxy.failures)).toEqual([]);
});

function recordAll(proxy: UsageProxy, events: readonly UsageEvent[]): void {
  for (const event of events) proxy.record(event);
}

const logged = (proxy: UsageProxy) => proxy.lines.map(({ msg }) => msg);

describe('usage while the control plane is reachable', () => {
  it('is reported together after 20 ms and leaves memory when it is acknowledged', async () => {
    const proxy = start();
    recordAll(proxy, usagesOf(3));
    await time.advance(19);
    expect(ledger.reports).toEqual([]);
    await time.advance(1);
    expect(ledger.reports).toEqual([3]);
    expect(proxy.gauges.events).toBe(3);
    await time.advance(5);
    expect(proxy.gauges).toMatchObject({ events: 0, bytes: 0, oldestMs: 0 });
    expect(proxy.counts).toMatchObject({ reported: 3, overflowed: 0, lost: 0 });
  });

  it('is not reported synchronously when it is recorded', async () => {
    const proxy = start();
    recordAll(proxy, usagesOf(2_500));
    expect(ledger.reports).toEqual([]);
    await time.advance(0);
    expect(ledger.reports).toEqual([1_000, 1_000]);
    await time.advance(20);
    expect(ledger.reports).toEqual([1_000, 1_000, 500]);
  });

  it('is sent in at most three reports at a time, and further events are collected meanwhile', async () => {
    const proxy = start({ overflow: undefined });
    ledger.condition = 'mute';
    for (let i = 0; i < 40; i++) {
      recordAll(proxy, usagesOf(10));
      await time.advance(20);
    }
    expect(ledger.reports).toEqual([10, 10, 10]);
    ledger.condition = 'up';
    await time.advance(5_000);
    expect(ledger.mostUnderWay).toBe(3);
    expect(ledger.recorded.size).toBe(400);
    expect(ledger.reports.length).toBeLessThan(12);
  });

  it('fills a report by its bytes as well', async () => {
    const proxy = start();
    const big = usagesOf(20, { requestId: 'r'.repeat(100_000) });
    recordAll(proxy, big);
    await time.advance(50);
    expect(ledger.recorded.size).toBe(20);
    expect(Math.max(...ledger.reports)).toBe(11);
  });

  it('is sent again unchanged after a failure, after growing delays', async () => {
    const proxy = start({ overflow: undefined });
    ledger.condition = 'down';
    recordAll(proxy, usagesOf(4));
    await time.advance(60_000);
    expect(new Set(ledger.reports)).toEqual(new Set([4]));
    expect(ledger.reports.length).toBeGreaterThan(10);
    expect(ledger.reports.length).toBeLessThan(30);
    ledger.condition = 'up';
    await time.advance(5_005);
    expect(ledger.recorded.size).toBe(4);
    expect(proxy.gauges.events).toBe(0);
    expect(logged(proxy)).toEqual(['usage cannot be reported; it is kept until it can', 'usage is reported again']);
  });

  it('is sent in one report at a time while the control plane is unreachable', async () => {
    const proxy = start({ overflow: undefined });
    ledger.condition = 'mute';
    recordAll(proxy, usagesOf(5_000));
    await time.advance(1_100);
    expect(ledger.mostUnderWay).toBe(3);
    ledger.mostUnderWay = 0;
    await time.advance(10_000);
    expect(ledger.mostUnderWay).toBe(1);
  });

  it('is recorded once in the ledger when its acknowledgement was lost', async () => {
    const proxy = start({ overflow: undefined });
    ledger.condition = 'deaf';
    recordAll(proxy, usagesOf(2));
    await time.advance(1_025);
    expect(proxy.gauges.events).toBe(2);
    ledger.condition = 'up';
    await time.advance(1_000);
    expect(proxy.gauges.events).toBe(0);
    expect(ledger.recorded.size).toBe(2);
    expect(proxy.counts.reported).toBe(2);
  });

  it('has a gauge of how long the oldest event has waited', async () => {
    const proxy = start({ overflow: undefined });
    ledger.condition = 'down';
    proxy.record(usageOf());
    await time.advance(3_000);
    proxy.record(usageOf());
    expect(proxy.gauges.oldestMs).toBe(3_000);
  });
});

describe('the memory limit of usage', () => {
  const one = usageOf();

  it('stops new requests from the byte at which it is reached, and drops no event that still arrives', async () => {
    const proxy = start({ overflow: undefined, memoryBytesMax: 3 * bytesOf(one) });
    ledger.condition = 'down';
    recordAll(proxy, [one, usageOf()]);
    expect(proxy.hasRoom).toBe(true);
    proxy.record(usageOf());
    expect(proxy.hasRoom).toBe(false);
    recordAll(proxy, usagesOf(5));
    await time.advance(10_000);
    expect(proxy.hasRoom).toBe(false);
    expect(proxy.gauges.events).toBe(8);
    ledger.condition = 'up';
    await time.advance(6_000);
    expect(proxy.hasRoom).toBe(true);
    expect(ledger.recorded.size).toBe(8);
    expect(proxy.gauges.bytes).toBe(0);
  });

  it('counts the fields of an event', () => {
    const longer = usageOf({ requestId: 'request-1 and more', personId: 'person' });
    expect(bytesOf(longer) - bytesOf(one)).toBe(' and more'.length + 'person'.length);
    expect(bytesOf(usageOf({ charges: [] }))).toBeLessThan(bytesOf(one));
  });

  it('is no longer exceeded once events are in the overflow', async () => {
    const proxy = start({ memoryBytesMax: 3 * bytesOf(one) });
    await goAway(proxy);
    recordAll(proxy, usagesOf(5));
    expect(proxy.hasRoom).toBe(false);
    await time.advance(6_000);
    expect(proxy.hasRoom).toBe(true);
    expect(store.events.length).toBe(6);
  });

  it('is not reached when the control plane is slow: beyond half of it, usage is put into the overflow', async () => {
    const proxy = start({ memoryBytesMax: 20 * bytesOf(one) });
    ledger.condition = 'mute';
    for (let i = 0; i < 15; i++) {
      recordAll(proxy, usagesOf(2));
      await time.advance(20);
      expect(proxy.hasRoom).toBe(true);
    }
    expect(store.events.length).toBeGreaterThanOrEqual(20);
    expect(proxy.counts.lost).toBe(0);
  });

  it('is reached when the overflow is full, and no longer when that has room again', async () => {
    store.entriesMax = 0;
    const proxy = start({ memoryBytesMax: 3 * bytesOf(one) });
    await goAway(proxy);
    recordAll(proxy, usagesOf(5));
    await time.advance(20_000);
    expect(proxy.hasRoom).toBe(false);
    store.entriesMax = 10;
    await time.advance(1_000);
    expect(proxy.hasRoom).toBe(true);
    expect(store.events.length).toBe(6);
    expect(proxy.counts.lost).toBe(0);
  });
});

describe('an event that is refused for good', () => {
  it('is found by halving, logged and lost, while the others are recorded', async () => {
    const proxy = start();
    const events = usagesOf(1_000);
    const bad = [events[0], events[499], events[999]].filter((event) => event !== undefined);
    for (const { id } of bad) ledger.invalid.add(id);
    recordAll(proxy, events);
    await time.advance(1_000);
    expect(ledger.recorded.size).toBe(997);
    expect(proxy.gauges.events).toBe(0);
    expect(proxy.counts).toMatchObject({ reported: 997, lost: 3 });
    expect(proxy.lines.map((line) => line.event_id).toSorted()).toEqual(bad.map(({ id }) => id).toSorted());
    expect(proxy.lines[0]).toMatchObject({
      level: 'error',
      cost_usd: '0.0015',
      organization_id: 'organization-1',
    });
    expect(ledger.reports.length).toBeLessThan(70);
  });

  it('loses no other event, even if the control plane fails during the search', async () => {
    const proxy = start();
    const events = usagesOf(64);
    const bad = events[20] ?? usageOf();
    ledger.invalid.add(bad.id);
    recordAll(proxy, events);
    await time.advance(32);
    ledger.condition = 'down';
    await time.advance(400);
    ledger.condition = 'up';
    await time.advance(5_000);
    expect(ledger.recorded.size).toBe(63);
    expect(proxy.counts).toMatchObject({ reported: 63, lost: 1 });
    expect(proxy.gauges.events).toBe(0);
  });

  it('is not one that only this proxy may not report, which is kept', async () => {
    const proxy = start({ client: ledger.client('organization-2'), overflow: undefined });
    recordAll(proxy, usagesOf(3));
    await time.advance(60_000);
    expect(proxy.gauges.events).toBe(3);
    expect(proxy.counts.lost).toBe(0);
  });
});

describe('usage while the control plane is unreachable', () => {
  it('is moved from memory to the overflow, by organization', async () => {
    const proxy = start();
    await goAway(proxy);
    recordAll(proxy, [...usagesOf(600), ...usagesOf(400, { organizationId: 'organization-2' })]);
    await time.advance(100);
    const stored = store.entries.map((entry) => [entry.organizationId, entry.events.length]);
    expect(stored).toContainEqual(['organization-2', 400]);
    expect(stored).toContainEqual(['organization-1', 600]);
    expect(proxy.gauges.events).toBe(0);
    expect(ledger.recorded.size).toBe(0);
  });

  it('waits five seconds for a full batch', async () => {
    const proxy = start();
    await goAway(proxy);
    const before = store.entries.length;
    recordAll(proxy, usagesOf(3));
    await time.advance(4_000);
    expect(store.entries.length).toBe(before);
    recordAll(proxy, usagesOf(3));
    await time.advance(1_100);
    expect(store.entries.map((entry) => entry.events.length)).toContain(6);
  });

  it('is not moved to the overflow after a single failure', async () => {
    const proxy = start();
    ledger.condition = 'down';
    recordAll(proxy, usagesOf(3));
    await time.advance(60);
    ledger.condition = 'up';
    await time.advance(1_000);
    expect(proxy.counts).toMatchObject({ reported: 3, overflowed: 0 });
  });

  it('is moved to the overflow after the first report without a response', async () => {
    const proxy = start();
    ledger.condition = 'mute';
    recordAll(proxy, usagesOf(3));
    await time.advance(1_019);
    expect(proxy.gauges.events).toBe(3);
    await time.advance(10);
    expect(store.events.length).toBe(3);
    expect(proxy.gauges.events).toBe(0);
  });

  it.each(['down', 'mute', 'deaf'] as const)('stays in memory when Redis is %s too', async (condition) => {
    store.condition = condition;
    const proxy = start();
    await goAway(proxy);
    recordAll(proxy, usagesOf(2_000));
    await time.advance(60_000);
    expect(proxy.gauges.events).toBe(2_001);
    ledger.condition = 'up';
    store.condition = 'up';
    await time.advance(30_000);
    expect(ledger.recorded.size).toBe(2_001);
    expect(proxy.gauges.events).toBe(0);
    expect(store.entries).toEqual([]);
  });

  it('for an hour arrives completely when it is back, each event once', async () => {
    const proxy = start();
    await goAway(proxy);
    for (let minute = 0; minute < 60; minute++) {
      recordAll(proxy, usagesOf(300));
      await time.advance(60_000);
    }
    expect(proxy.gauges.events).toBeLessThan(300);
    ledger.condition = 'up';
    await time.advance(60_000);
    expect(ledger.recorded.size).toBe(18_001);
    expect(store.entries).toEqual([]);
    expect(proxy.counts.lost).toBe(0);
  });
});
