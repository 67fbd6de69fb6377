// Leases in the arguments and the result of a call, in the queue of calls, and the load from which there are any.
import { describe, expect, it } from 'vitest';
import { BatchQueue, tokensWaitMs } from '../../../../proxy/rates/batch-queue.ts';
import { LeasedLimit } from '../../../../proxy/rates/leased-limit.ts';
import { Meter } from '../../../../proxy/rates/meter.ts';
import type { LeaseOfLimit, RateBatch } from '../../../../proxy/rates/rate-batch.ts';
import { BatchCall } from '../../../../proxy/rates/rate-batch-call.ts';
import { newRequests, newSlotLimit, newTokens } from '../../../support/rates.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const [requests, tokens] = [newRequests(6_000), newTokens(60_000)];
const back = { second: 1_800_000_000, size: 12, unused: 5 };

describe('a meter', () => {
  it('shows what happened in the second before, and nothing of the present one', () => {
    const meter = new Meter();
    meter.count(3, 10_100);
    meter.count(4, 10_900);
    expect(meter.perSecond(10_999)).toBe(0);
    expect(meter.perSecond(11_000)).toBe(7);
    meter.count(1, 11_500);
    expect(meter.perSecond(12_400)).toBe(1);
    expect(meter.perSecond(13_000)).toBe(0);
  });

  it('shows nothing after an idle second', () => {
    const meter = new Meter();
    meter.count(3, 10_100);
    expect(meter.perSecond(12_000)).toBe(0);
  });
});

describe('a call with leases', () => {
  const begun = { shard: 7, name: 'x', limits: [requests, tokens], tokens: 50 };
  const batch: RateBatch = {
    ...{ shard: 7, ended: [] },
    begun: [{ request: begun, resolve: () => undefined, reject: () => undefined }],
    back: [{ limit: newRequests(9), want: 0, back }],
  };
  const leases: readonly LeaseOfLimit[] = [
    { limit: tokens, want: 400, back: undefined },
    { limit: requests, want: 12, back: { ...back, unused: 0 } },
  ];
  const call = new BatchCall(batch, { name: 'n', leaseMs: 1, alone: [], leases });

  it('names what it wants and what it returns, of other limits too', () => {
    const words = JSON.parse(call.args[0] ?? '');
    expect(words).toMatchObject({ want: [2, 400, 1, 12] });
    expect(words.back).toEqual([1, 1_800_000_000, 12, 0, 3, 1_800_000_000, 12, 5]);
    expect(call.keys).toHaveLength(1 + 3);
  });

  it('reads what it got after the states of all limits', () => {
    const judgements = call.read(JSON.stringify(['1', 5_000, 0, 61_000, 0, 9, 0, 61_000, 300, 11, 1_800_000_000_123]));
    expect(judgements.map(({ standings }) => standings.map(({ remaining }) => remaining))).toEqual([[4_999, 59_950]]);
    expect(call.grants).toEqual({ sizes: [300, 11], at: 1_800_000_000_123 });
  });
});

describe('leases that return alone', () => {
  it('leave soon, or with the next requests of the shard', async () => {
    const time = new VirtualTime();
    const sent: RateBatch[] = [];
    const queue = new BatchQueue({ timers: time, send: (batch) => sent.push(batch) });
    queue.back(7, [{ limit: requests, want: 0, back }]);
    await time.advance(tokensWaitMs);
    expect(sent).toMatchObject([{ shard: 7, begun: [], ended: [], back: [{ limit: requests, back }] }]);
    queue.close();
    queue.back(7, [{ limit: requests, want: 0, back }]);
    expect(sent).toHaveLength(2);
  });
});

describe('what a proxy knows of one limit', () => {
  const standing = { opensInMs: 0, remaining: 5_000, resetsInMs: 61_000 };

  function busy(limit = requests, perSecond = 40, use = 1) {
    const known = new LeasedLimit(7, limit);
    for (let nth = 0; nth < perSecond; nth++)
      known.hear({ standing, tokens: use, isAdmitted: true, sentAt: 10_500 }, 10_500);
    known.hear({ standing, tokens: 0, isAdmitted: false, sentAt: 11_000 }, 11_000);
    return known;
  }

  it('wants a quarter of a second of its load, of four requests or more', () => {
    expect(busy().request(requests, 11_000)?.want).toBe(10);
    expect(busy(requests, 15).request(requests, 11_000)).toBeUndefined();
    expect(busy(tokens, 40, 10).request(tokens, 11_000)?.want).toBe(100);
  });

  it('wants no tokens if four requests would be more than a quarter of what is left', () => {
    expect(busy(tokens, 40, 320).request(tokens, 11_000)).toBeUndefined();
  });

  it('wants nothing while another call may bring a lease, and then again', () => {
    const known = busy();
    known.request(requests, 11_000);
    expect(known.request(requests, 11_000)).toBeUndefined();
    known.failed();
    expect(known.request(requests, 11_000)?.want).toBe(10);
  });

  it('admits of a lease for 0.25 s, and less if the second of Redis ends before', () => {
    for (const [countedAt, ms] of [
      [1_800_000_000_100, 250],
      [1_800_000_000_900, 90],
    ] as const) {
      const known = busy();
      known.request(requests, 11_000);
      known.granted({ size: 5, sentAt: 11_000, countedAt });
      expect([known.admits(requests, 0, 11_000 + ms - 1), known.admits(requests, 0, 11_000 + ms)]).toEqual([
        true,
        false,
      ]);
    }
  });

  it('admits nothing of a lease under another maximum', () => {
    const known = busy();
    known.request(requests, 11_000);
    known.granted({ size: 5, sentAt: 11_000, countedAt: 1_800_000_000_100 });
    expect(known.admits({ ...requests, max: 10 }, 0, 11_001)).toBe(false);
    expect(known.endLease()).toEqual({ second: 1_800_000_000, size: 5, unused: 5 });
    expect(known.endLease()).toBeUndefined();
  });

  it('retains free slots only for a busy limit of which a quarter is free', () => {
    const limit = newSlotLimit(20_000);
    expect(busy(limit).retainsSlots(11_000)).toBe(true);
    expect(busy(limit, 15).retainsSlots(11_000)).toBe(false);
    expect(busy(limit).retainsSlots(12_000), 'nothing is known any more').toBe(false);
    expect(busy(newSlotLimit(20_001)).retainsSlots(11_000)).toBe(false);
  });
});
