import { beforeEach, describe, expect, it } from 'vitest';
import { DatabaseClock } from '../../../../proxy/budgets/database-clock.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

let time: VirtualTime;
let clock: DatabaseClock;
/** The database's clock minus the proxy's clock. */
let aheadMs: number;

beforeEach(() => {
  time = new VirtualTime();
  clock = new DatabaseClock(time);
  aheadMs = 0;
});

const shown = () => clock.at(time.monotonic()) - time.now();

/** A call with these durations of the request and of the response. */
async function call(thereMs: number, backMs: number, take: 'update' | 'correct' = 'update'): Promise<void> {
  const sentAt = time.monotonic();
  await time.advance(thereMs);
  const parsed = time.now() + aheadMs;
  await time.advance(backMs);
  clock[take](parsed, sentAt);
}

describe('the estimate of the database’s clock', () => {
  it('is the system clock before the first response', () => {
    expect(shown()).toBe(0);
    time.wallOffset -= 5_000;
    expect(shown()).toBe(0);
  });

  it('assumes that the response took half of the round trip', async () => {
    aheadMs = 70_000;
    await call(10, 10);
    expect(shown()).toBe(70_000);
    await time.advance(10_000);
    expect(shown()).toBe(70_000);
  });

  it('keeps the response with the shortest round trip', async () => {
    aheadMs = 1_000;
    await call(2, 2);
    await call(800, 0);
    expect(shown()).toBe(1_000);
    await call(0, 800);
    expect(shown()).toBe(1_000);
  });

  it('accepts a slower response once the best one is old, because clocks drift', async () => {
    await call(1, 1);
    aheadMs = 15;
    await call(20, 20);
    expect(shown()).toBe(0);
    await time.advance(60_000);
    await call(20, 20);
    expect(shown()).toBe(15);
  });

  it('does not run backwards for a better response', async () => {
    await call(0, 100);
    const before = clock.at(time.monotonic());
    clock.update(before - 40, time.monotonic());
    expect(clock.at(time.monotonic())).toBe(before);
    await time.advance(100);
    expect(clock.at(time.monotonic())).toBe(before + 60);
  });

  it.each([60_000, -60_000])('follows a clock that was set by %i ms', async (setMs) => {
    await call(2, 2);
    aheadMs = setMs;
    await call(5, 5);
    expect(shown()).toBe(setMs);
  });

  it('runs backwards when a response shows that it was wrong', async () => {
    await call(2, 2);
    aheadMs = -300;
    await call(5, 5, 'correct');
    expect(shown()).toBe(-300);
  });
});
