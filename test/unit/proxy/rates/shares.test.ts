// One proxy's share of a limit while Redis is silent: from its last standing, from its own minute without one, and never twice.
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { RateLimit, Standing } from '../../../../proxy/rates/rates.ts';
import { admit, newPlaces, newRequests, newTokens, take } from '../../../support/rates.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

let time: VirtualTime;
let proxies: number;
let rates: LocalRates;

beforeEach(() => {
  time = new VirtualTime();
  proxies = 3;
  rates = new LocalRates({ clock: time, onTake: () => undefined, proxies: () => proxies });
});

const standing = (remaining: number): Standing => ({ opensInMs: 0, remaining, resetsInMs: 60_000 });
const hear = (limit: RateLimit, remaining: number, isAdmitted = false) =>
  rates.hear([limit], [standing(remaining)], isAdmitted);

/** As many as are let in now. */
async function admitted(limit: RateLimit, tokens = 0): Promise<number> {
  for (let count = 0; ; count++) if ((await take(rates, [limit], tokens)).hold === undefined) return count;
}

describe('requests a minute', () => {
  it('are a share of what the last standing left', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10);
  });

  it('are that share for a minute, however often Redis is not heard', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10);
    await time.advance(59_000);
    expect(await admitted(limit)).toBe(0);
    const { standings } = await take(rates, [limit]);
    expect(standings[0]).toMatchObject({ opensInMs: 1_000, remaining: 0 });
  });

  it('are a share of the limit, less what this proxy let in, once that standing is over', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    await time.advance(30_000);
    expect(await admitted(limit)).toBe(10);
    await time.advance(30_000);
    expect(await admitted(limit)).toBe(20 - 10);
    await time.advance(61_000);
    expect(await admitted(limit)).toBe(20);
  });

  it('count what Redis has let in of this proxy', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 15; nth++) hear(limit, 59 - nth, true);
    await time.advance(60_000);
    expect(await admitted(limit)).toBe(20 - 15);
  });

  it('are a share of the limit where Redis was never heard', async () => {
    expect(await admitted(newRequests(60))).toBe(20);
  });

  it('are at least one', async () => {
    proxies = 50;
    const limit = newRequests(10);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(1);
    expect(await admitted(newRequests(10))).toBe(1);
  });

  it('are none of a limit of none', async () => {
    const limit = newRequests(0);
    expect(await admitted(limit)).toBe(0);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(0);
  });

  it('that were let in alone are told, and count no more once Redis knows of them', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    const report = rates.report([limit]);
    expect(report.counts).toMatchObject([{ limit, count: 4 }]);
    report.end(true);
    expect(rates.report([limit]).counts).toEqual([]);
    hear(limit, 24);
    expect(await admitted(limit)).toBe(8);
  });

  it('that a standing does not know of yet count against it', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 4);
  });
});

describe('tokens a minute', () => {
  it('are a share of what the last standing left, and come back at its share of the pace', async () => {
    const limit = newTokens(6_000);
    hear(limit, 3_000);
    expect(await admitted(limit, 100)).toBe(10);
    await time.advance(6_000);
    expect(await admitted(limit, 100)).toBe(2);
  });

  it('are let in where nothing is used, though one request is more than the share', async () => {
    const limit = newTokens(6_000);
    expect(await admitted(limit, 5_000)).toBe(1);
    await time.advance(149_000);
    expect(await admitted(limit, 5_000)).toBe(0);
    await time.advance(2_000);
    expect(await admitted(limit, 5_000)).toBe(1);
  });

  it('are told as they were used', async () => {
    const limit = newTokens(6_000);
    (await admit(rates, [limit], 500)).settle(200);
    await admit(rates, [limit], 100);
    expect(rates.report([limit]).counts).toMatchObject([{ limit, count: 300 }]);
  });
});

describe('what is reported', () => {
  const counts = (limit: RateLimit) => {
    const report = rates.report([limit]);
    return { end: report.end, sum: report.counts.map(({ count }) => count) };
  };

  it('is in one report at a time, with what was let in since in the next', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    const first = counts(limit);
    expect([first.sum, counts(limit).sum]).toEqual([[4], []]);
    await admit(rates, [limit]);
    const second = counts(limit);
    expect(second.sum).toEqual([1]);
    first.end(false);
    const third = counts(limit);
    expect(third.sum, 'the first was not heard').toEqual([4]);
    for (const { end } of [second, third]) end(true);
    expect(counts(limit).sum).toEqual([]);
  });

  it('counts against a standing until it is known to have been heard', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    const { end } = counts(limit);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 4);
    end(true);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 6);
  });

  it('is taken back in another report where the tokens of a request under way were not used', async () => {
    const limit = newTokens(6_000);
    const hold = await admit(rates, [limit], 500);
    const first = counts(limit);
    hold.settle(200);
    const second = counts(limit);
    expect([first.sum, second.sum]).toEqual([[500], [-300]]);
    first.end(false);
    second.end(true);
    expect(counts(limit).sum).toEqual([500]);
  });

  it('of a limit that was forgotten meanwhile is not taken from a newer count of it', async () => {
    const few = new LocalRates({
      clock: time,
      onTake: () => undefined,
      limitsMax: 1,
      proxies: () => proxies,
    });
    const limit = newTokens(6_000);
    await admit(few, [limit], 500);
    const report = few.report([limit]);
    await admit(few, [newTokens(10)], 1);
    report.end(true);
    expect(few.report([limit]).counts).toEqual([]);
  });
});

describe('requests at a time', () => {
  it('are those of this proxy, and nothing of them is told', async () => {
    const limit = newPlaces(2);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(2);
    expect(rates.report([limit]).counts).toEqual([]);
  });
});

it('a request takes its part of all limits or of none', async () => {
  const [small, large] = [newRequests(3), newRequests(60)];
  hear(small, 3);
  hear(large, 60);
  expect((await take(rates, [large, small])).hold).toBeDefined();
  expect((await take(rates, [large, small])).hold).toBeUndefined();
  expect(rates.report([large, small]).counts.map(({ count }) => count)).toEqual([1, 1]);
});
