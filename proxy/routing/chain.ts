// The attempts of one request: the targets that it may use, one after the other, until one responds. Another attempt
// follows only before anything was passed on, if the failure may be another one's, and within limits: three attempts, a
// share of the organization's traffic (so that retries cannot multiply an outage), and money for it.
import type { Timers } from '../../common/timers.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, Received } from '../upstream/attempt-result.ts';
import { type CountedTarget, countedTarget, type TargetIdentity } from './counted-target.ts';
import { type FailedAttempt, type FailureCause, failedAttempt } from './outcomes.ts';
import { shownFailure, waitOf } from './shown-failure.ts';

export interface ChainDeps {
  readonly health: TargetHealth;
  readonly retryBudget: RetryBudget;
  readonly timers: Timers;
  /** From 0 to 1. */
  random(): number;
}

/** What is known of targets from the attempts of all requests. */
export interface TargetHealth {
  /** Nothing is known against any target: most of the time. */
  readonly isQuiet: boolean;
  /** In the same order, without those that are out; never empty unless the given list is. */
  usable(targets: readonly CountedTarget[]): readonly CountedTarget[];
  failed(identity: TargetIdentity, cause: FailureCause, retryAfterMs?: number): void;
  succeeded(identity: TargetIdentity): void;
}

export interface RetryBudget {
  /** Counts a request, which earns a share of a retry. */
  request(organization: string): void;
  /** Takes one retry, if there is one. */
  mayRetry(organization: string): boolean;
}

/** One attempt at a target. */
export interface ChainAttempt {
  readonly received: Received;
  /** Whether anything was sent. */
  readonly isSent: boolean;
  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult>;
}

export interface ChainContext {
  /** The error that aborted the request. */
  readonly aborted: Error | undefined;
  /** Another attempt may follow. */
  attemptFailed(): void;
  onAbort(abortable: { abort(error: Error): void }): void;
}

export interface ChainCall {
  /** In the order in which they are tried; not empty. */
  readonly targets: readonly Target[];
  readonly organization: string;
  /** Canonical name. */
  readonly model: string;
}

export interface Attempts {
  /** @param fresh on a new connection */
  start(target: Target, fresh: boolean): ChainAttempt;
  /**
   * Charges an attempt that may have cost something, and reserves money for another one.
   * @returns false if there is none
   */
  charge(failure: unknown): boolean | Promise<boolean>;
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
    const { health, retryBudget } = this.#deps;
    retryBudget.request(call.organization);
    const targets = health.isQuiet ? call.targets : usableTargets(health, call);
    return new Chain(this.#deps, { call, targets, attempts, context }).run();
  }
}

function usableTargets(health: TargetHealth, call: ChainCall): readonly Target[] {
  return health.usable(call.targets.map((target) => countedTarget(target, call))).map(({ target }) => target);
}

interface ChainParts {
  readonly call: ChainCall;
  readonly targets: readonly Target[];
  readonly attempts: Attempts;
  readonly context: ChainContext;
}

class Chain {
  readonly #deps: ChainDeps;
  readonly #parts: ChainParts;
  readonly #failures: unknown[] = [];
  /** The index of the target that has the request. */
  #at = 0;
  /** The same target has the request again. */
  #isAgain = false;

  constructor(deps: ChainDeps, parts: ChainParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  async run(): Promise<AttemptResult> {
    let fresh = false;
    for (;;) {
      const target = this.#parts.targets[this.#at];
      if (target === undefined) throw new Error('a chain has a target for each attempt');
      const attempt = this.#parts.attempts.start(target, fresh);
      try {
        const result = await attempt.run();
        this.#noteSuccess(target);
        return result;
      } catch (error) {
        const step = await this.#afterFailure(target, attempt, error);
        if (step === undefined) throw shownFailure(this.#failures);
        fresh = step.fresh;
        if (step.waitMs > 0) await this.#wait(step.waitMs);
      }
    }
  }

  /** Moves to the next target, or stays at the same one. Undefined: there is no further attempt. */
  async #afterFailure(target: Target, attempt: ChainAttempt, error: unknown): Promise<Step | undefined> {
    const { context, attempts, call } = this.#parts;
    this.#failures.push(error);
    if (context.aborted !== undefined) return undefined;
    context.attemptFailed();
    const failed = failedAttempt(error);
    const retryAfterMs = (waitOf(error) ?? 0) * 1000;
    this.#noteFailure(target, failed, retryAfterMs);
    const step = this.#failures.length < attemptsMax ? this.#step(failed, retryAfterMs) : undefined;
    if (step === undefined || !this.#deps.retryBudget.mayRetry(call.organization)) return undefined;
    const isFree = !attempt.isSent || attempt.received.ending === 'unused';
    return isFree || (await attempts.charge(error)) ? step : undefined;
  }

  #noteSuccess(target: Target): void {
    const { health } = this.#deps;
    const { identity } = health.isQuiet ? {} : countedTarget(target, this.#parts.call);
    if (identity !== undefined) health.succeeded(identity);
  }

  #noteFailure(target: Target, { cause }: FailedAttempt, retryAfterMs: number): void {
    const { identity } = countedTarget(target, this.#parts.call);
    if (cause !== undefined && identity !== undefined) this.#deps.health.failed(identity, cause, retryAfterMs);
  }

  #step({ again, next }: FailedAttempt, retryAfterMs: number): Step | undefined {
    const hasNext = next && this.#at + 1 < this.#parts.targets.length;
    if (!this.#isAgain && again === 'reconnect_at_once') return this.#stay({ fresh: true, waitMs: 0 });
    if (hasNext) return this.#move();
    if (this.#isAgain) return undefined;
    if (again === 'reconnect') return this.#stay({ fresh: true, waitMs: this.#jitter() });
    const isShort = retryAfterMs > 0 && retryAfterMs <= waitMsMax;
    if (again === 'after_wait' && isShort) return this.#stay({ fresh: false, waitMs: retryAfterMs + this.#jitter() });
    return undefined;
  }

  #stay(step: Step): Step {
    this.#isAgain = true;
    return step;
  }

  #move(): Step {
    this.#at += 1;
    this.#isAgain = false;
    return { fresh: false, waitMs: 0 };
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

interface Step {
  readonly fresh: boolean;
  readonly waitMs: number;
}
