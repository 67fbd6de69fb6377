// Proxies record usage while the control plane and Redis fail in every way, and while they are killed and closed. After
// every step each event of a living proxy is in the ledger, in the overflow or in its memory; at rest all events are in
// the ledger.
import { expect, it } from 'vitest';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';
import {
  type Condition,
  FakeStore,
  FakeWindows,
  startUsageProxy,
  type UsageProxy,
  usageOf,
} from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const schedules = roundsOf(20);
const steps = 60;
const proxiesMax = 3;

// GATEWAY_MODEL_SEED repeats the schedule that a failure names.
const given = process.env.GATEWAY_MODEL_SEED;
const firstSeed = given === undefined ? startingSeed() : Number(given);

interface Recording {
  readonly proxy: UsageProxy;
  /** Recorded events that have not been seen in the ledger yet. */
  open: UsageEvent[];
}

class Schedule {
  readonly seen = new Map<string, number>();
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #ledger = new FakeWindows(this.#time);
  readonly #store = new FakeStore(this.#time);
  #living: Recording[] = [];
  /** The remaining events of closed proxies, without those that they logged as lost. */
  #left: UsageEvent[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
    for (let i = 0; i < proxiesMax; i++) this.#start();
  }

  async run(): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#step();
      for (const recording of this.#living) this.#check(recording);
    }
    await this.#rest();
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const conditions: readonly Condition[] = ['up', 'up', 'down', 'deaf', 'mute'];
    const kind = random.below(20);
    if (kind < 8) this.#record(random.pick(this.#living));
    else if (kind < 14) await this.#time.advance(random.pick([1, 7, 25, 400, 3_000, 20_000]));
    else if (kind < 16) this.#ledger.condition = random.pick(conditions);
    else if (kind < 18) this.#store.condition = random.pick(conditions);
    else if (kind === 18) this.#store.entriesMax = random.pick([0, 2, 100]);
    else if (random.chance(0.5)) this.#kill();
    else await this.#close();
  }

  #start(overflows = this.#random.chance(0.8)): void {
    const { random, time } = { random: new Random(this.#random.below(1_000_000)), time: this.#time };
    const overflow = overflows ? this.#store.overflow(random) : undefined;
    const proxy = startUsageProxy({ ...{ random, time, overflow }, client: this.#ledger.client() });
    this.#living.push({ proxy, open: [] });
  }

  #record({ proxy, open }: Recording): void {
    const many = this.#random.pick([1, 1, 3, 3, 40, 40, 1_200]);
    for (let i = 0; i < many; i++) {
      const event = usageOf({ organizationId: `organization-${this.#random.below(3)}` });
      if (this.#random.chance(0.0005)) this.#ledger.invalid.add(event.id);
      open.push(event);
      proxy.record(event);
    }
  }

  #check(recording: Recording): void {
    const { proxy } = recording;
    recording.open = recording.open.filter((event) => !this.#ledger.has(event));
    expect(this.#missing(recording.open).length).toBeLessThanOrEqual(proxy.gauges.events + proxy.counts.lost);
    expect(proxy.failures).toEqual([]);
  }

  /** The events that are neither in the ledger nor in the overflow. */
  #missing(events: readonly UsageEvent[]): readonly UsageEvent[] {
    const stored = new Set(this.#store.events.map(({ id }) => id));
    return events.filter((event) => !this.#ledger.has(event) && !stored.has(event.id));
  }

  /** Events that were only in the killed proxy's memory are lost. */
  #kill(): void {
    const killed = this.#take();
    killed.proxy.kill();
    const gone = new Set(this.#missing(killed.open));
    this.#left.push(...killed.open.filter((event) => !gone.has(event)));
    this.#note('killed with events', gone.size);
    this.#start();
  }

  async #close(): Promise<void> {
    const closed = this.#take();
    const ms = this.#random.pick([0, 50, 1_000, 10_000]);
    let isOver = false;
    const over = closed.proxy.close(this.#time.monotonic() + ms).then(() => {
      isOver = true;
    });
    await this.#time.advance(ms);
    expect(isOver).toBe(true);
    await over;
    this.#check(closed);
    const missing = new Set(this.#missing(closed.open));
    this.#left.push(...closed.open.filter((event) => !missing.has(event)));
    this.#note('closed', 1);
    this.#note('logged as lost', missing.size);
    this.#start();
  }

  #take(): Recording {
    const [taken] = this.#living.splice(this.#random.below(this.#living.length), 1);
    if (taken === undefined) throw new Error('no proxy lives');
    return taken;
  }

  async #rest(): Promise<void> {
    this.#note('in the overflow', this.#store.events.length);
    this.#ledger.condition = 'up';
    this.#store.condition = 'up';
    this.#store.entriesMax = Number.POSITIVE_INFINITY;
    // The other proxies may all be without Redis.
    this.#start(true);
    // Longer than the time for which an entry is skipped.
    await this.#time.advance(700_000);
    const valid = ({ id }: UsageEvent) => !this.#ledger.invalid.has(id);
    for (const { proxy, open } of this.#living) {
      expect(proxy.gauges).toMatchObject({ events: 0, bytes: 0 });
      this.#left.push(...open);
      for (const [name, count] of Object.entries(proxy.counts)) this.#note(name, count);
    }
    const lost = this.#left.filter((event) => valid(event) && !this.#ledger.has(event));
    expect(lost.map(({ id }) => id)).toEqual([]);
    // An entry remains only because of an event that is refused for good.
    expect(this.#store.entries.filter((entry) => entry.events.every(valid)).length).toBe(0);
  }

  #note(name: string, count: number): void {
    this.seen.set(name, (this.seen.get(name) ?? 0) + count);
  }
}

it(`every usage event arrives despite random failures (seeds from ${firstSeed})`, async () => {
  const seen = new Map<string, number>();
  for (let seed = firstSeed; seed < firstSeed + (given === undefined ? schedules : 1); seed++) {
    const schedule = new Schedule(seed);
    await schedule.run().catch((cause: unknown) => {
      throw new Error(`GATEWAY_MODEL_SEED=${seed} fails`, { cause });
    });
    for (const [name, count] of schedule.seen) seen.set(name, (seen.get(name) ?? 0) + count);
  }
  if (given !== undefined) return;
  // A schedule that reaches nothing would pass trivially.
  const reached = ['reported', 'overflowed', 'drained', 'closed', 'killed with events', 'logged as lost'];
  expect(reached.filter((name) => (seen.get(name) ?? 0) === 0)).toEqual([]);
});
