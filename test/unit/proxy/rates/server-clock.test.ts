import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../../proxy/rates/timed-scripts.ts';

const at = (requested: number, read = requested) => ({ requested, read });

describe('the time of the Redis server', () => {
  it('is unknown before the first response', () => {
    expect(new ServerClock().timeAt(5_000)).toBe(0);
  });

  it('continues after a response, and is forgotten after a minute', () => {
    const clock = new ServerClock();
    clock.update(1_000_000, at(10));
    expect(clock.timeAt(60)).toBe(1_000_050);
    expect(clock.timeAt(60_010)).toBe(1_060_000);
    expect(clock.timeAt(60_011)).toBe(0);
  });

  it('is not set back by responses that waited to be read', () => {
    const clock = new ServerClock();
    clock.update(1_000_000, at(0, 900));
    expect(clock.timeAt(900)).toBe(1_000_900);
    clock.update(1_001_000, at(1_000, 1_300));
    expect(clock.timeAt(1_300)).toBe(1_001_300);
  });

  it('is ahead by at most the duration of the fastest call', () => {
    const clock = new ServerClock();
    clock.update(1_000_040, at(0, 41));
    expect(clock.timeAt(41)).toBe(1_000_081);
    clock.update(1_000_102, at(100, 103));
    expect(clock.timeAt(103)).toBe(1_000_105);
    clock.update(1_000_230, at(200, 231));
    expect(clock.timeAt(231)).toBe(1_000_233);
  });

  it('follows a server whose clock drifts, is set ahead or is set back', () => {
    const clock = new ServerClock();
    clock.update(1_000_000, at(0));
    for (let s = 1; s <= 1_000; s++) clock.update(1_000_000 + s * 999.5, at(s * 1_000));
    expect(Math.abs(clock.timeAt(1_000_000) - 1_999_500)).toBeLessThanOrEqual(1);
    for (let s = 1; s <= 1_000; s++) clock.update(1_999_500 + s * 1000.5, at(1_000_000 + s * 1_000));
    expect(Math.abs(clock.timeAt(2_000_000) - 3_000_000)).toBeLessThanOrEqual(1);
    clock.update(9_000_000, at(2_000_001));
    expect(clock.timeAt(2_000_001)).toBe(9_000_000);
    clock.update(4_000_000, at(2_000_002));
    expect(clock.timeAt(2_000_002)).toBe(4_000_000);
  });
});
