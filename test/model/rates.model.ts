// Random schedules of proxies that share limits: load that moves between them, kills, stalls, lost messages, clocks that
// are set. Whatever happens, in any 60 s no more requests begin than the limit, tokens keep their bound, and no more
// requests are in flight than slots.
import type { RateLimit, RateReservation } from '../../proxy/rates/rates.ts';
import { Random } from '../support/access/random.ts';
import { mostWithin } from '../support/limited-callers.ts';
import { newRequests, newSlotLimit, newTokens } from '../support/rates.ts';
import { type Fault, type ModelProxy, RatesWorld, takeOf } from './rates.world.ts';

export interface RatesSchedule {
  readonly url: string;
  readonly seed: number;
  readonly seconds: number;
}

export interface RatesFigures {
  readonly requests: number;
  readonly admitted: number;
  readonly calls: number;
  /** The fullest minute of the tightest limit on requests, as a part of it. */
  readonly fullest: number;
}

const minuteMs = 60_000;
const stepMs = 20;

interface Charge {
  readonly at: number;
  readonly tokens: number;
}

class LimitRecord {
  readonly limit: RateLimit;
  readonly times: number[] = [];
  readonly charges: Charge[] = [];
  /** By proxy: a killed one's requests are gone. */
  readonly inFlight = new Map<ModelProxy, number>();
  most = 0;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  begin(proxy: ModelProxy, at: number, tokens: number): void {
    this.times.push(at);
    this.charges.push({ at, tokens });
    this.inFlight.set(proxy, (this.inFlight.get(proxy) ?? 0) + 1);
    this.most = Math.max(
      this.most,
      [...this.inFlight.values()].reduce((sum, count) => sum + count, 0),
    );
  }

  end(proxy: ModelProxy, at: number, correction: number): void {
    if (!this.inFlight.has(proxy)) return;
    this.charges.push({ at, tokens: correction });
    this.inFlight.set(proxy, (this.inFlight.get(proxy) ?? 0) - 1);
  }

  /** @throws Error if the limit was exceeded */
  check(): number {
    const { kind, max } = this.limit;
    const used =
      kind === 'requests_per_minute'
        ? mostWithin(this.times, minuteMs)
        : kind === 'tokens_per_minute'
          ? mostAboveRefill(this.charges, max)
          : this.most;
    if (used > max + 1e-6) throw new Error(`${used} of ${max} ${kind}`);
    return used / max;
  }
}

/** The most tokens of any interval that begins with a charge, less what is refilled in it. */
function mostAboveRefill(charges: readonly Charge[], max: number): number {
  let [sum, least, most] = [0, 0, 0];
  const refill = (at: number) => (max * at) / minuteMs;
  for (const { at, tokens } of charges) {
    least = Math.min(least, sum - refill(at));
    sum += tokens;
    most = Math.max(most, sum - refill(at) - least);
  }
  return most;
}

/** @throws Error that names the seed and the limit that was exceeded */
export async function runRates({ url, seed, seconds }: RatesSchedule): Promise<RatesFigures> {
  const world = await RatesWorld.open(url);
  try {
    return await new Run(world, new Random(seed)).run(seconds);
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    world.close();
  }
}

class Run {
  readonly #world: RatesWorld;
  readonly #random: Random;
  readonly #records: readonly LimitRecord[];
  readonly #proxies: ModelProxy[] = [];
  readonly #past: ModelProxy[] = [];
  #weights: number[] = [];
  #perSecond = 0;
  #faultChance = 0;
  #requests = 0;
  #admitted = 0;

  constructor(world: RatesWorld, random: Random) {
    this.#world = world;
    this.#random = random;
    const max = random.pick([2_400, 3_600, 6_000]);
    this.#perSecond = (max / 60) * random.between(0.7, 2.5);
    const others = [
      newRequests(2 * max),
      newTokens(random.pick([100, 400]) * max),
      newSlotLimit(Math.ceil(this.#perSecond / random.pick([1, 3, 10]))),
    ].filter(() => random.chance(0.4));
    this.#records = [newRequests(max), ...others].map((limit) => new LimitRecord(limit));
    for (let nth = 0; nth < 3; nth++) this.#proxies.push(this.#newProxy());
    this.#move();
  }

  async run(seconds: number): Promise<RatesFigures> {
    const random = this.#random;
    for (let step = 0; step < (seconds * 1_000) / stepMs; step++) {
      if (random.chance(stepMs / 4_000)) this.#move();
      if (random.chance(stepMs / 15_000)) this.#kill();
      if (random.chance(stepMs / 10_000)) this.#setClock();
      await this.#world.step(stepMs);
      for (const [index, proxy] of this.#proxies.entries()) this.#arrive(proxy, this.#weights[index] ?? 0);
      await this.#world.settled();
    }
    const [fullest = 0] = this.#records.map((record) => record.check());
    const calls = [...this.#past, ...this.#proxies].reduce((sum, proxy) => sum + proxy.calls, 0);
    return { requests: this.#requests, admitted: this.#admitted, calls, fullest };
  }

  #newProxy(): ModelProxy {
    const proxy = this.#world.newProxy();
    proxy.fault = () => this.#fault();
    return proxy;
  }

  /** The load moves to other proxies, and becomes more or less reliable. */
  #move(): void {
    const weights = this.#proxies.map(() => this.#random.below(10) ** 2 + 0.1);
    const sum = weights.reduce((all, weight) => all + weight, 0);
    this.#weights = weights.map((weight) => weight / sum);
    this.#faultChance = this.#random.pick([0, 0, 0.02, 0.2]);
  }

  #kill(): void {
    const at = this.#random.below(this.#proxies.length);
    const [killed] = this.#proxies.splice(at, 1, this.#newProxy());
    if (killed === undefined) return;
    killed.isAlive = false;
    this.#past.push(killed);
    for (const { inFlight } of this.#records) inFlight.delete(killed);
  }

  /** Redis's clock only goes back: set ahead, it ends a minute early for every kind of count. */
  #setClock(): void {
    if (this.#random.chance(0.2)) this.#world.shiftRedis(-this.#random.below(3_000));
    else this.#random.pick(this.#proxies).wallShiftMs += this.#random.below(4_000) - 2_000;
  }

  #fault(): Fault {
    const random = this.#random;
    if (!random.chance(this.#faultChance)) return { kind: 'none' };
    return random.pick<() => Fault>([
      () => ({ kind: 'twice' }),
      () => ({ kind: 'unsent' }),
      () => ({ kind: 'unacknowledged' }),
      () => ({ kind: 'delayed', ms: random.below(80) }),
      () => ({ kind: 'stalled', ms: random.below(1_500) }),
    ])();
  }

  #arrive(proxy: ModelProxy, weight: number): void {
    for (let left = (this.#perSecond * weight * stepMs) / 1_000; left > 0; left--)
      if (left >= 1 || this.#random.chance(left)) void this.#request(proxy);
  }

  async #request(proxy: ModelProxy): Promise<void> {
    const { time } = this.#world;
    const random = this.#random;
    const chosen = this.#records.filter(() => random.chance(0.95));
    const records = chosen.length > 0 ? chosen : this.#records;
    const tokens = 20 + random.below(300);
    const limits = records.map(({ limit }) => limit);
    const [used, ms] = [random.below(tokens + 1), 10 + random.below(300)];
    this.#requests++;
    const decision = await takeOf(proxy, limits, tokens);
    if (decision?.reservation === undefined || !proxy.isAlive) return;
    this.#admitted++;
    for (const record of records) record.begin(proxy, time.monotonic(), tokens);
    time.after(ms, () => {
      if (proxy.isAlive) this.#end(decision.reservation, used);
      for (const record of records) record.end(proxy, time.monotonic(), used - tokens);
    });
  }

  #end(reservation: RateReservation | undefined, used: number): void {
    reservation?.settle(used);
  }
}
