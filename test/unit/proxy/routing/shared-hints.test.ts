import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hintMsMax, hintsMax } from '../../../../proxy/routing/learned-hints.ts';
import { hintKeysOf, hintSetName, sealHint } from '../../../../proxy/routing/sealed-hints.ts';
import { keyName } from '../../../../proxy/routing/target-identity.ts';
import { createHintProxies, type HintProxy } from '../../../support/hint-proxies.ts';
import { type NamedTarget, of, target } from './health.fixture.ts';

const soonMs = 3_000;
const [first, second, third] = [target('first'), target('second'), target('third')];

let given: ReturnType<typeof createHintProxies>;
let here: HintProxy;
let there: HintProxy;

beforeEach(() => {
  given = createHintProxies();
  [here, there] = [given.proxy(), given.proxy()];
  here.use();
  there.use();
});

afterEach(() => expect(given.failedTasks).toEqual([]));

const usable = ({ health }: HintProxy, ...targets: readonly NamedTarget[]) =>
  health.usable(targets).map(({ name }) => name);
const eject = ({ health }: HintProxy, { identity }: NamedTarget) => {
  for (let failure = 0; failure < 5; failure++) health.failed(identity, 'server');
};
/** Reads what others wrote. */
const reads = async (...proxies: readonly HintProxy[]) => {
  await given.time.advance(100);
  for (const proxy of proxies) proxy.use();
  await given.time.advance(soonMs);
};

describe('a target that another proxy has ejected', () => {
  it('comes behind its peers, but for one request that tries it', async () => {
    eject(here, first);
    await reads(there);
    expect(usable(there, first, second, third)).toEqual(['first', 'second', 'third']);
    expect(usable(there, first, second, third)).toEqual(['second', 'third', 'first']);
    expect(usable(there, first, second, third)).toEqual(['second', 'third', 'first']);
    expect(there.health.out).toMatchObject({ hosts: 0, sharedHosts: 0, keys: 0, limits: 0 });
  });

  it('is back where it was once the trial has succeeded', async () => {
    eject(here, first);
    await reads(there);
    usable(there, first, second);
    there.health.succeeded(first.identity);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
  });

  it('is tried by the next request if the trial had no result', async () => {
    eject(here, first);
    await reads(there);
    usable(there, first, second);
    there.health.undecided(first.identity);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
    expect(usable(there, first, second)).toEqual(['second', 'first']);
  });

  it('gets the request nevertheless if it has no peers', async () => {
    eject(here, first);
    await reads(there);
    usable(there, first, second);
    expect(usable(there, first)).toEqual(['first']);
    expect(there.health.mayTry(first.identity)).toBe(true);
  });

  it('is left in its group of a route', async () => {
    eject(here, first);
    await reads(there);
    const groups = () => there.health.usableGroups([[first, second], [third]]).map(({ name }) => name);
    expect(groups()).toEqual(['first', 'second', 'third']);
    expect(groups()).toEqual(['second', 'first', 'third']);
    const later = there.health.usableGroups([[third], [first, second]]).map(({ name }) => name);
    expect(later).toEqual(['third', 'second', 'first']);
  });

  it('is out after one failure here if the failure is the provider key’s', async () => {
    here.health.failed(first.identity, 'key');
    await reads(there);
    usable(there, first, second);
    there.health.failed(first.identity, 'key');
    expect(usable(there, first, second)).toEqual(['second']);
  });

  it.each(['key', 'quota', 'access', 'rate'] as const)(
    'for the cause %s of its key comes behind, too',
    async (cause) => {
      here.health.failed(first.identity, cause, 60_000);
      await reads(there);
      usable(there, first, second);
      expect(usable(there, first, second)).toEqual(['second', 'first']);
    },
  );

  it('for one model of its key comes behind for that model alone', async () => {
    const otherModel = target('first', { model: 'gpt-provider/gpt-4o' });
    here.health.failed(first.identity, 'access');
    await reads(there);
    usable(there, first, second);
    expect(usable(there, first, second)).toEqual(['second', 'first']);
    expect(usable(there, otherModel, second)).toEqual(['first', 'second']);
  });

  it('is not noticed by each of fifty proxies alone', async () => {
    const proxies = Array.from({ length: 50 }, () => given.proxy());
    for (const proxy of proxies) proxy.use();
    eject(here, first);
    await reads(...proxies);
    let sentToFirst = 0;
    for (const proxy of proxies) {
      for (let request = 0; request < 20; request++) {
        if (usable(proxy, first, second)[0] !== 'first') continue;
        sentToFirst++;
        proxy.health.failed(first.identity, 'server');
      }
    }
    // Alone, each would have made five.
    expect(sentToFirst).toBe(50);
  });
});

describe('a hint', () => {
  it('of half a minute is renewed while it lasts, and no longer', async () => {
    here.health.failed(first.identity, 'key');
    for (let seconds = 0; seconds < 280; seconds += 10) {
      await given.time.advance(10_000);
      there.use();
      const known = there.hints.learned.knownUntil({ organization: 'org' }, keyName(first.identity, undefined));
      expect(known - given.time.monotonic()).toBeGreaterThan(0);
      expect(known - given.time.monotonic()).toBeLessThanOrEqual(hintMsMax);
    }
    await given.time.advance(21_000 + hintMsMax);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
    expect(there.hints.learned.concerns('org')).toBe(false);
  });

  it('is not written by two proxies that know the same', async () => {
    const writes = () => given.redis.writes;
    here.health.failed(first.identity, 'key');
    await reads(there);
    const before = writes();
    there.health.failed(first.identity, 'key');
    await given.time.advance(5_000);
    expect(writes()).toBe(before);
  });

  it('ends where the proxy that wrote it has succeeded', async () => {
    here.health.failed(first.identity, 'rate', 60_000);
    await given.time.advance(1_000);
    here.health.succeeded(first.identity);
    await given.time.advance(hintMsMax);
    there.use();
    await given.time.advance(soonMs);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
  });

  it.each([
    ['is right', 0],
    ['is ahead', 4_000],
  ])('that is wrong costs one trial, however often it is replayed, if the clock of its proxy %s', async (_how, ms) => {
    const wrong = given.proxy('platform', ms);
    wrong.use();
    wrong.health.failed(first.identity, 'key');
    await given.time.advance(1_000);
    const name = hintSetName({ organization: 'org' });
    const replayed = [...(given.sets.get(name) ?? [])];
    wrong.health.succeeded(first.identity);
    let trials = 0;
    for (let step = 0; step < 60; step++) {
      given.sets.set(name, replayed);
      there.use();
      await given.time.advance(1_000);
      if (there.hints.learned.isHinted(first.identity, given.time.monotonic())) trials++;
      if (usable(there, first, second)[0] === 'first') there.health.succeeded(first.identity);
    }
    expect(trials).toBe(1);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('of a proxy whose clock is %s is not used', async (_how, aheadMs) => {
    const wrong = given.proxy('platform', aheadMs);
    wrong.use();
    wrong.health.failed(first.identity, 'key');
    await reads(there);
    expect(there.hints.learned.isHinted(first.identity, given.time.monotonic())).toBe(false);
  });

  it('of a provider key never leaves its organization', async () => {
    here.health.failed(first.identity, 'key');
    there.use('stranger');
    await reads(there);
    // Even if somebody writes it where the other organization reads.
    const mine = given.sets.get(hintSetName({ organization: 'org' })) ?? [];
    expect(mine.length).toBe(1);
    given.sets.set(hintSetName({ organization: 'stranger' }), mine);
    there.use('stranger');
    await given.time.advance(soonMs);
    expect(there.hints.learned.concerns('stranger')).toBe(false);
    expect(there.counts.ignored).toBeGreaterThan(0);
  });

  it('of a host applies to the organization that had the failures, and to all if two had them', async () => {
    const [ofStranger, ofThird] = [of('stranger', first), of('third-organization', first)];
    eject(here, first);
    for (const organization of ['stranger', 'third-organization']) there.use(organization);
    await reads(there);
    const isHinted = ({ identity }: NamedTarget) => there.hints.learned.isHinted(identity, given.time.monotonic());
    expect([isHinted(first), isHinted(ofStranger), isHinted(ofThird)]).toEqual([true, false, false]);
    here.use('stranger');
    eject(here, ofStranger);
    await given.time.advance(100);
    there.use('third-organization');
    await given.time.advance(soonMs);
    expect([isHinted(ofStranger), isHinted(ofThird)]).toEqual([true, true]);
  });

  it('of a host is neither written nor read by a proxy of one organization', async () => {
    const bound = given.boundProxy();
    bound.use();
    eject(bound, first);
    await reads(there);
    expect(given.sets.has(hintSetName('hosts'))).toBe(false);
    eject(here, second);
    await reads(bound);
    expect(bound.hints.learned.isHinted(second.identity, given.time.monotonic())).toBe(false);
    // What concerns a provider key is read and written by both.
    bound.health.failed(third.identity, 'key');
    await reads(there, bound);
    expect(there.hints.learned.isHinted(third.identity, given.time.monotonic())).toBe(true);
  });

  it('of a host is not read by proxies of another platform identity', async () => {
    const other = given.proxy('another');
    other.use();
    eject(here, first);
    await reads(other);
    expect(other.hints.learned.isHinted(first.identity, given.time.monotonic())).toBe(false);
    expect(other.counts.ignored).toBeGreaterThan(0);
  });

  it('says nothing of host, key and model in Redis', async () => {
    eject(here, first);
    here.health.failed(first.identity, 'key');
    await given.time.advance(1_000);
    const text = JSON.stringify(
      [...given.sets].map(([name, hints]) => [name, hints.map(({ sealed }) => sealed.toString('latin1'))]),
    );
    for (const part of ['first', 'gpt', 'https', 'server']) expect(text).not.toContain(part);
    expect([...given.sets.keys()].sort()).toEqual(['gateway:health:1:{health:org}', 'gateway:health:1:{health}']);
  });
});

describe('hints are bounded', () => {
  it('to 64 of an organization, and 8 of its hosts', async () => {
    for (let index = 0; index < 100; index++) {
      here.health.failed(target(`key-${index}`).identity, 'key');
      if (index < 20) eject(here, target(`host-${index}`));
    }
    await given.time.advance(1_000);
    expect(given.sets.get(hintSetName({ organization: 'org' }))?.length).toBe(hintsMax.organization);
    expect(given.sets.get(hintSetName('hosts'))?.length).toBe(8);
    there.use();
    await given.time.advance(soonMs);
    expect(there.counts.received).toBe(64 + 8);
  });

  it('whatever an attacker writes to Redis', async () => {
    const keys = hintKeysOf(given.keysOf('org'));
    const scope = { organization: 'org' };
    const until = given.time.now() + 20_000;
    const hint = (index: number) => ({ target: `target-${index}`, cause: 'key' as const, until, proxy: 'x' });
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      until,
      sealed: sealHint(scope, { keys }, hint(index)),
    }));
    given.sets.set(hintSetName(scope), many);
    there.use();
    await given.time.advance(soonMs);
    expect(there.counts.received).toBe(64);
    given.sets.set(hintSetName(scope), many.slice(1_000));
    await given.time.advance(soonMs);
    expect(there.counts.received).toBe(64);
  });

  it('of organizations without requests are neither read nor kept', async () => {
    here.health.failed(first.identity, 'key');
    await reads(there);
    await given.time.advance(70_000);
    const { reads: before } = given.redis;
    await given.time.advance(600_000);
    expect(given.redis.reads).toBe(before);
    expect(there.hints.learned.concerns('org')).toBe(false);
  });

  it('and an organization whose requests have one target reads none', async () => {
    const { proxy, time, redis } = createHintProxies();
    const lone = proxy();
    lone.use('lone', false);
    lone.health.failed(target('first', { organization: 'lone' }).identity, 'key');
    await time.advance(10_000);
    expect([redis.reads, redis.writes]).toEqual([0, 1]);
    lone.use('lone', true);
    await time.advance(soonMs);
    expect(redis.reads).toBeGreaterThan(0);
  });
});

describe('without Redis', () => {
  it('nothing changes, and hints are shared again once it is back', async () => {
    given.redis.isDown = true;
    here.health.failed(first.identity, 'key');
    await reads(here, there);
    expect(usable(here, first, second)).toEqual(['second']);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
    expect(usable(there, first, second)).toEqual(['first', 'second']);
    expect(here.counts.failed).toBeGreaterThan(0);
    given.redis.isDown = false;
    await reads(here, there);
    await reads(here, there);
    usable(there, first, second);
    expect(usable(there, first, second)).toEqual(['second', 'first']);
  });

  it('hints that were known come to their end', async () => {
    here.health.failed(first.identity, 'key');
    await reads(there);
    given.redis.isDown = true;
    usable(there, first, second);
    await given.time.advance(hintMsMax);
    there.use();
    expect(usable(there, first, second)).toEqual(['first', 'second']);
  });
});

it('a defect ends one round, is reported, and hints are shared again in the next one', async () => {
  given.redis.defect = new TypeError('a defect');
  await given.time.advance(soonMs);
  expect(given.failedTasks.splice(0)).toContain('hints');
  delete given.redis.defect;
  here.health.failed(first.identity, 'key');
  await given.time.advance(2 * soonMs);
  usable(there, first, second);
  expect(usable(there, first, second)).toEqual(['second', 'first']);
});
