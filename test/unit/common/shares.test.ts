// Fair shares: how much one owner can take from the others, however greedy and however many the owners are.
import { describe, expect, it } from 'vitest';
import {
  alphaOf,
  FairQueue,
  OccupiedShare,
  RateShare,
  type ShareOwner,
  type ShareStanding,
} from '../../../common/shares.ts';

const owner = (organization: string, key = 'k') => ({ organization, key });
const usual = { organizationWeight: 1, keyWeight: 1, isBatch: false };
const batch = { ...usual, isBatch: true };

/** All owners take in turn until none gets any more. @returns how much each owner has at the end */
function greedy(share: OccupiedShare, names: readonly string[]): readonly number[] {
  const waiting = names.map(() => 0);
  for (let took = true; took; ) {
    took = false;
    for (const [index, name] of names.entries())
      if (share.take(owner(name))) {
        waiting[index] = (waiting[index] ?? 0) + 1;
        took = true;
      }
  }
  return waiting;
}

/** Work ends and begins all the time, and each owner has more than it may begin. @returns how much each has */
function busy(share: OccupiedShare, owners: readonly (readonly [ShareOwner, ShareStanding])[]): readonly number[] {
  const taken = owners.map(() => 0);
  for (let round = 0; round < 6_000; round++) {
    for (const [index, [one, standing]] of owners.entries()) {
      while (share.take(one, 1, standing)) taken[index] = (taken[index] ?? 0) + 1;
    }
    const ending = round % owners.length;
    const [one] = owners[ending] ?? [];
    if (one === undefined || taken[ending] === 0) continue;
    share.give(one);
    taken[ending] = (taken[ending] ?? 0) - 1;
  }
  return taken;
}

describe('a share of a bounded resource', () => {
  it.each([
    [1, 1, 500],
    [1, 3, 250],
    [1, 10, 91],
    [4, 1, 800],
    [4, 3, 308],
    [4, 10, 98],
  ])('leaves room for the next owner: alpha %i, %i greedy', (alpha, count, each) => {
    const share = new OccupiedShare({ capacity: 1000, alpha });
    const names = Array.from({ length: count }, (_, index) => `o${index}`);
    // The keys of an owner share too, so a single key only comes near to the bound.
    for (const waiting of greedy(share, names)) {
      expect(waiting).toBeLessThanOrEqual(each);
      expect(waiting).toBeGreaterThan(each / 3);
    }
    expect(share.take(owner('next'))).toBe(true);
  });

  it('is divided among the keys of an organization in the same way', () => {
    const share = new OccupiedShare({ capacity: 1000, alpha: 1 });
    while (share.take(owner('a', 'greedy')));
    const before = share.used;
    expect(share.take(owner('a', 'other'))).toBe(true);
    while (share.take(owner('a', 'other')));
    expect(share.used - before).toBeGreaterThan(40);
    expect(share.used).toBeLessThanOrEqual(500);
  });

  it('reports whether there is room, without taking any', () => {
    const share = new OccupiedShare({ capacity: 2, alpha: 1 });
    expect([share.hasRoom(owner('a')), share.used]).toEqual([true, 0]);
    share.take(owner('a'));
    expect([share.hasRoom(owner('a')), share.hasRoom(owner('b')), share.refused]).toEqual([false, true, 0]);
  });

  it('is free again after it is released, and remembers no owner', () => {
    const share = new OccupiedShare({ capacity: 10, alpha: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 10; n++) expect(share.take(owner('a', `k${n}`))).toBe(true);
    expect([share.take(owner('b')), share.refused, share.used]).toEqual([false, 1, 10]);
    for (let n = 0; n < 10; n++) share.give(owner('a', `k${n}`));
    expect([share.take(owner('b'), 9), share.take(owner('b'), 8), share.used]).toEqual([false, true, 8]);
  });

  it.each([
    ['25 %', alphaOf(0.25)],
    ['80 %', alphaOf(0.8)],
    ['100 %', alphaOf(1)],
  ])('refuses batch before interactive work of the same organization, whose part is %s', (_part, alpha) => {
    const share = new OccupiedShare({ capacity: 1000, alpha });
    while (share.take(owner('a', 'nightly'), 1, batch));
    const waiting = share.used;
    expect(share.take(owner('a', 'app'))).toBe(true);
    while (share.take(owner('a', 'app')) || share.take(owner('a', 'web')));
    expect(share.used - waiting).toBeGreaterThan(waiting / 10);
    // A slot that batch leaves is one that interactive work gets.
    share.give(owner('a', 'nightly'));
    expect(share.take(owner('a', 'nightly'), 1, batch)).toBe(false);
    expect(share.take(owner('a', 'app')) || share.take(owner('a', 'web'))).toBe(true);
  });

  it('refuses no batch work because of what another organization does', () => {
    const share = new OccupiedShare({ capacity: 1000, alpha: 1 });
    while (share.take(owner('greedy', 'a')) || share.take(owner('greedy', 'b')));
    expect(share.take(owner('other'), 1, batch)).toBe(true);
  });

  it('leaves an organization that has only batch work most of its part', () => {
    const [share, interactive] = [1, 2].map(() => new OccupiedShare({ capacity: 1000, alpha: 1 }));
    while (share?.take(owner('a'), 1, batch));
    while (interactive?.take(owner('a')));
    expect((share?.used ?? 0) / (interactive?.used ?? 1)).toBeGreaterThan(0.75);
  });

  it.each([0.05, 0.5, 2, 10])('is divided by weight: an organization of weight %d beside a usual one', (weight) => {
    const share = new OccupiedShare({ capacity: 2_000, alpha: 1, keyAlpha: Number.POSITIVE_INFINITY });
    const [weighted = 0, other = 0] = busy(share, [
      [owner('weighted'), { ...usual, organizationWeight: weight }],
      [owner('other'), usual],
    ]);
    expect(weighted / other / weight).toBeGreaterThan(0.9);
    expect(weighted / other / weight).toBeLessThan(1.1);
    expect(share.take(owner('next'))).toBe(true);
  });

  it.each([0.05, 10])('is divided by weight among keys: one of weight %d beside a usual one', (weight) => {
    const share = new OccupiedShare({ capacity: 2_000, alpha: 1 });
    const [weighted = 0, other = 0] = busy(share, [
      [owner('a', 'weighted'), { ...usual, keyWeight: weight }],
      [owner('a', 'other'), usual],
    ]);
    expect(weighted / other / weight).toBeGreaterThan(0.9);
    expect(weighted / other / weight).toBeLessThan(1.1);
    expect(share.used).toBeLessThanOrEqual(1_000);
  });

  it('admits at least one of the lightest owners', () => {
    const share = new OccupiedShare({ capacity: 4, alpha: alphaOf(0.25) });
    const light = { organizationWeight: 0.01, keyWeight: 0.01, isBatch: true };
    expect([share.take(owner('a'), 1, light), share.take(owner('a'), 1, light)]).toEqual([true, false]);
  });

  it.each([
    { capacity: 1000, alpha: 1 },
    { capacity: 64 * 1024 * 1024, alpha: alphaOf(0.25) },
    { capacity: 777, alpha: 1 / 3, keyAlpha: 2 },
    { capacity: 10, alpha: 4 },
    { capacity: 100, alpha: Number.POSITIVE_INFINITY },
    { capacity: 100, alpha: Number.POSITIVE_INFINITY, keyAlpha: Number.POSITIVE_INFINITY },
  ])('reports the most that one owner can take, of $capacity with alpha $alpha', (options) => {
    const { largest } = new OccupiedShare(options);
    expect(new OccupiedShare(options).take(owner('a'), largest)).toBe(true);
    expect(new OccupiedShare(options).take(owner('a'), largest + 1)).toBe(false);
  });

  it('never exceeds its capacity, with amounts of any size', () => {
    const share = new OccupiedShare({ capacity: 100, alpha: 4 });
    let waiting = 0;
    for (let n = 1; n < 2000; n++) {
      const amount = (n * 7919) % 41;
      if (share.take(owner(`o${n % 7}`, `k${n % 3}`), amount)) waiting += amount;
      expect(share.used).toBe(waiting);
      expect(waiting).toBeLessThanOrEqual(100);
    }
  });
});

describe('a fair queue', () => {
  const open = () =>
    new FairQueue<string>({ waiting: { capacity: 1e9, alpha: Number.POSITIVE_INFINITY }, quantum: 10 });

  it('keeps the work of an owner that may not be served now, in order', () => {
    const queue = new FairQueue<string>({ waiting: { capacity: 100, alpha: 4 }, quantum: 10 });
    for (const name of ['a', 'b', 'a', 'b']) queue.push(owner(name), `${name}${queue.length}`, 10);
    const notA = ({ organization }: { organization: string }) => organization !== 'a';
    expect([queue.shift(notA), queue.shift(notA), queue.shift(notA)]).toEqual(['b1', 'b3', undefined]);
    expect([queue.length, queue.waiting.used]).toEqual([2, 20]);
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['a0', 'a2', undefined]);
  });

  it('alternates between owners, and keeps the work of each in order', () => {
    const queue = open();
    for (const work of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
      expect(queue.push(owner(work.slice(0, 1)), work, 10)).toBe(true);
    const served = Array.from({ length: 6 }, () => queue.shift());
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect([queue.shift(), queue.length, queue.waiting.used]).toEqual([undefined, 0, 0]);
  });

  it('serves by cost: many small items as much as few large ones', () => {
    const queue = open();
    for (let n = 0; n < 1000; n++) queue.push(owner('small'), 'small', 1);
    for (let n = 0; n < 1000; n++) queue.push(owner('large'), 'large', 50);
    const cost = { small: 0, large: 0 };
    for (let n = 0; n < 400; n++) {
      const work = queue.shift();
      if (work === 'small') cost.small += 1;
      if (work === 'large') cost.large += 50;
    }
    expect(Math.abs(cost.small - cost.large)).toBeLessThanOrEqual(60);
  });

  it('gives a thousand keys of one organization no more than one key of another', () => {
    const queue = open();
    for (let n = 0; n < 1000; n++) queue.push(owner('many', `k${n}`), 'many', 10);
    for (let n = 0; n < 100; n++) queue.push(owner('one'), 'one', 10);
    const served = Array.from({ length: 200 }, () => queue.shift());
    expect(served.filter((work) => work === 'one')).toHaveLength(100);
  });

  it('serves a late owner at once when another owner fills the queue', () => {
    const queue = open();
    for (let n = 0; n < 500; n++) queue.push(owner('greedy'), 'greedy', 10);
    for (let n = 0; n < 100; n++) queue.shift();
    queue.push(owner('late'), 'late', 10);
    expect([queue.shift(), queue.shift()]).toContain('late');
  });

  it('serves an owner without waiting work first, however much work the others have', () => {
    const queue = open();
    for (let n = 0; n < 50; n++)
      for (let greedy = 0; greedy < 10; greedy++) queue.push(owner(`greedy${greedy}`), 'greedy', 10);
    for (let n = 0; n < 30; n++) queue.shift();
    queue.push(owner('seldom'), 'seldom', 10);
    expect(queue.shift()).toBe('seldom');
  });

  it('serves an owner that pushes one item after another as often as the others', () => {
    const queue = open();
    for (let n = 0; n < 100; n++) queue.push(owner('greedy'), 'greedy', 10);
    const served: (string | undefined)[] = [];
    for (let n = 0; n < 100; n++) {
      if (served.at(-1) !== 'greedy') queue.push(owner('one by one'), 'one', 10);
      served.push(queue.shift());
    }
    expect(served.filter((work) => work === 'greedy').length).toBeGreaterThanOrEqual(33);
  });

  it('remembers no owner whose work is done', () => {
    const queue = open();
    for (let n = 0; n < 1000; n++) {
      queue.push(owner(`o${n}`), `${n}`, 10);
      expect(queue.shift()).toBe(`${n}`);
    }
    expect([queue.shift(), queue.length, queue.waiting.used]).toEqual([undefined, 0, 0]);
  });

  it('refuses work above the share of its organization', () => {
    const queue = new FairQueue<number>({ waiting: { capacity: 100, alpha: 1 }, quantum: 10 });
    let taken = 0;
    while (queue.push(owner('a'), taken, 5)) taken++;
    expect(taken).toBeLessThanOrEqual(10);
    expect(queue.push(owner('b'), 0, 5)).toBe(true);
    expect(queue.waiting.refused).toBe(1);
  });
});

describe('a rate share', () => {
  it('admits a burst, then its rate, for each owner separately', () => {
    const share = new RateShare({ perMinute: 60, burst: 5, ownersMax: 100 });
    const waits = Array.from({ length: 6 }, () => share.take('a', 0));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1]);
    expect(share.take('b', 0)).toBe(0);
    expect([share.take('a', 1000), share.take('a', 1000)]).toEqual([0, 1]);
    expect(share.take('a', 1_000_000)).toBe(0);
    expect(share.refused).toBe(2);
  });

  it('returns how many seconds to wait', () => {
    const share = new RateShare({ perMinute: 2, burst: 1, ownersMax: 100 });
    expect([share.take('a', 0), share.take('a', 0), share.take('a', 15_000)]).toEqual([0, 30, 15]);
  });

  it('takes back a charge that should not count', () => {
    const share = new RateShare({ perMinute: 1, burst: 1, ownersMax: 100 });
    for (let n = 0; n < 3; n++) {
      expect(share.take('a', 0)).toBe(0);
      share.give('a');
    }
    share.give('a');
    expect([share.take('a', 0), share.take('a', 0)]).toEqual([0, 60]);
  });

  it('counts charges that come after admission, so that the rate is kept', () => {
    const share = new RateShare({ perMinute: 60, burst: 2, ownersMax: 100 });
    // Five requests are admitted before the first one is charged.
    expect(Array.from({ length: 5 }, () => share.wait('a', 0))).toEqual([0, 0, 0, 0, 0]);
    for (let n = 0; n < 5; n++) share.charge('a', 0);
    expect([share.wait('a', 0), share.wait('a', 3_000), share.wait('a', 4_000)]).toEqual([4, 1, 0]);
    expect([share.wait('b', 0), share.refused]).toEqual([0, 2]);
  });

  it('is charged by the real amount when it is known only afterwards', () => {
    const share = new RateShare({ perMinute: 6000, burst: 1000, ownersMax: 100 });
    expect(share.wait('a', 0)).toBe(0);
    share.charge('a', 0, 3000);
    expect([share.wait('a', 0), share.wait('a', 20_010), share.wait('b', 0)]).toEqual([21, 0, 0]);
  });

  it('reports the use of the owner that used the most', () => {
    const share = new RateShare({ perMinute: 60, burst: 4, ownersMax: 100 });
    expect(share.used(0)).toBe(0);
    share.take('a', 0);
    for (let n = 0; n < 3; n++) share.take('b', 0);
    expect([share.used(0), share.used(1_000), share.used(60_000)]).toEqual([0.75, 0.5, 0]);
    for (let n = 0; n < 6; n++) share.charge('b', 60_000);
    expect(share.used(60_000)).toBe(1.5);
  });

  it('remembers a limited number of owners', () => {
    const share = new RateShare({ perMinute: 1, burst: 1, ownersMax: 10 });
    expect(share.take('a', 0)).toBe(0);
    for (let n = 0; n < 10; n++) share.take(`o${n}`, 0);
    expect(share.take('a', 0)).toBe(0);
  });
});
