// The limit of a target under load, in a simulation: a vendor that serves some requests at once without delay, and makes
// all of them wait when there are more.
import { describe, expect, it } from 'vitest';
import { GradientLimit, limitMin } from '../../../../proxy/routing/gradient-limit.ts';
import { Random } from '../../../support/access/random.ts';
import { startingSeed } from '../../../support/seed.ts';

interface Vendor {
  /** Requests that it serves without a delay. */
  capacity: number;
  /** Milliseconds until a first byte, on average. */
  firstByteMs: number;
}

/** Requests that are sent as soon as there is room, as many at once as callers want. */
class Simulation {
  readonly limit = new GradientLimit();
  readonly vendor: Vendor = { capacity: 20, firstByteMs: 400 };
  readonly #random = new Random(startingSeed());
  readonly #inFlight: { readonly startedAt: number; readonly endsAt: number }[] = [];
  #now = 0;

  /** @returns the averages over the requests that ended */
  run(wanted: number, ms: number): { readonly inFlight: number; readonly firstByteMs: number; readonly limit: number } {
    const until = this.#now + ms;
    const seen = { inFlight: 0, firstByteMs: 0, limit: 0, ended: 0 };
    while (this.#now < until) {
      while (this.#inFlight.length < Math.min(wanted, Math.floor(this.limit.limit))) this.#send();
      this.#inFlight.sort((a, b) => b.endsAt - a.endsAt);
      const next = this.#inFlight.at(-1);
      if (next === undefined) break;
      this.#now = next.endsAt;
      const firstByteMs = next.endsAt - next.startedAt;
      const { length: inFlight } = this.#inFlight;
      this.limit.add({ ms: firstByteMs, startedAt: next.startedAt, now: this.#now, inFlight });
      this.#inFlight.pop();
      seen.ended++;
      seen.inFlight += inFlight;
      seen.firstByteMs += firstByteMs;
      seen.limit += Math.min(this.limit.limit, 10_000);
    }
    const average = (sum: number) => sum / seen.ended;
    return { inFlight: average(seen.inFlight), firstByteMs: average(seen.firstByteMs), limit: average(seen.limit) };
  }

  #send(): void {
    const { capacity, firstByteMs } = this.vendor;
    // Prompts differ: without load some take three times as long as others.
    const own = firstByteMs * this.#random.between(0.5, 1.5);
    const load = Math.max(1, (this.#inFlight.length + 1) / capacity);
    this.#inFlight.push({ startedAt: this.#now, endsAt: this.#now + own * load });
  }
}

describe('the limit of a target', () => {
  it('does not exist while the vendor bears what callers send', () => {
    const simulation = new Simulation();
    simulation.run(5, 30_000);
    simulation.run(20, 120_000);
    expect(simulation.limit.limit).toBe(Number.POSITIVE_INFINITY);
  });

  it('settles near what the vendor bears, at times near the usual ones', () => {
    const simulation = new Simulation();
    const quiet = simulation.run(10, 30_000);
    simulation.run(200, 60_000);
    const busy = simulation.run(200, 120_000);
    expect(busy.inFlight).toBeGreaterThan(15);
    expect(busy.inFlight).toBeLessThan(70);
    expect(busy.firstByteMs).toBeLessThan(3.5 * quiet.firstByteMs);
    // Without a limit all 200 would wait ten times as long as usual.
    expect(busy.limit).toBeLessThan(100);
  });

  it('follows the vendor when it bears less, and more again', () => {
    const simulation = new Simulation();
    simulation.run(10, 30_000);
    simulation.run(40, 60_000);
    simulation.vendor.capacity = 5;
    simulation.run(40, 60_000);
    const less = simulation.run(40, 60_000);
    expect(less.inFlight).toBeLessThan(25);
    simulation.vendor.capacity = 100;
    simulation.run(40, 60_000);
    expect(simulation.run(40, 30_000).inFlight).toBeGreaterThan(38);
  });

  it('is never below the floor, however slow the vendor becomes', () => {
    const limit = new GradientLimit();
    let now = 0;
    const add = (ms: number) => {
      now += ms;
      limit.add({ ms, startedAt: now - ms, now, inFlight: 6 });
    };
    for (let sample = 0; sample < 50; sample++) add(100);
    const seen = new Set<number>();
    for (let sample = 0; sample < 500; sample++) {
      add(100 * 1.05 ** sample);
      seen.add(limit.limit);
    }
    expect(Math.min(...seen)).toBe(limitMin);
  });

  it('lets requests that have become longer for good pass again', () => {
    const simulation = new Simulation();
    simulation.run(10, 30_000);
    simulation.vendor.firstByteMs = 1600;
    simulation.run(10, 600_000);
    expect(simulation.run(10, 60_000).inFlight).toBeGreaterThan(9);
  });

  it('is cut once for the requests that were sent together', () => {
    const limit = new GradientLimit();
    const add = (ms: number, startedAt: number, inFlight: number) =>
      limit.add({ ms, startedAt, now: startedAt + ms, inFlight });
    for (let sample = 0; sample < 50; sample++) add(100, sample, 40);
    for (let sample = 0; sample < 40; sample++) add(5000 + sample, 100, 40 - sample);
    const cut = limit.limit;
    expect(cut).toBeGreaterThanOrEqual(15);
    expect(cut).toBeLessThan(40);
    add(5000, 6000, 20);
    expect(limit.limit).toBeLessThan(cut);
  });
});
