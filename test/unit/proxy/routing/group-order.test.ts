// The order of the targets of a group: how often each comes first, under each choice.
import { describe, expect, it } from 'vitest';
import { type Choosable, inOrder } from '../../../../proxy/routing/group-order.ts';
import { sessionVariate, type Variate } from '../../../../proxy/upstream/variates.ts';
import { Random } from '../../../support/access/random.ts';
import { startingSeed } from '../../../support/seed.ts';

const seed = startingSeed();
const requests = 4000;

function target(name: string, facts: Partial<Pick<Choosable, 'weight' | 'canary'>> & Facts = {}): Choosable {
  const { weight = 1, canary, inFlight = 0, latency, cost } = facts;
  return { name, weight, canary, inFlight: () => inFlight, latency: () => latency, cost: () => cost };
}

interface Facts {
  readonly inFlight?: number;
  readonly latency?: number;
  readonly cost?: number;
}

function randomVariate(): Variate {
  const random = new Random(seed);
  return () => random.next();
}

/** The share of requests that each target gets first. */
function shares(
  targets: readonly Choosable[],
  choice: Parameters<typeof inOrder>[1],
  variates: (at: number) => Variate,
) {
  const counts = new Map(targets.map(({ name }) => [name, 0]));
  for (let request = 0; request < requests; request++) {
    const [first] = inOrder(targets, choice, variates(request));
    if (first !== undefined) counts.set(first.name, (counts.get(first.name) ?? 0) + 1);
  }
  return targets.map(({ name }) => (counts.get(name) ?? 0) / requests);
}

const atRandom = () => {
  const variate = randomVariate();
  return () => variate;
};
const bySession = (request: number) => sessionVariate('organization', `session-${request}`);
const near = (actual: readonly number[], expected: readonly number[]) => {
  for (const [at, share] of expected.entries()) {
    expect(Math.abs((actual[at] ?? 0) - share), `${actual} with seed ${seed}`).toBeLessThan(0.032);
  }
};

describe('requests are shared', () => {
  const targets = [target('a', { weight: 1 }), target('b', { weight: 2 }), target('c', { weight: 7 })];

  it('by weight, at random', () => near(shares(targets, 'weighted', atRandom()), [0.1, 0.2, 0.7]));

  it('by weight, over conversations', () => near(shares(targets, 'sticky', bySession), [0.1, 0.2, 0.7]));

  it('by weight among equals of every other choice', () => {
    for (const choice of ['cheapest', 'fastest'] as const) near(shares(targets, choice, atRandom()), [0.1, 0.2, 0.7]);
    near(shares([target('a'), target('b')], 'least_busy', atRandom()), [0.5, 0.5]);
  });

  it('also the second one by weight', () => {
    const variate = randomVariate();
    let second = 0;
    let last = 0;
    for (let request = 0; request < requests; request++) {
      const [first, next] = inOrder(targets, 'weighted', variate);
      if (first?.name !== 'c') continue;
      last++;
      if (next?.name === 'b') second++;
    }
    near([second / last], [2 / 3]);
  });
});

describe('a conversation', () => {
  const [a, b, c] = [target('a'), target('b'), target('c')];
  const order = (targets: readonly Choosable[], session: number, organization = 'o') =>
    inOrder(targets, 'sticky', sessionVariate(organization, `s${session}`)).map(({ name }) => name);

  it('has the same order each time, whatever the order in which targets are listed', () => {
    for (let session = 0; session < 50; session++) {
      expect(order([c, a, b], session)).toEqual(order([a, b, c], session));
    }
  });

  it('keeps its target when another one goes, and moves to its second when its own goes', () => {
    for (let session = 0; session < 200; session++) {
      const [first, second] = order([a, b, c], session);
      const left = [a, b, c].filter(({ name }) => name !== first);
      expect(order(left, session)[0]).toBe(second);
      const without = [a, b, c].filter(({ name }) => name !== second);
      expect(order(without, session)[0]).toBe(first);
    }
  });

  it('moves only to a target that has got more weight', () => {
    const heavier = target('c', { weight: 3 });
    let moved = 0;
    for (let session = 0; session < 1000; session++) {
      const [before] = order([a, b, c], session);
      const [after] = order([a, b, heavier], session);
      if (before === after) continue;
      moved++;
      expect(after).toBe('c');
    }
    // From a third to three fifths.
    expect(moved / 1000).toBeGreaterThan(0.2);
    expect(moved / 1000).toBeLessThan(0.33);
  });

  it('of another organization is another one', () => {
    const sessions = Array.from({ length: 200 }, (_, session) => session);
    const same = sessions.filter((session) => order([a, b], session)[0] === order([a, b], session, 'other')[0]);
    expect(same.length).toBeGreaterThan(60);
    expect(same.length).toBeLessThan(140);
  });
});

describe('the first target', () => {
  const first = (targets: readonly Choosable[], choice: Parameters<typeof inOrder>[1]) => {
    const variate = randomVariate();
    return new Set(Array.from({ length: 50 }, () => inOrder(targets, choice, variate)[0]?.name));
  };

  it('of the least busy has the fewest requests for its weight', () => {
    expect(first([target('a', { inFlight: 3 }), target('b', { inFlight: 2 })], 'least_busy')).toEqual(new Set(['b']));
    const heavy = target('a', { inFlight: 3, weight: 4 });
    expect(first([heavy, target('b', { inFlight: 2 })], 'least_busy')).toEqual(new Set(['a']));
  });

  it('of the cheapest costs least; without a price it is the last', () => {
    const targets = [target('dear', { cost: 9 }), target('cheap', { cost: 2 }), target('unknown')];
    expect(first(targets, 'cheapest')).toEqual(new Set(['cheap']));
    expect(inOrder(targets, 'cheapest', randomVariate()).map(({ name }) => name)).toEqual(['cheap', 'dear', 'unknown']);
  });

  it('of the fastest begins sooner, with the requests that it has', () => {
    const fast = target('fast', { latency: 100 });
    expect(first([fast, target('slow', { latency: 300 })], 'fastest')).toEqual(new Set(['fast']));
    const busy = target('fast', { latency: 100, inFlight: 3 });
    expect(first([busy, target('slow', { latency: 300 })], 'fastest')).toEqual(new Set(['slow']));
  });

  it('of the fastest is one of two, so that a slow one of many is still tried by some', () => {
    const targets = [target('a', { latency: 1 }), target('b', { latency: 2 }), target('c', { latency: 3 })];
    near(shares(targets, 'fastest', atRandom()), [2 / 3, 1 / 3, 0]);
  });

  it('of the fastest may be unknown: it is tried, by one request at a time', () => {
    const known = target('known', { latency: 200 });
    expect(first([known, target('new')], 'fastest')).toEqual(new Set(['new']));
    expect(first([known, target('new', { inFlight: 1 })], 'fastest')).toEqual(new Set(['known']));
  });
});

describe('a canary', () => {
  const usual = target('usual');
  const names = (targets: readonly Choosable[], variate: Variate) =>
    inOrder(targets, 'weighted', variate).map(({ name }) => name);

  it('gets its share of the requests first, and is the last of the others', () => {
    const targets = [usual, target('new', { canary: 5, weight: 1000 })];
    near(shares(targets, 'weighted', atRandom()), [0.95, 0.05]);
    near(shares(targets, 'sticky', bySession), [0.95, 0.05]);
    const variate = randomVariate();
    for (let request = 0; request < 100; request++) expect(names(targets, variate)).toHaveLength(2);
  });

  it('at 0 percent gets none first, and at 100 all', () => {
    for (const [canary, expected] of [
      [0, [1, 0]],
      [100, [0, 1]],
    ] as const) {
      expect(shares([usual, target('new', { canary })], 'weighted', atRandom())).toEqual(expected);
    }
  });

  it('beside another one has its own share', () => {
    const targets = [target('one', { canary: 20 }), usual, target('two', { canary: 30 })];
    near(shares(targets, 'cheapest', atRandom()), [0.2, 0.5, 0.3]);
  });

  it('of a sticky group gets the same conversations each time', () => {
    const targets = [usual, target('new', { canary: 30 })];
    const of = (session: number) => inOrder(targets, 'sticky', bySession(session))[0]?.name;
    for (let session = 0; session < 100; session++) expect(of(session)).toBe(of(session));
  });

  it('takes hundredths of a percent into account', () => {
    const orderAt = (value: number) => names([usual, target('new', { canary: 0.01 })], () => value)[0];
    expect([orderAt(0.00009), orderAt(0.00011)]).toEqual(['new', 'usual']);
  });
});
