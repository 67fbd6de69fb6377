// The hedge of one request: when its second target gets it, and what both attempts mean for targets, money and metrics.
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import type { Target } from '../providers/provider.ts';
import type {
  AttemptOptions,
  ChainCall,
  ChainContext,
  ChainHedge,
  HedgeAttempts,
  HedgeWinner,
  RunningAttempt,
  TargetHealth,
} from './chain-parts.ts';
import { usualAttempt } from './chain-parts.ts';
import { countedTarget } from './counted-target.ts';
import type { HedgeShare } from './hedge-share.ts';
import {
  type Contender,
  HedgedAttempt,
  type HedgeEvents,
  type HedgeLost,
  type PreparedHedge,
} from './hedged-attempt.ts';
import type { HedgeResult } from './results.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { CountedAttempt, TargetLoads } from './target-loads.ts';

export interface HedgeDeps {
  readonly hedgeShare: Pick<HedgeShare, 'request' | 'take' | 'give'>;
  readonly retryBudget: Pick<RetryBudget, 'mayRetry'>;
  readonly health: Pick<TargetHealth, 'undecided' | 'firstToken'>;
  readonly loads: Pick<TargetLoads, 'noteTime' | 'timeOf'>;
  readonly metrics: { hedged(result: HedgeResult): void };
  readonly timers: Timers;
  readonly clock: Clock;
}

/** The chain whose attempts are two at a time. */
export interface HedgedChain {
  counted(target: Target): CountedAttempt | undefined;
  /** The next target, if it may be tried now. Its trial begins. */
  hedgeTarget(): Target | undefined;
  /** The target gets the request. */
  hedged(target: Target): void;
  /** @returns false if the failure is final, and is not counted yet */
  contenderFailed(contender: Contender, error: unknown): boolean;
  contenderLost(contender: Contender): void;
}

export interface RequestHedgeParts {
  readonly hedge: ChainHedge;
  readonly hedging: HedgeAttempts;
  readonly call: ChainCall;
  readonly context: ChainContext;
  readonly chain: HedgedChain;
}

export class RequestHedge implements HedgeEvents {
  readonly #deps: HedgeDeps;
  readonly #parts: RequestHedgeParts;
  /** Requests of one route share how many of them are hedged. */
  readonly #route: string;

  constructor(deps: HedgeDeps, parts: RequestHedgeParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#route = `${parts.call.organization} ${parts.hedge.route}`;
    deps.hedgeShare.request(this.#route);
  }

  attempt(target: Target, options: AttemptOptions): RunningAttempt {
    const first = this.#contender(target, options, false);
    const { timers } = this.#deps;
    return new HedgedAttempt({
      ...{ first, timers, context: this.#parts.context, events: this },
      delayMs: this.#delayAt(target),
    });
  }

  async prepare(): Promise<PreparedHedge | undefined> {
    const { hedgeShare } = this.#deps;
    if (!hedgeShare.take(this.#route)) return this.#withheld('no_share');
    const target = this.#parts.chain.hedgeTarget();
    const reason = target === undefined ? 'no_target' : await this.#reasonNotToPay();
    if (target !== undefined && reason === undefined) return this.#prepared(target);
    hedgeShare.give(this.#route);
    if (target !== undefined) this.#deps.health.undecided(this.#identity(target));
    return this.#withheld(reason ?? 'no_target');
  }

  failed(contender: Contender, error: unknown): boolean {
    const isNoted = this.#parts.chain.contenderFailed(contender, error);
    if (isNoted) this.#charge(contender, error);
    return isNoted;
  }

  abandoned(contender: Contender, error: HedgeLost): void {
    if (this.#parts.context.aborted === undefined && !contender.isHedge) this.#noteLate(contender);
    this.#parts.chain.contenderLost(contender);
    this.#charge(contender, error);
  }

  resume({ context }: Contender): void {
    this.#parts.hedging.resume(context);
  }

  responded({ target, startedAt }: Contender): void {
    this.#noteTime(target, this.#deps.clock.monotonic() - startedAt);
  }

  ended(winner: HedgeWinner): void {
    this.#deps.metrics.hedged(winner);
    this.#parts.hedging.hedged(winner);
  }

  #contender(target: Target, options: AttemptOptions, isHedge: boolean): Contender {
    const { hedging, chain } = this.#parts;
    const { clock } = this.#deps;
    const contending = hedging.contend(target, options, () => clock.monotonic());
    return { ...contending, target, isHedge, startedAt: clock.monotonic(), counted: chain.counted(target) };
  }

  #delayAt(target: Target): number | undefined {
    const { delay, streamed } = this.#parts.hedge;
    if ('afterMs' in delay) return delay.afterMs;
    return this.#deps.loads.timeOf(this.#identity(target), streamed, delay.percentile);
  }

  #prepared(target: Target): PreparedHedge {
    const { chain, hedging } = this.#parts;
    return {
      start: () => {
        chain.hedged(target);
        return this.#contender(target, usualAttempt, true);
      },
      drop: () => {
        hedging.release();
        this.#deps.hedgeShare.give(this.#route);
        this.#deps.health.undecided(this.#identity(target));
      },
    };
  }

  /** Undefined: there is money for a second attempt, and it is a further one within the organization's part. */
  async #reasonNotToPay(): Promise<HedgeResult | undefined> {
    const { hedging, call } = this.#parts;
    if (!(await hedging.reserve())) return 'no_money';
    if (this.#deps.retryBudget.mayRetry(call.organization)) return undefined;
    hedging.release();
    return 'no_retry';
  }

  #withheld(reason: HedgeResult): undefined {
    this.#deps.metrics.hedged(reason);
  }

  /** The first target has taken so long already, which is less than it would have taken. */
  #noteLate({ target, startedAt, counted }: Contender): void {
    const { health, clock } = this.#deps;
    const ms = clock.monotonic() - startedAt;
    this.#noteTime(target, ms);
    if (!this.#parts.hedge.streamed) return;
    counted?.firstByte(startedAt);
    health.firstToken(this.#identity(target), ms);
  }

  #noteTime(target: Target, ms: number): void {
    const { delay, streamed } = this.#parts.hedge;
    if ('percentile' in delay) this.#deps.loads.noteTime(this.#identity(target), streamed, ms);
  }

  #charge({ context, isHedge }: Contender, error: unknown): void {
    this.#parts.hedging.charge({ received: context.received, isHedge, error });
  }

  #identity(target: Target) {
    return countedTarget(target, this.#parts.call).identity;
  }
}
