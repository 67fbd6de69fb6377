// How a usage queue handles its last events when its proxy ends.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('closing the usage queue', () => {
  const soon = () => time.monotonic() + 10_000;

  it('reports remaining events at once', async () => {
    const proxy = start();
    recordAll(proxy, usagesOf(1_500));
    const closed = proxy.close(soon());
    expect(proxy.hasRoom).toBe(false);
    await time.advance(5);
    await closed;
    expect(ledger.recorded.size).toBe(1_500);
    expect(store.entries).toEqual([]);
    expect(proxy.counts.lost).toBe(0);
  });

  it('ends at once when no events remain', async () => {
    await start().close(soon());
    expect(ledger.reports).toEqual([]);
  });

  it('puts events into Redis that a mute control plane does not acknowledge in time, including reports under way', async () => {
    const proxy = start();
    ledger.condition = 'mute';
    recordAll(proxy, usagesOf(5_000));
    await time.advance(20);
    const closed = proxy.close(time.monotonic() + 900);
    await time.advance(900);
    await closed;
    expect(store.events.length).toBe(5_000);
    expect(proxy.gauges.events).toBe(0);
    expect(proxy.counts).toMatchObject({ overflowed: 5_000, lost: 0 });
  });

  it('needs only Redis when the control plane is known to be unreachable', async () => {
    const proxy = start();
    await goAway(proxy);
    recordAll(proxy, usagesOf(10));
    const before = time.monotonic();
    const closed = proxy.close(before + 60_000).then(() => time.monotonic() - before);
    await time.advance(2_000);
    expect(await Promise.race([closed, 'still open'])).toBeLessThan(2_000);
    expect(store.events.length).toBe(11);
  });

  it('waits for a control plane that comes back', async () => {
    const proxy = start({ overflow: undefined });
    await goAway(proxy);
    recordAll(proxy, usagesOf(10));
    const closed = proxy.close(time.monotonic() + 60_000);
    await time.advance(30_000);
    ledger.condition = 'up';
    await time.advance(5_005);
    await closed;
    expect(ledger.recorded.size).toBe(11);
    expect(proxy.counts.lost).toBe(0);
  });

  it('logs unsaved events as lost, with their number and cost', async () => {
    store.condition = 'down';
    const proxy = start();
    await goAway(proxy);
    recordAll(proxy, usagesOf(999));
    const closed = proxy.close(time.monotonic() + 3_000);
    await time.advance(3_000);
    await closed;
    expect(proxy.counts.lost).toBe(1_000);
    expect(proxy.lines.at(-1)).toMatchObject({ level: 'error', events: 1_000, cost_usd: '1.5' });
    const reports = ledger.reports.length;
    await time.advance(60_000);
    expect(ledger.reports.length).toBe(reports);
  });

  it('accepts events of requests that end while it closes, and logs later ones as lost', async () => {
    const proxy = start();
    recordAll(proxy, usagesOf(1));
    const closed = proxy.close(soon());
    await time.advance(2);
    proxy.record(usageOf());
    await time.advance(10);
    await closed;
    expect(ledger.recorded.size).toBe(2);
    proxy.record(usageOf());
    expect(proxy.counts.lost).toBe(1);
    expect(proxy.lines.at(-1)).toMatchObject({ events: 1, cost_usd: '0.0015' });
  });
});
