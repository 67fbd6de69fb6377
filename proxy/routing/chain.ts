// The attempts of one request: the targets that it may use, one after the other, until one responds. Another attempt
// follows if the failure may be another one's, and within limits: three attempts, a share of the organization's traffic
// (so that retries cannot multiply an outage), and money for it. After anything was passed on, one follows only where
// recovering-stream.ts requests it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { GatewayError } from '../errors.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, Received } from '../upstream/attempt-result.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import { countedTarget, type TargetNames } from './counted-target.ts';
import type { FailureCause, Health } from './health.ts';
import { type FailedAttempt, failedAttempt, type RefusedElsewhere } from './outcomes.ts';
import type { RetryBudget } from './retry-budget.ts';
import { shownFailure, waitOf } from './shown-failure.ts';
import type { CountedAttempt, TargetLoads } from './target-loads.ts';
import { exhaustedForMs } from './vendor-limits.ts';

export interface ChainDeps {
  readonly health: TargetHealth;
  readonly loads: Pick<TargetLoads, 'begin'>;
  readonly retryBudget: Pick<RetryBudget, 'request' | 'mayRetry'>;
  readonly metrics: {
    /** @param isFollowed another attempt follows */
    attemptFailed(cause: FailureCause | 'other', isFollowed: boolean): void;
    /** The stream of a route with recovery broke off after a part of it was passed on. */
    streamBroke(result: RecoveryResult): void;
  };
  readonly timers: Timers;
  readonly clock: Clock;
  /** From 0 to 1. */
  random(): number;
}

/** What is known of targets from the attempts of all requests. */
export type TargetHealth = Pick<
  Health,
  'usable' | 'usableGroups' | 'mayTry' | 'failed' | 'succeeded' | 'undecided' | 'firstToken' | 'exhausted'
>;

/** One attempt at a target. */
export interface ChainAttempt {
  readonly received: Received;
  /** Whether anything was sent. */
  readonly isSent: boolean;
  /** The headers of the response. */
  readonly head: IncomingHttpHeaders;
  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult>;
  /** @param done called once, when the response has ended, unless the attempt has failed */
  whenOver(done: () => void): void;
}

export interface ChainContext {
  /** The error that aborted the request. */
  readonly aborted: Error | undefined;
  /** Another attempt may follow. */
  attemptFailed(): void;
  onAbort(abortable: { abort(error: Error): void }): void;
}

export interface ChainCall extends TargetNames {
  /** In the order in which they are tried; not empty. */
  readonly targets: readonly Target[];
  /** Of a route: the same targets in groups, of which a later one never comes before an earlier one. */
  readonly groups?: readonly (readonly Target[])[] | undefined;
  readonly route?: RefusedElsewhere | undefined;
  /** Whether an operator has stopped the target's model meanwhile; absent: none is. */
  readonly isStopped?: ((target: Target) => boolean) | undefined;
  /** A copy of a request: it has one attempt, and permits no further ones of others. */
  readonly isShadow?: boolean;
}

export interface Attempts {
  start(target: Target, options: AttemptOptions): ChainAttempt;
  /** Whether the target's request has reasoning that only a vendor can read, and can be sent without it. */
  mayLeaveOutReasoning(target: Target): boolean;
  /**
   * Charges an attempt that may have cost something, and reserves money for another one.
   * @returns false if there is none
   */
  charge(failure: unknown): boolean | Promise<boolean>;
}

/** The attempts of one request. */
export interface RecoveringChain {
  /** What came of the latest attempt; undefined before the first. */
  readonly received: Received | undefined;
  /** @throws GatewayError, ProviderFailure: what the caller gets */
  run(): Promise<AttemptResult>;
  /**
   * The stream of the latest attempt failed after a part of it was passed on. The next target gets the request; if there
   * is none, the same one on a new connection.
   * @param isFit whether a target may get what follows
   * @throws GatewayError, ProviderFailure: no attempt follows, or none responds
   */
  recover(error: unknown, isFit: (target: Target) => boolean): Promise<AttemptResult>;
}

/**
 * What followed after a stream had broken off: `final` if nothing may follow on what the caller had, `failed` if no
 * further attempt was possible or none responded.
 */
export const recoveryResults = ['restarted', 'continued', 'final', 'failed'] as const;
export type RecoveryResult = (typeof recoveryResults)[number];

export interface AttemptOptions {
  /** On a new connection. */
  readonly fresh: boolean;
  /** The vendor could not read the reasoning of earlier turns. */
  readonly withoutReasoning: boolean;
}

/** How many attempts one request may have. */
const attemptsMax = 3;
/** A wait that the vendor requests is worth it up to this. */
const waitMsMax = 2000;
/** A random time before the same target gets the request again, so that many requests do not come back together. */
const jitterMs = { min: 50, max: 500 };

export class Chains {
  readonly #deps: ChainDeps;

  constructor(deps: ChainDeps) {
    this.#deps = deps;
  }

  /** @throws GatewayError, ProviderFailure: what the caller gets */
  run(call: ChainCall, attempts: Attempts, context: ChainContext): Promise<AttemptResult> {
    return this.open(call, attempts, context).run();
  }

  /** Call `run` of it once, then `recover` as often as a stream breaks off. */
  open(call: ChainCall, attempts: Attempts, context: ChainContext): RecoveringChain {
    const { health, retryBudget } = this.#deps;
    if (call.isShadow !== true) retryBudget.request(call.organization);
    // Usually there is one, which is used whatever is known of it.
    const targets = call.targets.length < 2 ? call.targets : usableTargets(health, call);
    return new Chain(this.#deps, { call, targets, attempts, context });
  }

  streamBroke(result: RecoveryResult): void {
    this.#deps.metrics.streamBroke(result);
  }
}

function usableTargets(health: TargetHealth, call: ChainCall): readonly Target[] {
  const counted = (targets: readonly Target[]) => targets.map((target) => countedTarget(target, call));
  const { targets, groups } = call;
  const usable = groups === undefined ? health.usable(counted(targets)) : health.usableGroups(groups.map(counted));
  return usable.map(({ target }) => target);
}

interface ChainParts {
  readonly call: ChainCall;
  readonly targets: readonly Target[];
  readonly attempts: Attempts;
  readonly context: ChainContext;
}

class Chain implements RecoveringChain {
  readonly #deps: ChainDeps;
  readonly #parts: ChainParts;
  readonly #failures: unknown[] = [];
  /** The index of the target that has the request. */
  #at = 0;
  /** The same target has the request again. */
  #isAgain = false;
  #last: ChainAttempt | undefined;
  /** Whether a target may get what follows. */
  #isFit: (target: Target) => boolean = () => true;
  /** The index of the target that has the request without reasoning: at most one does. */
  #leftOutAt: number | undefined;

  constructor(deps: ChainDeps, parts: ChainParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  run(): Promise<AttemptResult> {
    return this.#attempt(usual);
  }

  get received(): Received | undefined {
    return this.#last?.received;
  }

  async recover(error: unknown, isFit: (target: Target) => boolean): Promise<AttemptResult> {
    const { targets, call } = this.#parts;
    const [target, attempt] = [targets[this.#at], this.#last];
    if (target === undefined || attempt === undefined) throw error;
    this.#isFit = isFit;
    this.#isAgain = false;
    const failed = failedAttempt(error, call.route);
    // Without another target: the vendor has the request already, so its next stream may well be whole.
    const fitAgain = brokenStreams.has(failed.cause) ? 'reconnect' : failed.again;
    const again = isFit(target) ? fitAgain : 'no';
    const step = await this.#afterFailure(target, attempt, { error, failed: { ...failed, again } });
    this.#count(failed, step);
    if (step === undefined) throw error;
    if (step.waitMs > 0) await this.#wait(step.waitMs);
    return this.#attempt(step);
  }

  async #attempt(first: AttemptOptions): Promise<AttemptResult> {
    let options = first;
    for (;;) {
      const target = this.#parts.targets[this.#at];
      if (target === undefined || !this.#isFit(target)) throw new GatewayError('no_healthy_target');
      const attempt = this.#parts.attempts.start(target, options);
      this.#last = attempt;
      const startedAt = this.#deps.clock.monotonic();
      const counted = this.#counted(target);
      try {
        const result = await attempt.run();
        if (result.kind === 'stream') counted?.firstByte(startedAt);
        if (counted !== undefined) attempt.whenOver(counted.end);
        this.#noteSuccess(target, attempt, result.kind === 'stream' ? startedAt : undefined);
        return result;
      } catch (error) {
        counted?.end();
        const failed = this.#failed(error, attempt);
        const step = await this.#afterFailure(target, attempt, { error, failed });
        this.#count(failed, step);
        if (step === undefined) throw shownFailure(this.#failures);
        options = step;
        if (step.waitMs > 0) await this.#wait(step.waitMs);
      }
    }
  }

  #counted(target: Target): CountedAttempt | undefined {
    return this.#hasChoice ? this.#deps.loads.begin(countedTarget(target, this.#parts.call).identity) : undefined;
  }

  #failed(error: unknown, attempt: ChainAttempt): FailedAttempt {
    const failed = failedAttempt(error, this.#parts.call.route);
    // A later target that cannot express the request: the caller did not choose it.
    const isUnfit = this.#failures.length > 0 && !attempt.isSent && error instanceof GatewayError && error.status < 500;
    return isUnfit ? { ...failed, next: true, isUnfit } : failed;
  }

  /** What is known of the only target of a request changes nothing for it. */
  get #hasChoice(): boolean {
    return this.#parts.call.targets.length > 1;
  }

  /** Moves to the next target, or stays at the same one. Undefined: there is no further attempt. */
  async #afterFailure(target: Target, attempt: ChainAttempt, { error, failed }: Failure): Promise<Step | undefined> {
    const { context, attempts, call } = this.#parts;
    if (failed.isUnfit !== true) this.#failures.push(error);
    const wait = waitOf(error);
    const retryAfterMs = wait === undefined ? undefined : wait * 1000;
    this.#noteFailure(target, { error, failed }, retryAfterMs);
    if (context.aborted !== undefined) return undefined;
    context.attemptFailed();
    const most = call.isShadow === true ? 1 : attemptsMax;
    const step = this.#failures.length < most ? this.#step(target, failed, retryAfterMs ?? 0) : undefined;
    if (step === undefined) return undefined;
    const isFree = !attempt.isSent || attempt.received.ending === 'unused';
    const isAllowed = failed.isUnfit === true || this.#deps.retryBudget.mayRetry(call.organization);
    if (isAllowed && (isFree || (await attempts.charge(error)))) return step;
    this.#releaseTrial();
    return undefined;
  }

  /** Only failures of targets count, not those of requests. Copies of requests have metrics of their own. */
  #count({ cause, next, isUnfit }: FailedAttempt, step: Step | undefined): void {
    if (this.#parts.call.isShadow === true) return;
    if (next && isUnfit !== true && this.#parts.context.aborted === undefined) {
      this.#deps.metrics.attemptFailed(cause ?? 'other', step !== undefined);
    }
  }

  /** @param startedAt of a stream, whose first token has come */
  #noteSuccess(target: Target, { head }: ChainAttempt, startedAt: number | undefined): void {
    const { health, clock } = this.#deps;
    const { identity } = countedTarget(target, this.#parts.call);
    // For a single target too: a host whose failures alone were counted would look worse than it is, to others as well.
    health.succeeded(identity);
    if (!this.#hasChoice) return;
    if (startedAt !== undefined) health.firstToken(identity, clock.monotonic() - startedAt);
    const exhaustedMs = exhaustedForMs(head, clock.now());
    if (exhaustedMs !== undefined) health.exhausted(identity, exhaustedMs);
  }

  #noteFailure(target: Target, { error, failed }: Failure, retryAfterMs: number | undefined): void {
    const { health } = this.#deps;
    const { cause, next } = failed;
    const { identity } = countedTarget(target, this.#parts.call);
    if (this.#parts.context.aborted !== undefined) health.undecided(identity);
    else if (cause !== undefined) health.failed(identity, cause, retryAfterMs);
    // The vendor has refused the request itself, so it works.
    else if (error instanceof ProviderFailure && !next) health.succeeded(identity);
    else health.undecided(identity);
  }

  #step(target: Target, failed: FailedAttempt, retryAfterMs: number): Step | undefined {
    const { next } = failed;
    const again = this.#parts.call.isStopped?.(target) === true ? 'no' : failed.again;
    if (again === 'without_reasoning') return this.#leaveOut(target);
    if (!this.#isAgain && again === 'reconnect_at_once') return this.#stay({ fresh: true, waitMs: 0 });
    const following = next ? this.#following() : undefined;
    if (following !== undefined) return this.#move(following);
    if (this.#isAgain) return undefined;
    if (again === 'reconnect') return this.#stay({ fresh: true, waitMs: this.#jitter() });
    const isShort = retryAfterMs > 0 && retryAfterMs <= waitMsMax;
    if (again === 'after_wait' && isShort) return this.#stay({ fresh: false, waitMs: retryAfterMs + this.#jitter() });
    return undefined;
  }

  #leaveOut(target: Target): Step | undefined {
    if (this.#leftOutAt !== undefined || !this.#parts.attempts.mayLeaveOutReasoning(target)) return undefined;
    this.#leftOutAt = this.#at;
    return this.#stay({ fresh: false, waitMs: 0 });
  }

  #stay(step: Omit<Step, 'withoutReasoning'>): Step {
    this.#isAgain = true;
    return { ...step, withoutReasoning: this.#leftOutAt === this.#at };
  }

  /** The next target that may be tried now, else the next one. */
  #following(): number | undefined {
    const { targets, call } = this.#parts;
    const mayFollow = (target: Target, at: number) =>
      at > this.#at && this.#isFit(target) && call.isStopped?.(target) !== true;
    const first = targets.findIndex(mayFollow);
    if (first === -1) return undefined;
    const found = targets.findIndex(
      (target, at) => mayFollow(target, at) && this.#deps.health.mayTry(countedTarget(target, call).identity),
    );
    return found === -1 ? first : found;
  }

  #move(at: number): Step {
    this.#at = at;
    this.#isAgain = false;
    return { ...usual, waitMs: 0 };
  }

  /** The attempt that was to be a trial of its target is not made. */
  #releaseTrial(): void {
    const { targets, call } = this.#parts;
    const target = targets[this.#at];
    if (target !== undefined) this.#deps.health.undecided(countedTarget(target, call).identity);
  }

  #jitter(): number {
    return jitterMs.min + this.#deps.random() * (jitterMs.max - jitterMs.min);
  }

  /** @throws the error that aborted the request */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deps.timers.after(ms, resolve);
      this.#parts.context.onAbort({
        abort: (error) => {
          cancel();
          reject(error);
        },
      });
    });
  }
}

/** Causes after which the same target may get the request of a stream that broke off. */
const brokenStreams: ReadonlySet<FailureCause | undefined> = new Set(['dead', 'timeout', 'server']);

interface Failure {
  readonly error: unknown;
  readonly failed: FailedAttempt;
}

const usual: AttemptOptions = { fresh: false, withoutReasoning: false };

interface Step extends AttemptOptions {
  readonly waitMs: number;
}
