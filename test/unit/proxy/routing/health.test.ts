import { describe, expect, it } from 'vitest';
import type { FailureCause } from '../../../../proxy/routing/health.ts';
import { health, of, target } from './health.fixture.ts';

const [a, b, c] = [target('a'), target('b'), target('c')];

describe('a target whose requests fail', () => {
  it('is returned with the others, in the same list, while nothing has failed', () => {
    const { made, succeed, firstTokens } = health();
    const targets = [a, b];
    expect(made.usable(targets)).toBe(targets);
    succeed(20, a);
    firstTokens(20, a, 300);
    firstTokens(20, b, 800);
    expect(made.usable(targets)).toBe(targets);
    expect(made.usable([])).toEqual([]);
  });

  it.each(['dead', 'timeout', 'server'] as const)('is left out after five failures in a row: %s', (cause) => {
    const { usable, fail, events, made } = health();
    fail(4, a, cause);
    expect(usable(a, b)).toEqual(['a', 'b']);
    fail(1, a, cause);
    expect(usable(a, b)).toEqual(['b']);
    expect(events).toEqual([`a ejected for org: ${cause}, 5000 ms`]);
    expect(made.out).toEqual({ hosts: 1, sharedHosts: 0, keys: 0, limits: 0 });
  });

  it('counts anew after a success', () => {
    const { usable, fail, succeed } = health();
    fail(4, a);
    succeed(1, a);
    fail(4, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it.each<FailureCause>(['rate', 'key', 'access', 'quota'])(
    'counts anew after a refusal, which shows that its host works: %s',
    (cause) => {
      const { made, fail, events } = health();
      fail(4, a);
      made.failed(a.identity, cause);
      fail(4, a);
      expect(events.filter((event) => event.includes('ejected'))).toEqual([]);
    },
  );

  it('is left out when half of twenty requests in ten seconds have failed', () => {
    const { usable, fail, succeed } = health();
    for (let pair = 0; pair < 9; pair++) {
      fail(1, a);
      succeed(1, a);
    }
    succeed(1, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
    fail(1, a);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('stays when fewer than half have failed, or failed longer ago', () => {
    const { usable, fail, succeed, pass } = health();
    for (let three = 0; three < 20; three++) {
      fail(1, a);
      succeed(2, a);
    }
    expect(usable(a, b)).toEqual(['a', 'b']);
    for (let second = 0; second < 60; second++) {
      fail(1, a);
      succeed(1, a);
      pass(1100);
    }
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('has a share of failures in the last ten seconds, not in those before', () => {
    const { usable, fail, succeed, pass } = health();
    const pairs = (times: number) => {
      for (let pair = 0; pair < times; pair++) {
        fail(1, a);
        succeed(1, a);
      }
    };
    pairs(9);
    pass(10_000);
    succeed(19, a);
    fail(1, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
    succeed(40, a);
    fail(1, a);
    pass(10_000);
    pairs(9);
    fail(1, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
    fail(1, a);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('starts without failures when it is readmitted', () => {
    const { usable, fail, succeed, pass } = health();
    for (let pair = 0; pair < 9; pair++) {
      fail(1, a);
      succeed(1, a);
    }
    succeed(1, a);
    fail(1, a);
    pass(5000);
    succeed(1, a);
    fail(4, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
    fail(1, a);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('is left out for its model and its host alone', () => {
    const { usable, fail } = health();
    fail(5, a);
    const otherModel = target('a', { model: 'gpt-provider/gpt-4o' });
    const otherHost = target('d', { providerKey: a.identity.providerKey });
    expect(usable(a, otherModel, otherHost, b).join(' ')).toBe('a d b');
    expect(usable(target('a', { providerKey: { id: 'other', revision: '1' } }), b)).toEqual(['b']);
  });

  it('is never counted with the key of its caller', () => {
    const { usable, made, fail, firstTokens, succeed, events } = health();
    const direct = target('a', { providerKey: undefined });
    fail(20, direct);
    for (const cause of ['key', 'access', 'quota', 'rate'] as const) made.failed(direct.identity, cause);
    made.exhausted(direct.identity, 1000);
    firstTokens(20, direct, 10_000);
    succeed(1, direct);
    made.undecided(direct.identity);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(events).toEqual([]);
    // Nor is it left out for what the organization's own key met.
    fail(5, a);
    expect(usable(direct, b)).toEqual(['a', 'b']);
    expect(made.mayTry(direct.identity)).toBe(true);
  });
});

describe('a target that was left out', () => {
  it('gets one trial at a time when its time is over', () => {
    const { usable, fail, pass } = health();
    fail(5, a);
    pass(4999);
    expect(usable(a, b)).toEqual(['b']);
    pass(1);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('is readmitted by the success of its trial', () => {
    const { usable, fail, succeed, pass, events, made } = health();
    fail(5, a);
    pass(5000);
    usable(a, b);
    succeed(1, a);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(events.at(-1)).toBe('a readmitted for org');
    expect(made.out.hosts).toBe(0);
  });

  it('is left out for twice as long by the failure of its trial, up to five minutes', () => {
    const { usable, fail, pass, events } = health();
    fail(5, a);
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      pass(seconds * 1000);
      expect(usable(a, b)).toEqual(['a', 'b']);
      fail(1, a);
    }
    const times = events.map((event) => Number(/(\d+) ms/.exec(event)?.[1]) / 1000);
    expect(times).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('is left out up to a tenth shorter, by chance', () => {
    const { fail, events } = health({ random: () => 0.5 });
    fail(5, a);
    expect(events).toEqual(['a ejected for org: server, 4750 ms']);
  });

  it('is left out for a shorter time again after quiet minutes', () => {
    const { fail, succeed, pass, events } = health();
    fail(5, a);
    for (const seconds of [5, 10]) {
      pass(seconds * 1000);
      fail(1, a);
    }
    pass(20_000);
    succeed(1, a);
    pass(59_999);
    fail(5, a);
    expect(events.at(-1)).toBe('a ejected for org: server, 40000 ms');
    pass(40_000);
    succeed(1, a);
    pass(120_000);
    fail(5, a);
    expect(events.at(-1)).toBe('a ejected for org: server, 20000 ms');
    pass(20_000);
    succeed(1, a);
    pass(3_600_000);
    fail(5, a);
    expect(events.at(-1)).toBe('a ejected for org: server, 5000 ms');
  });

  it('is not affected by requests that began before', () => {
    const { usable, fail, succeed, pass, events } = health();
    fail(25, a);
    succeed(5, a);
    expect(events).toHaveLength(1);
    expect(usable(a, b)).toEqual(['b']);
    pass(5000);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('gets another trial when one ended without a result, or never ended', () => {
    const { usable, fail, pass, made } = health();
    fail(5, a);
    pass(5000);
    expect(usable(a, b)).toEqual(['a', 'b']);
    made.undecided(a.identity);
    expect(usable(a, b)).toEqual(['a', 'b']);
    pass(59_999);
    expect(usable(a, b)).toEqual(['b']);
    pass(1);
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('stays behind another one for all requests, and is tried by one of them', () => {
    const { usable, fail, pass, made } = health();
    fail(5, b);
    expect(made.mayTry(b.identity)).toBe(false);
    pass(5000);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(usable(a, b)).toEqual(['a', 'b']);
    expect(made.mayTry(b.identity)).toBe(true);
    expect(made.mayTry(b.identity)).toBe(false);
    expect(usable(a, b)).toEqual(['a']);
    expect(made.mayTry(a.identity)).toBe(true);
    expect(made.mayTry(a.identity)).toBe(true);
  });
});

describe('the last target', () => {
  it('is never left out', () => {
    const { fail, made } = health();
    fail(5, a);
    made.failed(a.identity, 'key');
    made.failed(a.identity, 'rate');
    const alone = [a];
    expect(made.usable(alone)).toBe(alone);
  });

  it('is the one whose time ends first', () => {
    const { usable, fail, pass, made } = health();
    fail(5, a);
    pass(1000);
    fail(5, b);
    made.failed(c.identity, 'key');
    expect(usable(c, b, a)).toEqual(['a']);
    pass(4000);
    fail(1, a);
    expect(usable(c, b, a)).toEqual(['b']);
  });

  it('is compared by the last of its own times', () => {
    const { usable, fail, made } = health();
    fail(5, a);
    made.exhausted(a.identity, 9000);
    made.exhausted(b.identity, 8000);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('is the one whose rate limit opens first', () => {
    const { usable, made } = health();
    made.exhausted(a.identity, 9000);
    made.exhausted(b.identity, 8000);
    expect(usable(a, b)).toEqual(['b']);
  });

  it('is the first one of several whose times end together', () => {
    const { usable, fail } = health();
    fail(5, a);
    fail(5, b);
    expect(usable(a, b)).toEqual(['a']);
    expect(usable(b, a)).toEqual(['b']);
  });

  it('of a trial that runs is not the one to try, if another ends before', () => {
    const { usable, fail, pass } = health();
    fail(5, a);
    pass(5000);
    fail(5, b);
    expect(usable(a, b)).toEqual(['a']);
    expect(usable(a, b)).toEqual(['b']);
  });
});

describe('a host for several organizations', () => {
  const shared = of('other', a);
  const [third, thirdsNext] = [of('third', a), of('third', b)];

  it('fails for the organization whose requests fail', () => {
    const { usable, fail } = health();
    fail(100, a);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
  });

  it('is out for all when two have ejected it', () => {
    const { usable, fail, events, made } = health();
    fail(5, a);
    fail(4, shared);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
    fail(1, shared);
    expect(usable(third, thirdsNext)).toEqual(['b']);
    expect(events.at(-1)).toBe('a ejected for all: server, 5000 ms');
    expect(made.out).toEqual({ hosts: 2, sharedHosts: 1, keys: 0, limits: 0 });
    expect(usable(of('third', target('a', { model: 'other' })), thirdsNext)).toEqual(['a', 'b']);
  });

  it('is not out for others when somebody succeeded between the two', () => {
    const { usable, fail, succeed, pass } = health();
    fail(5, a);
    pass(1);
    succeed(1, third);
    pass(1);
    fail(5, shared);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
  });

  it('is not out for others when the first ejection is over', () => {
    const { usable, fail, pass } = health();
    fail(5, a);
    pass(5000);
    fail(5, shared);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
  });

  it('is readmitted for all by one trial', () => {
    const { usable, fail, succeed, pass, events } = health();
    fail(5, a);
    fail(5, shared);
    pass(5000);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
    expect(usable(of('fourth', a), of('fourth', b))).toEqual(['b']);
    succeed(1, third);
    expect(usable(of('fourth', a), of('fourth', b))).toEqual(['a', 'b']);
    expect(events.at(-1)).toBe('a readmitted for all');
  });

  it('is out longer when the trial of an organization that has not ejected it fails, and of no other', () => {
    const { usable, fail, pass, events } = health();
    fail(5, a);
    fail(5, shared);
    pass(5000);
    fail(1, a);
    fail(1, shared);
    expect(events.filter((event) => event.includes('for all'))).toEqual(['a ejected for all: server, 5000 ms']);
    expect(usable(third, thirdsNext)).toEqual(['a', 'b']);
    fail(1, third);
    expect(events.at(-1)).toBe('a ejected for all: server, 10000 ms');
    pass(9_999);
    expect(usable(third, thirdsNext)).toEqual(['b']);
  });

  it('is forgotten with the organization that was idle longest', () => {
    const { usable, fail } = health({ organizationsMax: 2 });
    fail(5, a);
    fail(1, of('x', a));
    fail(1, of('y', a));
    expect(usable(a, b)).toEqual(['a', 'b']);
  });

  it('is not forgotten because of the many targets of another organization', () => {
    const { usable, fail } = health();
    fail(5, a);
    for (let index = 0; index < 1000; index++) fail(5, of('hostile', target(`h${index}`)));
    expect(usable(a, b)).toEqual(['b']);
  });
});
