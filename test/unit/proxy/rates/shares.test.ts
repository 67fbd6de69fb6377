// One proxy's share of a limit while Redis fails: from the last standing, else from the proxy's own last minute, and
// never twice.
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { RateLimit, Standing } from '../../../../proxy/rates/rates.ts';
import { admit, newRequests, newSlotLimit, newTokens, take } from '../../../support/rates.ts';
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

/** The number of requests that are admitted now. */
async function admitted(limit: RateLimit, tokens = 0): Promise<number> {
  for (let count = 0; ; count++) if ((await take(rates, [limit], tokens)).reservation === undefined) return count;
}

describe('a proxy’s share of requests per minute', () => {
  it('is a part of what the last standing left', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10);
  });

  it('applies for a minute, however often Redis fails', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10);
    await time.advance(59_000);
    expect(await admitted(limit)).toBe(0);
    const { standings } = await take(rates, [limit]);
    expect(standings[0]).toMatchObject({ opensInMs: 1_000, remaining: 0 });
  });

  it('is a part of the limit, minus this proxy’s own requests, once the standing is over', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    await time.advance(30_000);
    expect(await admitted(limit)).toBe(10);
    await time.advance(30_000);
    expect(await admitted(limit)).toBe(20 - 10);
    await time.advance(61_000);
    expect(await admitted(limit)).toBe(20);
  });

  it('includes this proxy’s requests that Redis has admitted', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 15; nth++) hear(limit, 59 - nth, true);
    await time.advance(60_000);
    expect(await admitted(limit)).toBe(20 - 15);
  });

  it('is a part of the limit when Redis never responded', async () => {
    expect(await admitted(newRequests(60))).toBe(20);
  });

  it('is at least one request', async () => {
    proxies = 50;
    const limit = newRequests(10);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(1);
    expect(await admitted(newRequests(10))).toBe(1);
  });

  it('is nothing for a limit of 0', async () => {
    const limit = newRequests(0);
    expect(await admitted(limit)).toBe(0);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(0);
  });

  it('requests admitted without Redis are reported, and count no longer once Redis includes them', async () => {
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

  it('requests that a standing does not include yet are subtracted from it', async () => {
    const limit = newRequests(60);
    hear(limit, 30);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 4);
  });
});

describe('a proxy’s share of tokens per minute', () => {
  it('is a part of what the last standing left, and refills at the proxy’s part of the pace', async () => {
    const limit = newTokens(6_000);
    hear(limit, 3_000);
    expect(await admitted(limit, 100)).toBe(10);
    await time.advance(6_000);
    expect(await admitted(limit, 100)).toBe(2);
  });

  it('admits a request larger than the share when nothing is used', async () => {
    const limit = newTokens(6_000);
    expect(await admitted(limit, 5_000)).toBe(1);
    await time.advance(149_000);
    expect(await admitted(limit, 5_000)).toBe(0);
    await time.advance(2_000);
    expect(await admitted(limit, 5_000)).toBe(1);
  });

  it('is reported with the tokens that were used', async () => {
    const limit = newTokens(6_000);
    (await admit(rates, [limit], 500)).settle(200);
    await admit(rates, [limit], 100);
    expect(rates.report([limit]).counts).toMatchObject([{ limit, count: 300 }]);
  });
});

describe('a report of requests admitted without Redis', () => {
  const counts = (limit: RateLimit) => {
    const report = rates.report([limit]);
    return { end: report.end, sum: report.counts.map(({ count }) => count) };
  };

  it('contains everything since the previous one, which is repeated if it failed', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    const first = counts(limit);
    expect([first.sum, counts(limit).sum]).toEqual([[4], []]);
    await admit(rates, [limit]);
    const second = counts(limit);
    expect(second.sum).toEqual([1]);
    first.end(false);
    const third = counts(limit);
    expect(third.sum, 'the first was not acknowledged').toEqual([4]);
    for (const { end } of [second, third]) end(true);
    expect(counts(limit).sum).toEqual([]);
  });

  it('counts against a standing until it is acknowledged', async () => {
    const limit = newRequests(60);
    for (let nth = 0; nth < 4; nth++) await admit(rates, [limit]);
    const { end } = counts(limit);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 4);
    end(true);
    hear(limit, 30);
    expect(await admitted(limit)).toBe(10 - 6);
  });

  it('is corrected by another report when a request under way did not use its tokens', async () => {
    const limit = newTokens(6_000);
    const reservation = await admit(rates, [limit], 500);
    const first = counts(limit);
    reservation.settle(200);
    const second = counts(limit);
    expect([first.sum, second.sum]).toEqual([[500], [-300]]);
    first.end(false);
    second.end(true);
    expect(counts(limit).sum).toEqual([500]);
  });

  it('of a limit that was forgotten meanwhile does not change a newer count of it', async () => {
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

describe('concurrent requests without Redis', () => {
  it('are counted in this proxy only, and are not reported', async () => {
    const limit = newSlotLimit(2);
    hear(limit, 0);
    expect(await admitted(limit)).toBe(2);
    expect(rates.report([limit]).counts).toEqual([]);
  });
});

it('a request takes its part of all limits or of none', async () => {
  const [small, large] = [newRequests(3), newRequests(60)];
  hear(small, 3);
  hear(large, 60);
  expect((await take(rates, [large, small])).reservation).toBeDefined();
  expect((await take(rates, [large, small])).reservation).toBeUndefined();
  expect(rates.report([large, small]).counts.map(({ count }) => count)).toEqual([1, 1]);
});
