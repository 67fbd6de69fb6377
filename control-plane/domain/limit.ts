// Limits: what they count, on whom, how much.
import type { LimitKind, LimitSubjectKind } from '../store/schema.ts';
import { type Field, invalid, valid } from './field.ts';
import { within } from './fields.ts';
import { type Reference, referenceOf, wordOf } from './words.ts';

export const limitCountMax = 1_000_000_000;

export const limitKindsInContract = {
  budget: 'LIMIT_KIND_BUDGET',
  requests_per_minute: 'LIMIT_KIND_REQUESTS_PER_MINUTE',
  tokens_per_minute: 'LIMIT_KIND_TOKENS_PER_MINUTE',
  concurrent_requests: 'LIMIT_KIND_CONCURRENT_REQUESTS',
} as const satisfies Record<LimitKind, string>;

export const limitSubjectsInContract = {
  organization: 'LIMIT_SUBJECT_KIND_ORGANIZATION',
  ai_system: 'LIMIT_SUBJECT_KIND_AI_SYSTEM',
  person: 'LIMIT_SUBJECT_KIND_PERSON',
  virtual_key: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY',
} as const satisfies Record<LimitSubjectKind, string>;

export type LimitSubject = Reference<LimitSubjectKind>;

export const limitSubject = referenceOf(limitSubjectsInContract);

export const limitKind = wordOf(limitKindsInContract);

const count = within(1, limitCountMax);

/** A 64-bit integer as the contract's decimal string. */
export function limitCount(text: string | undefined): Field<number> {
  return count(text === undefined ? Number.NaN : Number(text));
}

/** Of a budget only. */
export function notOfRates(value: unknown): Field<undefined> {
  return value === undefined ? valid(undefined) : invalid('goes with a budget only');
}

/** What a limit is of is for ever: counters and, once there are budgets, books rest on it. It may be repeated as it is. */
export function asItIs(same: boolean): Field<undefined> {
  return same ? valid(undefined) : invalid('cannot be changed: delete the limit and create another');
}
