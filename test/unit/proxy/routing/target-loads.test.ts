// What is counted of the targets of an organization: requests in flight, and how soon streams began.
import { describe, expect, it } from 'vitest';
import type { TargetIdentity } from '../../../../proxy/routing/health.ts';
import { decayMs } from '../../../../proxy/routing/peak-latency.ts';
import { TargetLoads } from '../../../../proxy/routing/target-loads.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';
import { health, target } from './health.fixture.ts';

const { identity } = target('a');

function world(organizationsMax?: number) {
  const time = new VirtualTime();
  const loads = new TargetLoads({ clock: time, ...(organizationsMax !== undefined && { organizationsMax }) });
  /** A stream that begins after so long. */
  const stream = async (ms: number, of: TargetIdentity = identity) => {
    const attempt = loads.begin(of);
    const startedAt = time.monotonic();
    await time.advance(ms);
    attempt.firstByte(startedAt);
    return attempt;
  };
  return { time, loads, stream };
}

describe('requests in flight', () => {
  it('are counted by organization, key and model, until they end', () => {
    const { loads } = world();
    const [first, second] = [loads.begin(identity), loads.begin(identity)];
    loads.begin({ ...identity, organization: 'other' });
    loads.begin({ ...identity, model: 'gpt-provider/gpt-4o' });
    expect(loads.inFlight(identity)).toBe(2);
    first.end();
    first.end();
    expect(loads.inFlight(identity)).toBe(1);
    second.end();
    expect(loads.inFlight(identity)).toBe(0);
  });

  it('make a target full at the ceiling of its group, before anything is measured, and for that group alone', () => {
    const { loads } = world();
    const limited = { ...identity, inFlightMax: 4 };
    const attempts = Array.from({ length: 3 }, () => loads.begin(limited));
    expect([loads.isFull(limited), loads.full]).toEqual([false, 0]);
    attempts.push(loads.begin(limited));
    expect([loads.isFull(limited), loads.isFull(identity), loads.full]).toEqual([true, false, 1]);
    attempts.pop()?.end();
    expect([loads.isFull(limited), loads.full]).toEqual([false, 0]);
  });

  it('with the caller’s own key are not counted', () => {
    const { loads } = world();
    const direct = { ...identity, providerKey: undefined };
    loads.begin(direct).end();
    expect([loads.inFlight(direct), loads.latency(direct), loads.isFull(direct)]).toEqual([0, undefined, false]);
  });

  it('of a forgotten organization end without a trace', () => {
    const { loads } = world(1);
    const forgotten = loads.begin(identity);
    loads.begin({ ...identity, organization: 'other' });
    forgotten.end();
    expect(loads.inFlight(identity)).toBe(0);
  });
});

describe('the time until streams begin', () => {
  it('rises at once, and falls little by little', async () => {
    const { loads, stream } = world();
    expect(loads.latency(identity)).toBeUndefined();
    await stream(100);
    await stream(900);
    expect(loads.latency(identity)).toBe(900);
    await stream(100);
    const after = loads.latency(identity) ?? 0;
    expect(after).toBeLessThan(900);
    expect(after).toBeGreaterThan(800);
  });

  it('of a target without requests is forgiven, so that it is tried again', async () => {
    const { time, loads, stream } = world();
    await stream(900);
    await time.advance(2 * decayMs);
    expect(loads.latency(identity)).toBeLessThan(130);
  });
});

describe('a full target', () => {
  async function full() {
    const made = world();
    for (let request = 0; request < 30; request++) (await made.stream(100)).end();
    const slow = [];
    for (let request = 0; request < 10; request++) slow.push(await made.stream(20_000));
    return { ...made, slow };
  }

  it('has as many requests as it bears; one that ends makes room', async () => {
    const { loads, slow } = await full();
    expect(loads.isFull(identity)).toBe(true);
    expect(loads.isFull(target('b').identity)).toBe(false);
    expect(loads.full).toBe(1);
    for (const attempt of slow) attempt.end();
    expect(loads.isFull(identity)).toBe(false);
  });

  it('comes after others, and after those that are out if there are no others', async () => {
    const { loads } = await full();
    const known = health({ isFull: (one) => loads.isFull(one) });
    const [a, b, c] = [target('a'), target('b'), target('c')];
    expect(known.usable(a, b)).toEqual(['b']);
    expect(known.made.mayTry(a.identity)).toBe(false);
    expect(known.made.usableGroups([[a], [b, c]]).map(({ name }) => name)).toEqual(['b', 'c']);
    known.fail(5, b);
    expect(known.usable(a, b)).toEqual(['a']);
  });

  it('is no reason to refuse a request, and others that are full follow it', () => {
    const known = health({ isFull: () => true });
    const [a, b] = [target('a'), target('b')];
    expect(known.usable(a, b)).toEqual(['a', 'b']);
    expect(known.usable(a)).toEqual(['a']);
    expect(known.events).toEqual([]);
  });
});
