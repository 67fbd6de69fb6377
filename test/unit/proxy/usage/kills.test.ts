// A proxy is killed at each point of a run in which its usage takes every possible way.
import { expect, it } from 'vitest';
import { type Condition, FakeStore, FakeWindows, startUsageProxy, usagesOf } from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

/**
 * One report, then an unreachable control plane, the overflow, and its drain. @returns how many events were recorded
 */
async function liveUntil(ms: number): Promise<number> {
  const time = new VirtualTime();
  const ledger = new FakeWindows(time);
  const store = new FakeStore(time);
  const start = () => startUsageProxy({ time, client: ledger.client(), overflow: store.overflow() });
  const proxy = start();
  const events = [...usagesOf(2), ...usagesOf(2, { organizationId: 'organization-2' })];
  const record = (from: number, to: number) => () => events.slice(from, to).map(proxy.record);
  const become = (condition: Condition) => () => {
    ledger.condition = condition;
  };
  const plan: readonly (readonly [number, () => void])[] = [
    [0, record(0, 2)],
    [30, record(2, 4)],
    [50, become('down')],
    [900, become('up')],
  ];
  let now = 0;
  for (const [at, act] of plan.filter(([at]) => at <= ms)) {
    await time.advance(at - now);
    now = at;
    act();
  }
  await time.advance(ms - now);
  proxy.kill();
  const stored = new Set(store.events.map(({ id }) => id));
  const isSafe = (event: (typeof events)[number]) => ledger.has(event) || stored.has(event.id);
  const known = ms < 30 ? events.slice(0, 2) : events;
  const safe = known.filter(isSafe);
  expect(known.length - safe.length).toBeLessThanOrEqual(proxy.gauges.events);
  ledger.condition = 'up';
  start();
  await time.advance(30_000);
  expect(safe.filter((event) => !ledger.has(event))).toEqual([]);
  expect(store.entries).toEqual([]);
  return ledger.recorded.size;
}

it('a killed proxy loses only unacknowledged usage', async () => {
  const recorded = new Set<number>();
  for (let ms = 0; ms < 1_500; ms += ms < 70 ? 1 : 7) recorded.add(await liveUntil(ms));
  expect([...recorded].toSorted()).toEqual([0, 2, 4]);
});
