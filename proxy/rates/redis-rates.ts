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
import { Leases, type SlotLeases } from './leases.ts';
import type { LocalRates } from './local-rates.ts';
import { type CountedRequest, isReleased, type RateBatch, rateKey, takesSlots } from './rate-batch.ts';
import { BatchCall } from './rate-batch-call.ts';
import type { RateDecision, RateLimit, RateQuestion, RateReservation, Rates } from './rates.ts';
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
  readonly alone?: Pick<LocalRates, 'report'>;
}

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
  }

  /** @throws RedisUnavailableError within the deadline */
  take({ organizationId, limits, tokens }: RateQuestion): Promise<RateDecision> {
    const request = { shard: shardOf(organizationId), name: this.#newName(), limits, tokens };
    return new Promise((resolve, reject) => {
      this.#batchQueue.begin({ request, resolve, reject });
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelRenewal?.();
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
    const report = this.#deps.alone?.report(limitsOf(batch));
    try {
      const call = new BatchCall(batch, { name: this.#newName(), leaseMs, alone: report?.counts ?? [] });
      const response = await this.#scripts.run(this.#batch, call, { shard, windowMs });
      for (const [index, { isAdmitted, standings }] of call.read(response).entries()) {
        const one = begun[index];
        one?.resolve({ standings, reservation: isAdmitted ? this.#reservation(one.request) : undefined });
      }
      // The resolved requests continue after this.
      report?.end(true);
    } catch (error) {
      // Redis may have counted them nevertheless: counting twice is better than not at all.
      report?.end(false);
      for (const { reject } of begun) reject(error);
      this.#freeLater(batch, error);
      if (begun.length === 0 && !(error instanceof RedisUnavailableError)) throw error;
    }
  }

  #reservation(request: CountedRequest): RateReservation {
    this.#leases.add(request);
    this.#renewLater();
    return {
      settle: (tokensUsed) => {
        this.#leases.remove(request);
        const correction = tokensUsed - request.tokens;
        if (request.limits.some(({ kind }) => isReleased(kind, correction)))
          this.#batchQueue.end({ request, correction });
      },
    };
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

/** The limits of the requests that begin, each once, as the newest request has it. */
function limitsOf({ begun }: RateBatch): Iterable<RateLimit> {
  const limits = new Map<string, RateLimit>();
  for (const { request } of begun) for (const limit of request.limits) limits.set(limit.id, limit);
  return limits.values();
}
