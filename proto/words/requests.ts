// Enum words for requests: their results, and who can change one.
import type { RequestRemedy__Output } from '../generated/gateway/v1/RequestRemedy.ts';
import type { RequestResult__Output } from '../generated/gateway/v1/RequestResult.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const requestResults = enumWords({
  REQUEST_RESULT_OK: 'ok',
  REQUEST_RESULT_REFUSED: 'refused',
  REQUEST_RESULT_FAILED: 'failed',
} as const satisfies WordsFor<RequestResult__Output>);
/** `refused`: by a rule of the gateway; `failed`: all other errors, and callers that left. */
export type RequestResult = WordOf<typeof requestResults>;

export const requestRemedies = enumWords({
  REQUEST_REMEDY_NONE: 'none',
  REQUEST_REMEDY_CALLER: 'caller',
  REQUEST_REMEDY_ADMIN: 'admin',
  REQUEST_REMEDY_OWNER: 'owner',
  REQUEST_REMEDY_PLATFORM_OPERATOR: 'platform_operator',
  REQUEST_REMEDY_PROVIDER: 'provider',
  REQUEST_REMEDY_WAIT: 'wait',
} as const satisfies WordsFor<RequestRemedy__Output>);
export type RequestRemedy = WordOf<typeof requestRemedies>;
