// Enum words for the health of targets, as proxies report it.
import type { TargetFailure__Output } from '../generated/gateway/v1/TargetFailure.ts';
import type { TargetState__Output } from '../generated/gateway/v1/TargetState.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const targetStates = enumWords({
  TARGET_STATE_HEALTHY: 'healthy',
  TARGET_STATE_EJECTED: 'ejected',
  TARGET_STATE_LIMITED: 'limited',
} as const satisfies WordsFor<TargetState__Output>);
export type TargetState = WordOf<typeof targetStates>;

export const targetFailures = enumWords({
  TARGET_FAILURE_CONNECTION: 'dead',
  TARGET_FAILURE_TIMEOUT: 'timeout',
  TARGET_FAILURE_SERVER_ERROR: 'server',
  TARGET_FAILURE_KEY_REFUSED: 'key',
  TARGET_FAILURE_MODEL_REFUSED: 'access',
  TARGET_FAILURE_QUOTA: 'quota',
  TARGET_FAILURE_RATE_LIMIT: 'rate',
} as const satisfies WordsFor<TargetFailure__Output>);
export type TargetFailure = WordOf<typeof targetFailures>;
