// Responses that the vendor generates after their request has ended. The proxy that took the request keeps its
// reservation, reads the response again and again with the stored key until it is over, and settles by its usage,
// exactly once. If that takes too long, or the gateway stops, the whole reservation is charged. Clients' reads settle
// nothing. Such responses are limited in number, for each organization, and in time; they have no slot among the
// requests in flight, but keep those of concurrency limits.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { alphaOf, OccupiedShare, type ShareOwner } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import { type ChatCall, isInBackground, type Outcome } from '../call.ts';
import type { Usage } from '../conversation/usage.ts';
import { GatewayError } from '../errors.ts';
import type { Reservation, Settled } from '../ledger/ledger.ts';
import type { Target } from '../providers/provider.ts';
import { responseModel } from '../upstream/provider-text.ts';
import type { RequestRecord } from './exchange.ts';
import { PollContext } from './poll-context.ts';
import { type FetchStored, storedRequest } from './stored-request.ts';

export interface BackgroundLimits {
  /** Maximum number of responses at a time. */
  readonly max: number;
  /** The part of them that one organization may use while no other does, above 0 to 1. */
  readonly organizationShare: number;
}

/**
 * How following a response ended: `settled` by its usage; over without a usage (`unreported`); deleted at the vendor
 * (`gone`); not over in time, or when the gateway stopped; `not_read`: a defect.
 */
export const backgroundResults = ['settled', 'unreported', 'gone', 'timed_out', 'shutdown', 'not_read'] as const;

export type BackgroundResult = (typeof backgroundResults)[number];

export interface BackgroundResponsesDeps {
  readonly fetchStored: FetchStored;
  /** Bytes of responses in memory. */
  readonly bytes: Pick<OccupiedShare, 'take' | 'give'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  onSettled(settled: SettledResponse): void;
}

/** A response whose request has ended. */
export interface FollowedResponse {
  readonly requestId: string;
  /** The vendor's id. */
  readonly id: string;
  readonly target: Target;
  /** Of the request, without a usage. */
  readonly outcome: Outcome;
  readonly record: RequestRecord;
  readonly reservation: Pick<Reservation, 'settle'>;
}

export interface SettledResponse {
  readonly requestId: string;
  /** As at the end of the request, with usage and cost. */
  readonly record: RequestRecord;
  readonly result: BackgroundResult;
  /** The vendor's word; undefined if it was not over. */
  readonly status: string | undefined;
  readonly polls: number;
  /** Since the end of its request. */
  readonly durationMs: number;
}

interface End {
  readonly result: BackgroundResult;
  readonly ending: Outcome['ending'];
  readonly status?: string;
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
}

const [firstPauseMs, lastPauseMs, pauseGrowth] = [2_000, 60_000, 1.5];
/** While the gateway stops. */
const stoppingPauseMs = 5_000;
const followMs = 3_600_000;
const roomAfterSeconds = 5;

export class BackgroundResponses {
  /** The more all organizations use together, the less each may use: so there is always room for another one. */
  readonly responses: OccupiedShare;
  readonly #deps: BackgroundResponsesDeps;
  readonly #open = new Map<string, Follower>();
  #state: 'serving' | 'stopping' | 'stopped' = 'serving';
  #idle: (() => void)[] = [];

  constructor({ max, organizationShare }: BackgroundLimits, deps: BackgroundResponsesDeps) {
    this.responses = new OccupiedShare({ capacity: max, alpha: alphaOf(organizationShare) });
    this.#deps = deps;
  }

  /** Number of responses that are not settled. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Takes room before the vendor is called, which cannot be stopped afterwards.
   * @returns undefined for a request whose response ends with it
   * @throws GatewayError overloaded
   */
  admit(call: Pick<ChatCall, 'request'>, owner: ShareOwner): BackgroundSlot | undefined {
    if (!isInBackground(call)) return undefined;
    if (!this.responses.take(owner)) throw noRoom();
    return {
      follow: (response) => this.#follow(response, owner),
      release: () => this.responses.give(owner),
    };
  }

  /** Its owner has seen its end, so that it can be settled. */
  pollSoon(target: Target, id: string): void {
    this.#open.get(nameOf(target, id))?.wake();
  }

  /** Its owner deletes it, after which nobody can read its usage. Resolves once it was read, if it is followed here. */
  async poll(target: Target, id: string): Promise<void> {
    await this.#open.get(nameOf(target, id))?.polled();
  }

  /** The gateway stops once they are over: they are read more often. */
  hurry(): void {
    if (this.#state === 'serving') this.#state = 'stopping';
    for (const follower of this.#open.values()) follower.wakeWithin(stoppingPauseMs);
  }

  /** Charges all of them their reservations. */
  stop(): void {
    this.#state = 'stopped';
    for (const follower of this.#open.values()) follower.stop();
  }

  /** Resolves when all are settled. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #follow(response: FollowedResponse, owner: ShareOwner): void {
    const name = nameOf(response.target, response.id);
    const longestPauseMs = () => (this.#state === 'serving' ? lastPauseMs : stoppingPauseMs);
    const follower = new Follower(response, { ...this.#deps, owner, longestPauseMs });
    this.#open.set(name, follower);
    if (this.#state === 'stopped') follower.stop();
    const followed = follower.run().finally(() => {
      this.#open.delete(name);
      this.responses.give(owner);
      if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    });
    this.#deps.background('follow a response in the background', followed);
  }
}

/** Room for one response; exactly one of the two is called, once. */
export interface BackgroundSlot {
  follow(response: FollowedResponse): void;
  /** The response ended with its request. */
  release(): void;
}

interface FollowerDeps extends BackgroundResponsesDeps {
  readonly owner: ShareOwner;
  longestPauseMs(): number;
}

class Follower {
  readonly #response: FollowedResponse;
  readonly #deps: FollowerDeps;
  readonly #startedAt: number;
  #polls = 0;
  #isStopped = false;
  #isOver = false;
  #reading: PollContext | undefined;
  #endPause: () => void = () => undefined;
  #cancelWake: () => void = () => undefined;
  #afterPoll: (() => void)[] = [];

  constructor(response: FollowedResponse, deps: FollowerDeps) {
    this.#response = response;
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
  }

  /** Reads it now, unless it is being read. */
  wake(): void {
    this.#endPause();
  }

  /** Not all at once: there may be a thousand. */
  wakeWithin(ms: number): void {
    const { random, timers } = this.#deps;
    this.#cancelWake();
    this.#cancelWake = timers.after(random() * ms, () => this.wake());
  }

  /** Resolves when it was read, or is settled. */
  polled(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#afterPoll.push(resolve);
      this.wake();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#reading?.abort(new GatewayError('draining'));
    this.wake();
  }

  /** @throws Error of a defect, after it has settled */
  async run(): Promise<void> {
    let end: End = { result: 'not_read', ending: 'not_read' };
    try {
      end = await this.#untilOver();
    } finally {
      this.#isOver = true;
      this.#cancelWake();
      this.#settle(end);
      this.#polledOnce();
    }
  }

  async #untilOver(): Promise<End> {
    const { clock, longestPauseMs } = this.#deps;
    for (let pauseMs = firstPauseMs; !this.#isStopped; pauseMs *= pauseGrowth) {
      await this.#pause(Math.min(pauseMs, longestPauseMs()));
      const end = this.#isStopped ? undefined : await this.#read();
      if (end !== undefined) return end;
      this.#polledOnce();
      if (clock.monotonic() - this.#startedAt >= followMs) return { result: 'timed_out', ending: 'timed_out' };
    }
    return { result: 'shutdown', ending: 'shutdown' };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.timers.after(ms, () => this.#endPause());
      this.#endPause = () => {
        cancel();
        this.#endPause = () => undefined;
        resolve();
      };
    });
  }

  /** @returns undefined if it is not over, or cannot be read now */
  async #read(): Promise<End | undefined> {
    const { clock, fetchStored } = this.#deps;
    const { id, target } = this.#response;
    const context = new PollContext(this.#deps);
    this.#reading = context;
    this.#polls++;
    try {
      const request = await storedRequest(target, { action: 'read', id }, clock.now());
      const { status, body } = await fetchStored(request, context);
      if (status === 404) return { result: 'gone', ending: 'cut' };
      return status < 300 ? this.#endIn(body) : undefined;
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    } finally {
      this.#reading = undefined;
      context.end();
    }
  }

  #endIn(body: Buffer): End | undefined {
    const { provider, credential } = this.#response.target;
    const state = provider.readStored?.(body);
    if (state?.isOver !== true) return undefined;
    const { status, usage } = state;
    const model = responseModel(state.model, credential);
    if (usage !== undefined) return { result: 'settled', ending: 'whole', status, usage, model };
    return { result: 'unreported', ending: this.#endingWithoutUsage(status), status, model };
  }

  /** A failure costs nothing, as that of every request. What was generated before a caller cancelled is unknown. */
  #endingWithoutUsage(status: string): Outcome['ending'] {
    if (status === 'completed' || status === 'incomplete') return 'whole';
    return status === 'failed' && this.#response.outcome.textTokens() === 0 ? 'unused' : 'cut';
  }

  #settle({ result, ending, status, usage, model }: End): void {
    const { requestId, outcome, record, reservation } = this.#response;
    const settled = reservation.settle({
      ...outcome,
      ending,
      usage: usage ?? outcome.usage,
      usageIsComplete: usage !== undefined,
      modelAnswered: model ?? outcome.modelAnswered,
    });
    this.#deps.onSettled({
      requestId,
      record: settledRecord(record, { usage, model, settled }),
      result,
      status,
      polls: this.#polls,
      durationMs: this.#deps.clock.monotonic() - this.#startedAt,
    });
  }

  #polledOnce(): void {
    for (const resolve of this.#afterPoll.splice(0)) resolve();
  }
}

interface SettledUsage extends Pick<End, 'usage' | 'model'> {
  readonly settled: Settled;
}

function settledRecord(record: RequestRecord, { usage, model, settled }: SettledUsage): RequestRecord {
  const { cost: costNano, estimateReason } = settled;
  return { ...record, usage, costNano, estimateReason, modelAnswered: model ?? record.modelAnswered };
}

function nameOf({ providerKeyId }: Target, id: string): string {
  return `${providerKeyId} ${id}`;
}

function noRoom(): GatewayError {
  return new GatewayError('overloaded', {
    message: 'too many responses are being generated in the background; try again, or send background: false',
    retryAfter: roomAfterSeconds,
  });
}
