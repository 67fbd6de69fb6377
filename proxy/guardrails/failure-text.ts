// What a provider says of a failure may repeat what it was sent, or hold what an answer may not: it goes through the guardrails of
// answers as an answer does. Its status stays, and whether to try again: callers go by those.
import { BlockedError, guardText } from '../../guardrails/window.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import type { AnswerGuards } from './response-guards.ts';

/** In place of words that a guardrail, or a service that would have to be asked first, keeps back. */
export const keptBack = 'the provider refused the request; a guardrail on responses keeps back what it said';

/** @returns the very same error where nothing of it was found */
export function guardedFailure(error: unknown, guards: AnswerGuards): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const message = left(error.message, guards);
  const param = error.param && left(error.param, guards, 'fixed');
  const code = error.code && left(error.code, guards, 'fixed');
  if (message === error.message && param === error.param && code === error.code) return error;
  const { status, retryable, retryAfter, headers, reason, hint } = error;
  return new ProviderFailure(
    { status, message: message ?? keptBack, param, code, retryable, retryAfter: undefined },
    { retryAfter, headers, reason, hint },
  );
}

/** @returns undefined: blocked, or not to be told before a service was asked */
function left(text: string, guards: AnswerGuards, form?: 'fixed'): string | undefined {
  if (guards.services.some(({ holds }) => holds)) return undefined;
  try {
    return guardText(guards.guards(form), text);
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    guards.refusal(error);
    return undefined;
  }
}
