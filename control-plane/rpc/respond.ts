// Around every unary call of either door: time, count, and turn whatever was thrown into what the caller may know.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CallMetrics } from '../telemetry/metrics.ts';
import { asCallError, type CallError } from './errors.ts';

export interface AnswerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CallMetrics;
}

export type Answer<T> = { readonly value: T } | { readonly error: CallError };

/** @param method such as "VirtualKeys.Create" */
export async function answer<T>(
  deps: AnswerDeps,
  method: string,
  from: string,
  work: () => Promise<T>,
): Promise<Answer<T>> {
  const started = deps.clock.monotonic();
  const outcome = await settle(deps, method, work);
  const seconds = (deps.clock.monotonic() - started) / 1000;
  const code = 'error' in outcome ? outcome.error.code : 'OK';
  deps.metrics.called(method, code, seconds);
  deps.log.debug({ method, code, from, ms: Math.round(seconds * 1000) }, 'call');
  return outcome;
}

async function settle<T>(deps: AnswerDeps, method: string, work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const requestId = uuidv7();
    const { error, unexpected } = asCallError(thrown, requestId);
    if (unexpected) deps.log.error({ err: thrown, method, request_id: requestId }, 'a call failed');
    return { error };
  }
}
