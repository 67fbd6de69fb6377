// The attempts of one request: the targets that it may use, one after the other, until one responds. Another attempt
// follows if the failure may be another one's, and within limits: three attempts, a share of the organization's traffic
// (so that retries cannot multiply an outage), and money for it. After anything was passed on, one follows only where
// recovering-stream.ts requests it.
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import { GatewayError } from '../errors.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, Received } from '../upstream/attempt-result.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import type {
  AttemptOptions,
  Attempts,
  ChainAttempt,
  ChainCall,
  ChainContext,
  RunningAttempt,
  StartedAttempt,
  TargetHealth,
} from './chain-parts.ts';
import { hasMoney, usualAttempt } from './chain-parts.ts';
import { countedTarget } from './counted-target.ts';
import type { FailureCause } from './health.ts';
import type { Contender } from './hedged-attempt.ts';
import { type FailedAttempt, failedAttempt } from './outcomes.ts';
import { type HedgeDeps, RequestHedge } from './request-hedge.ts';
import type { RecoveryResult } from './results.ts';
import type { RetryBudget } from './retry-budget.ts';
import { retryAfterMsOf, shownFailure } from './shown-failure.ts';
import type { CountedAttempt, TargetLoads } from './target-loads.ts';
import { exhaustedForMs } from './vendor-limits.ts';

export type * from './chain-parts.ts';

export interface ChainDeps extends HedgeDeps {
  readonly health: TargetHealth;
  readonly loads: Pick<TargetLoads, 'begin' | 'noteTime' | 'timeOf'>;
  readonly retryBudget: Pick<RetryBudget, 'request' | 'mayRetry'>;
  readonly metrics: HedgeDeps['metrics'] & {
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
  /** Until a second target has had the request, or a stream has broken off. */
  #hedge: RequestHedge | undefined;
  /** The index of the target that had the request as a hedge. */
  #hedgedAt = -1;
  /** Attempts that were cancelled because another one responded. */
  #lost = 0;
  /** The hedge was refused in a way that ends the request, unless the first attempt responds. */
  #isFinal = false;

  constructor(deps: ChainDeps, parts: ChainParts) {
    this.#deps = deps;
    this.#parts = parts;
    const { call, attempts, context } = parts;
    const { hedge } = call;
    const { hedging } = attempts;
    if (hedge === undefined || hedging === undefined || parts.targets.length < 2) return;
    this.#hedge = new RequestHedge(deps, { hedge, hedging, call, context, chain: this });
  }

  run(): Promise<AttemptResult> {
    return this.#attempt(usualAttempt);
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
    this.#hedge = undefined;
    const failed = failedAttempt(error, call.route);
    // Without another target: the vendor has the request already, so its next stream may well be whole.
    const fitAgain = brokenStreams.has(failed.cause) ? 'reconnect' : failed.again;
    const again = isFit(target) ? fitAgain : 'no';
    const step = await this.#afterFailure(target, attempt, { error, failed: { ...failed, again } });
    this.#count(failed, step !== undefined);
    if (step === undefined) throw error;
    if (step.waitMs > 0) await this.#wait(step.waitMs);
    return this.#attempt(step);
  }

  async #attempt(first: AttemptOptions): Promise<AttemptResult> {
    let options = first;
    for (;;) {
      const target = this.#parts.targets[this.#at];
      if (target === undefined || !this.#isFit(target)) throw new GatewayError('no_healthy_target');
      const running = this.#start(target, options);
      try {
        const result = await running.run();
        this.#noteSuccess(this.#ended(running), result.kind === 'stream');
        [this.#hedgedAt, this.#isFinal] = [-1, false];
        return result;
      } catch (error) {
        const { target: last, attempt, counted } = this.#ended(running);
        counted?.end();
        const failed = this.#failed(error, attempt);
        const step = await this.#afterFailure(last, attempt, { error, failed });
        this.#count(failed, step !== undefined);
        if (step === undefined) throw shownFailure(this.#failures);
        options = step;
        if (step.waitMs > 0) await this.#wait(step.waitMs);
      }
    }
  }

  #start(target: Target, options: AttemptOptions): RunningAttempt {
    const hasNext = this.#at + 1 < this.#parts.targets.length;
    if (this.#hedge !== undefined && hasNext) return this.#hedge.attempt(target, options);
    const attempt = this.#parts.attempts.start(target, options);
    this.#last = attempt;
    const startedAt = this.#deps.clock.monotonic();
    const current = { target, attempt, startedAt, counted: this.counted(target) };
    return { current, run: () => attempt.run() };
  }

  /** The attempt that decides; of two, it may be the later target's. */
  #ended({ current }: RunningAttempt): StartedAttempt {
    this.#last = current.attempt;
    if (this.#hedgedAt !== -1) this.#at = this.#parts.targets.indexOf(current.target);
    return current;
  }

  counted(target: Target): CountedAttempt | undefined {
    return this.#hasChoice ? this.#deps.loads.begin(countedTarget(target, this.#parts.call).identity) : undefined;
  }

  /** For a hedge: the next target, if it may be tried now. Its trial begins. */
  hedgeTarget(): Target | undefined {
    if (this.#failures.length + 2 > attemptsMax) return undefined;
    const { targets, call } = this.#parts;
    const { health } = this.#deps;
    return targets.find(
      (one, at) => at > this.#at && this.#mayGet(one) && health.mayTry(countedTarget(one, call).identity),
    );
  }

  /** The target gets the request while the first one has it. */
  hedged(target: Target): void {
    this.#hedge = undefined;
    this.#hedgedAt = this.#parts.targets.indexOf(target);
    // Both have it: neither gets it again, unless it fails alone.
    this.#isAgain = true;
  }

  /** One of two attempts has failed. @returns false if the failure is final, and is not counted yet */
  contenderFailed({ target, attempt, counted, isHedge }: Contender, error: unknown): boolean {
    const failed = this.#failed(error, attempt, isHedge);
    if (this.#parts.context.aborted !== undefined || !(isHedge || failed.next)) return false;
    counted?.end();
    this.#isFinal ||= !failed.next;
    if (failed.isUnfit !== true) this.#failures.push(error);
    this.#noteFailure(target, { error, failed }, retryAfterMsOf(error));
    this.#count(failed, true);
    return true;
  }

  /** One of two attempts was cancelled. */
  contenderLost({ target, counted }: Contender): void {
    counted?.end();
    this.#lost++;
    this.#deps.health.undecided(countedTarget(target, this.#parts.call).identity);
  }

  #failed(error: unknown, attempt: ChainAttempt, isLater = this.#failures.length > 0): FailedAttempt {
    const failed = failedAttempt(error, this.#parts.call.route);
    // A later target that cannot express the request: the caller did not choose it.
    const isUnfit = isLater && !attempt.isSent && error instanceof GatewayError && error.status < 500;
    return isUnfit ? { ...failed, next: true, isUnfit } : failed;
  }

  /** What is known of the only target of a request changes nothing for it. */
  get #hasChoice(): boolean {
    return this.#parts.call.targets.length > 1;
  }

  /** Moves to the next target, or stays at the same one. Undefined: there is no further attempt. */
  async #afterFailure(target: Target, attempt: ChainAttempt, { error, failed }: Failure): Promise<Step | undefined> {
    const { context, call } = this.#parts;
    if (failed.isUnfit !== true) this.#failures.push(error);
    const retryAfterMs = retryAfterMsOf(error);
    this.#noteFailure(target, { error, failed }, retryAfterMs);
    if (context.aborted !== undefined) return undefined;
    context.attemptFailed();
    const most = call.isShadow === true ? 1 : attemptsMax;
    const step = this.#failures.length + this.#lost < most ? this.#step(target, failed, retryAfterMs ?? 0) : undefined;
    if (step === undefined) return undefined;
    const isFree = !attempt.isSent || attempt.received.ending === 'unused';
    const isAllowed = failed.isUnfit === true || this.#deps.retryBudget.mayRetry(call.organization);
    const next = this.#parts.targets[this.#at];
    if (isAllowed && (await hasMoney(this.#parts.attempts, next, { error, isFree }))) return step;
    this.#releaseTrial();
    return undefined;
  }

  /** Only failures of targets count, not those of requests. Copies of requests have metrics of their own. */
  #count({ cause, next, isUnfit }: FailedAttempt, isFollowed: boolean): void {
    if (this.#parts.call.isShadow === true) return;
    if (next && isUnfit !== true && this.#parts.context.aborted === undefined) {
      this.#deps.metrics.attemptFailed(cause ?? 'other', isFollowed);
    }
  }

  /** @param isStream its first token has come */
  #noteSuccess({ target, attempt, startedAt, counted }: StartedAttempt, isStream: boolean): void {
    const { health, clock } = this.#deps;
    if (isStream) counted?.firstByte(startedAt);
    if (counted !== undefined) attempt.whenOver(counted.end);
    const { identity } = countedTarget(target, this.#parts.call);
    // For a single target too: a host whose failures alone were counted would look worse than it is, to others as well.
    health.succeeded(identity);
    if (!this.#hasChoice) return;
    if (isStream) health.firstToken(identity, clock.monotonic() - startedAt);
    const exhaustedMs = exhaustedForMs(attempt.head, clock.now());
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
    if (this.#isFinal) return undefined;
    const again = this.#mayGet(target) ? failed.again : 'no';
    if (again === 'without_reasoning') return this.#leaveOut(target);
    if (!this.#isAgain && again === 'reconnect_at_once') return this.#stay({ fresh: true, waitMs: 0 });
    const following = failed.next ? this.#following() : undefined;
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

  /** Whether the target may have the request now: it is fit for what follows, and no operator has stopped it meanwhile. */
  #mayGet(target: Target): boolean {
    return this.#isFit(target) && this.#parts.call.isStopped?.(target) !== true;
  }

  /** The next target that may be tried now, else the next one. */
  #following(): number | undefined {
    const { targets, call } = this.#parts;
    const mayFollow = (target: Target, at: number) => at > Math.max(this.#at, this.#hedgedAt) && this.#mayGet(target);
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
    return { ...usualAttempt, waitMs: 0 };
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

interface Step extends AttemptOptions {
  readonly waitMs: number;
}
