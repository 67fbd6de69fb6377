// What a chain of attempts works with: the call, its attempts and the request on whose behalf they are made.
import type { IncomingHttpHeaders } from 'node:http';
import type { RouteHedge } from '../access/routes.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, Received } from '../upstream/attempt-result.ts';
import type { ContenderContext } from './contender-context.ts';
import type { TargetNames } from './counted-target.ts';
import type { Health } from './health.ts';
import type { RefusedElsewhere } from './outcomes.ts';
import type { HedgeWinner } from './results.ts';
import type { CountedAttempt } from './target-loads.ts';

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
  /** Undefined: no second target gets the request while the first one has it. */
  readonly hedge?: ChainHedge | undefined;
  /** Whether an operator has stopped the target's model meanwhile; absent: none is. */
  readonly isStopped?: ((target: Target) => boolean) | undefined;
  /** A copy of a request: it has one attempt, and permits no further ones of others. */
  readonly isShadow?: boolean;
}

export interface ChainHedge {
  readonly delay: RouteHedge;
  /** The name of the route: a part of its requests may be hedged. */
  readonly route: string;
  readonly streamed: boolean;
}

export interface Attempts {
  start(target: Target, options: AttemptOptions): ChainAttempt;
  /** Whether the target's request has reasoning that only a vendor can read, and can be sent without it. */
  mayLeaveOutReasoning(target: Target): boolean;
  /**
   * Charges an attempt that may have cost something, and reserves money for the next one.
   * @returns false if there is none
   */
  charge(failure: unknown, next: Target): boolean | Promise<boolean>;
  /**
   * The next target gets the request after an attempt that has cost nothing. Absent: it may.
   * @returns false if there is no money for it
   */
  readonly move?: ((next: Target) => boolean | Promise<boolean>) | undefined;
  /** Absent: no request is hedged. */
  readonly hedging?: HedgeAttempts | undefined;
}

interface OverForNext {
  readonly error: unknown;
  /** The attempt has cost nothing. */
  readonly isFree: boolean;
}

/** Whether the next target may get the request, as far as money is concerned: the attempt that is over is charged then. */
export async function hasMoney(
  attempts: Pick<Attempts, 'charge' | 'move'>,
  next: Target | undefined,
  { error, isFree }: OverForNext,
): Promise<boolean> {
  if (next === undefined) return false;
  return isFree ? (await attempts.move?.(next)) !== false : await attempts.charge(error, next);
}

/** Two attempts of a request at a time. */
export interface HedgeAttempts {
  /**
   * As `start`, for one of two attempts at a time.
   * @param monotonic in milliseconds
   */
  contend(target: Target, options: AttemptOptions, monotonic: () => number): ContendingAttempt;
  /** Reserves money for the second attempt. @returns false if there is none */
  reserve(): boolean | Promise<boolean>;
  /** Releases what was reserved for a second attempt that is not made. */
  release(): void;
  /** Charges the one that is over, as far as it may have cost something, and releases the rest of its money. */
  charge(over: OverAttempt): void;
  /** The request waits for this one from now on: the other one, which was sent later, is over. */
  resume(context: ContenderContext): void;
  /** Which one responded first. */
  hedged(winner: HedgeWinner): void;
}

export interface ContendingAttempt {
  readonly attempt: ChainAttempt;
  readonly context: ContenderContext;
}

/** One of two attempts, while the other one continues or has responded. */
export interface OverAttempt {
  /** Undefined: nothing was sent. */
  readonly received: Received | undefined;
  /** It is the second one. */
  readonly isHedge: boolean;
  /** Its failure, or that it has lost. */
  readonly error: unknown;
}

export type { HedgeWinner };

export interface AttemptOptions {
  /** On a new connection. */
  readonly fresh: boolean;
  /** The vendor could not read the reasoning of earlier turns. */
  readonly withoutReasoning: boolean;
}

export const usualAttempt: AttemptOptions = { fresh: false, withoutReasoning: false };

/** The attempt that a chain waits for. */
export interface RunningAttempt {
  /** Of two at a time: the one that has responded, or failed last. */
  readonly current: StartedAttempt;
  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult>;
}

export interface StartedAttempt {
  readonly target: Target;
  readonly attempt: ChainAttempt;
  /** Monotonic. */
  readonly startedAt: number;
  /** Undefined: the request has no choice. */
  readonly counted: CountedAttempt | undefined;
}
