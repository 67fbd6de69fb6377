// Wraps every call of both listeners: it measures and counts the call, converts a thrown value to an error that is safe
// for the caller, and lets a stopping replica wait for calls in flight.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { asCallError, type CallCode, type CallError } from './errors.ts';

export interface RespondDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CallMetrics;
}

export type Outcome<T> = { readonly value: T } | Failed;

interface Failed {
  readonly error: CallError;
  /** Under which the log has the call. */
  readonly requestId: string;
}

/** @param method such as "VirtualKeys.Create" */
export async function respond<T>(
  deps: RespondDeps,
  method: string,
  from: string,
  work: () => Promise<T>,
): Promise<Outcome<T>> {
  const started = deps.clock.monotonic();
  const outcome = await settle(deps, method, work);
  const seconds = (deps.clock.monotonic() - started) / 1000;
  const code = 'error' in outcome ? outcome.error.code : 'OK';
  deps.metrics.called(method, code, seconds);
  const requestId = 'error' in outcome ? { request_id: outcome.requestId } : {};
  deps.log.debug({ method, code, from, ms: Math.round(seconds * 1000), ...requestId }, 'call');
  return outcome;
}

async function settle<T>(deps: RespondDeps, method: string, work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const requestId = uuidv7();
    const { error, unexpected } = asCallError(thrown, requestId);
    if (unexpected) deps.log.error({ err: thrown, method, request_id: requestId }, 'a call failed');
    return { error, requestId };
  }
}

/** Metrics of both listeners for each call. */
export interface CallMetrics {
  /** @param method a name of methods.ts, such as "VirtualKeys.Create" */
  called(method: string, code: CallCode | 'OK', seconds: number): void;
  watcherCame(): void;
  watcherWent(): void;
}

/** Calls without a response yet. */
export interface InFlight {
  add(work: Promise<unknown>): void;
  /** Resolves when there are none, or after the grace. */
  idle(graceMs: number): Promise<void>;
}

export function createInFlight(timers: Timers = systemTimers): InFlight {
  let count = 0;
  let whenIdle: (() => void) | undefined;
  const done = () => {
    count--;
    if (count === 0) whenIdle?.();
  };
  return {
    add: (work) => {
      count++;
      work.then(done, done);
    },
    idle: (graceMs) =>
      new Promise((resolve) => {
        if (count === 0) return resolve();
        const cancel = timers.after(graceMs, resolve);
        whenIdle = () => {
          cancel();
          resolve();
        };
      }),
  };
}
