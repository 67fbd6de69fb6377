// Rates of all proxies together, counted in Redis: one call for all requests of a shard that begin in one tick of the
// event loop, and for those that have ended. A call that runs after its requests have stopped waiting, or a second
// time, has no effect.
import { randomBytes } from 'node:crypto';
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { createScript, type Script } from '../redis/script.ts';
import { shardOf } from '../redis/shards.ts';
import { BatchQueue } from './batch-queue.ts';
import { LeasedRates } from './leased-rates.ts';
import { Leases, type SlotLeases } from './leases.ts';
import type { LocalRates } from './local-rates.ts';
import {
  type Begun,
  type CountedRequest,
  isReleased,
  type LeaseOfLimit,
  type RateBatch,
  rateKey,
  takesSlots,
} from './rate-batch.ts';
import { BatchCall, type Judgement } from './rate-batch-call.ts';
import type { RateDecision, RateLimit, RateQuestion, RateReservation, Rates, Standing } from './rates.ts';
import type { RateScripts } from './scripts.ts';
import { NoReplyError, TimedScripts } from './timed-scripts.ts';

export interface RedisRatesDeps {
  readonly connection: RedisConnection;
  readonly scripts: RateScripts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  /** How long a request waits: as long as the connection does. */
  readonly deadlineMs: number;
  /** The requests that this proxy has admitted without Redis. */
  readonly alone?: Pick<LocalRates, 'report' | 'followLease'>;
  /** A request was decided without a call. */
  readonly onLeased?: () => void;
  /** False: every request is counted by Redis, however many there are. For comparisons. */
  readonly leases?: boolean;
}

/** Limits whose load is known, and as many counters of values that callers choose. */
const leasedLimitsMax = 20_000;
const leaseMs = 30_000;
const renewMs = 10_000;
/** For a call that no request waits for. */
const endsWindowMs = 1_000;
const freeAgainMs = 1_000;

export class RedisRates implements Rates {
  readonly #deps: RedisRatesDeps;
  readonly #scripts: TimedScripts;
  readonly #batch: Script;
  readonly #renew: Script;
  readonly #batchQueue: BatchQueue;
  readonly #leases = new Leases();
  readonly #leased: LeasedRates;
  #cancelRenewal: (() => void) | undefined;
  #closed = false;
  /** Prefix of lease names. A request's id cannot be the name: its caller may choose it, and use it twice. */
  readonly #proxy = randomBytes(9).toString('base64url');
  #count = 0;

  constructor(deps: RedisRatesDeps) {
    this.#deps = deps;
    this.#scripts = new TimedScripts(deps);
    this.#batch = createScript(deps.scripts.turn);
    this.#renew = createScript(deps.scripts.renew);
    this.#batchQueue = new BatchQueue({ timers: deps.timers, send: (batch) => this.#send(batch) });
    this.#leased = new LeasedRates({
      ...deps,
      limitsMax: deps.leases === false ? 0 : leasedLimitsMax,
      onBack: (shard, leases) => this.#batchQueue.back(shard, leases),
      onCorrection: (request, correction) => this.#batchQueue.end({ request, correction }),
      onUsed: (limit, count) => deps.alone?.followLease(limit, count),
      onFree: (slot) => {
        this.#leases.remove(slot);
        this.#batchQueue.end({ request: slot, correction: 0 });
      },
    });
  }

  /** Returns a promise only if Redis is called. @throws RedisUnavailableError within the deadline */
  take({ organizationId, limits, tokens }: RateQuestion): RateDecision | Promise<RateDecision> {
    const shard = shardOf(organizationId);
    const leased = this.#leased.decide(shard, limits, tokens);
    if (leased !== undefined) {
      const { standings, slots } = leased;
      this.#deps.onLeased?.();
      return { standings, reservation: slots && this.#leasedReservation({ shard, limits, tokens, slots }) };
    }
    const request = { shard, name: this.#newName(), limits, tokens };
    return new Promise((resolve, reject) => {
      this.#batchQueue.begin({ request, resolve, reject });
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelRenewal?.();
    this.#leased.close();
    this.#batchQueue.close();
  }

  #newName(): string {
    this.#count++;
    return `${this.#proxy}${this.#count.toString(36)}`;
  }

  #send(batch: RateBatch): void {
    const done = this.#run(batch);
    // Requests that begin in the batch wait for it, and get its error.
    if (batch.begun.length === 0) this.#deps.background('settle rates', done);
  }

  async #run(batch: RateBatch): Promise<void> {
    const { shard, begun } = batch;
    const windowMs = begun.length > 0 ? this.#deps.deadlineMs : endsWindowMs;
    const limits = limitsOf(batch);
    const report = this.#deps.alone?.report(limits);
    const leaseCall = this.#leased.call(shard, limits);
    const sentAt = this.#deps.clock.monotonic();
    try {
      const options = { name: this.#newName(), leaseMs, alone: report?.counts ?? [], leases: leaseCall.leases };
      const call = new BatchCall(batch, options);
      const response = await this.#scripts.run(this.#batch, call, { shard, windowMs });
      const judgements = call.read(response);
      leaseCall.granted(call.grants);
      const sizes = sizesOf(leaseCall.leases, call.grants.sizes);
      for (const [index, one] of begun.entries()) {
        const judgement = judgements[index];
        if (judgement !== undefined) this.#resolve(one, judgement, { sentAt, sizes });
      }
      // The resolved requests continue after this.
      report?.end(true);
    } catch (error) {
      leaseCall.failed();
      // Redis may have counted them nevertheless: counting twice is better than not at all.
      report?.end(false);
      for (const { reject } of begun) reject(error);
      this.#freeLater(batch, error);
      if (begun.length === 0 && !(error instanceof RedisUnavailableError)) throw error;
    }
  }

  #resolve({ request, resolve }: Begun, { isAdmitted, standings }: Judgement, { sentAt, sizes }: Resolved): void {
    this.#leased.hear(request, standings, { isAdmitted, sentAt });
    resolve({
      standings: sizes.size === 0 ? standings : withLeases(request.limits, standings, sizes),
      reservation: isAdmitted ? this.#reservation(request) : undefined,
    });
  }

  #reservation(request: CountedRequest): RateReservation {
    this.#leases.add(request);
    this.#renewLater();
    return {
      settle: (tokensUsed) => {
        this.#leases.remove(request);
        const correction = tokensUsed - request.tokens;
        const limits = request.limits.filter(({ kind }) => isReleased(kind, correction));
        if (limits.length === 0) return;
        const released = limits.filter((limit) => !this.#retains({ ...request, limits: [limit] }));
        if (released.length > 0) this.#batchQueue.end({ request: { ...request, limits: released }, correction });
      },
    };
  }

  /** Of a request that was decided without a call. */
  #leasedReservation({ shard, limits, tokens, slots }: LeasedRequest): RateReservation {
    return {
      settle: (tokensUsed) => {
        this.#leased.settle(shard, limits, tokensUsed - tokens);
        for (const slot of slots) {
          if (this.#leased.retains(slot)) continue;
          this.#leases.remove(slot);
          this.#batchQueue.end({ request: slot, correction: 0 });
        }
      },
    };
  }

  /** @param slot of a request that has ended, and that is not renewed any more */
  #retains(slot: CountedRequest): boolean {
    if (!takesSlots(slot) || !this.#leased.retains(slot)) return false;
    this.#leases.add(slot);
    this.#renewLater();
    return true;
  }

  /**
   * Frees the slots of requests in an uncertain state: Redis did not respond when they were acquired or released.
   * Repeats that until Redis responds, or the leases are over. Only slots are freed, because they can be freed twice.
   */
  #freeLater({ ended, begun }: RateBatch, error: unknown): void {
    if (this.#closed) return;
    const { clock, timers } = this.#deps;
    const now = clock.monotonic();
    const mayBeTaken = error instanceof NoReplyError ? begun : [];
    const unsure = [
      ...ended.map(({ request, until = now + leaseMs }) => ({ request, correction: 0, until })),
      ...mayBeTaken.map(({ request }) => ({ request, correction: 0, until: now + leaseMs })),
    ].filter(({ request, until }) => takesSlots(request) && now < until);
    if (unsure.length === 0) return;
    timers.after(freeAgainMs, () => {
      for (const one of unsure) this.#batchQueue.end(one);
    });
  }

  /** One timer for all leases, and none if there are no leases. */
  #renewLater(): void {
    if (this.#cancelRenewal !== undefined || this.#leases.isEmpty) return;
    this.#cancelRenewal = this.#deps.timers.after(renewMs, () => {
      this.#cancelRenewal = undefined;
      for (const [shard, leases] of this.#leases.byShard())
        this.#deps.background('renew leases', this.#renewAll(shard, leases));
      this.#renewLater();
    });
  }

  /** A failure costs no request anything: a lease lasts 30 seconds. */
  async #renewAll(shard: number, leases: SlotLeases): Promise<void> {
    const keys = [...leases.keys()].map((limitId) => rateKey(shard, 'concurrent_requests', limitId));
    const args = [leaseMs, ...[...leases.values()].flatMap((requests) => [requests.size, ...requests.keys()])];
    const renewed = new Set([...leases.values()].flatMap((requests) => [...requests.values()]));
    const window = { shard, windowMs: this.#deps.deadlineMs };
    await this.#scripts.run(this.#renew, { keys, args }, window).catch((error: unknown) => {
      if (!(error instanceof RedisUnavailableError)) throw error;
    });
    this.#freeEnded(renewed);
  }

  /**
   * Frees the slots of requests that have ended while their leases were renewed. A renewal that is sent a second time,
   * because Redis did not know the script or its time was set, comes after the end and has put the lease back.
   */
  #freeEnded(renewed: ReadonlySet<CountedRequest>): void {
    if (this.#closed) return;
    const until = this.#deps.clock.monotonic() + leaseMs;
    for (const request of renewed) {
      if (!this.#leases.has(request)) this.#batchQueue.end({ request, correction: 0, until });
    }
  }
}

interface Resolved {
  readonly sentAt: number;
  /** What the call leased, by limit. */
  readonly sizes: ReadonlyMap<string, number>;
}

interface LeasedRequest extends Pick<CountedRequest, 'shard' | 'limits' | 'tokens'> {
  readonly slots: readonly CountedRequest[];
}

function sizesOf(leases: readonly LeaseOfLimit[], sizes: readonly number[]): ReadonlyMap<string, number> {
  const wanted = leases.filter(({ want }) => want > 0);
  return new Map(wanted.map(({ limit: { id } }, index) => [id, sizes[index] ?? 0]));
}

function withLeases(
  limits: readonly RateLimit[],
  standings: readonly Standing[],
  sizes: ReadonlyMap<string, number>,
): readonly Standing[] {
  return standings.map((standing, index) => {
    const leased = sizes.get(limits[index]?.id ?? '') ?? 0;
    return leased === 0 ? standing : { ...standing, leased };
  });
}

/** The limits of the requests that begin, each once, as the newest request has it. */
function limitsOf({ begun }: RateBatch): readonly RateLimit[] {
  const limits = new Map<string, RateLimit>();
  for (const { request } of begun) for (const limit of request.limits) limits.set(limit.id, limit);
  return [...limits.values()];
}
