// The error that the caller gets when every attempt has failed.
import { GatewayError } from '../errors.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import { isOfCaller } from './outcomes.ts';

/**
 * The first failure that the caller has to mend, else the last one. Its wait is the shortest of all.
 * @param failures of at least one attempt, in order
 */
export function shownFailure(failures: readonly unknown[]): unknown {
  const shown = failures.find(isOfCaller) ?? failures.at(-1);
  if (failures.length < 2 || !hasWait(shown)) return shown;
  const waits = failures.flatMap((failure) => (hasWait(failure) ? (failure.retryAfter ?? []) : []));
  // The chain has created the error, and nothing else has it yet.
  if (waits.length > 0) shown.retryAfter = Math.min(...waits);
  return shown;
}

/** Milliseconds after which the vendor wants to be called again; undefined if it has not reported a wait. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return hasWait(error) && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined;
}

function hasWait(error: unknown): error is ProviderFailure | GatewayError {
  return error instanceof ProviderFailure || error instanceof GatewayError;
}
