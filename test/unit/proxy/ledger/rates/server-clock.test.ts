import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../../../proxy/ledger/rates/server-clock.ts';

describe("the server's time", () => {
  it('is none before it was told', () => {
    expect(new ServerClock().timeAt(5_000)).toBe(0);
  });

  it('goes on from what was told', () => {
    const clock = new ServerClock();
    clock.told(1_000_000, 10);
    expect(clock.timeAt(60)).toBe(1_000_050);
  });

  it('is not put back by an answer that waited to be read', () => {
    const clock = new ServerClock();
    clock.told(1_000_000, 0);
    clock.told(1_000_100, 900);
    expect(clock.timeAt(900)).toBe(1_000_899);
  });

  it('follows a server that drifts, one that is set ahead and one that is set back', () => {
    const clock = new ServerClock();
    clock.told(1_000_000, 0);
    for (let s = 1; s <= 1_000; s++) clock.told(1_000_000 + s * 999.5, s * 1_000);
    expect(Math.abs(clock.timeAt(1_000_000) - 1_999_500)).toBeLessThanOrEqual(1);
    clock.told(9_000_000, 1_000_001);
    expect(clock.timeAt(1_000_001)).toBe(9_000_000);
    clock.told(3_000_000, 1_000_002);
    expect(clock.timeAt(1_000_002)).toBe(3_000_000);
  });
});
