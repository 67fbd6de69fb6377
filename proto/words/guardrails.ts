// Enum words for guardrails: kinds of checks, where they apply, actions and decisions.
import type { GuardrailAction__Output } from '../generated/gateway/v1/GuardrailAction.ts';
import type { GuardrailCheck__Output } from '../generated/gateway/v1/GuardrailCheck.ts';
import type { GuardrailDecision__Output } from '../generated/gateway/v1/GuardrailDecision.ts';
import type { GuardrailFailureRule__Output } from '../generated/gateway/v1/GuardrailFailureRule.ts';
import type { GuardrailField__Output } from '../generated/gateway/v1/GuardrailField.ts';
import type { GuardrailStage__Output } from '../generated/gateway/v1/GuardrailStage.ts';
import type { PersonalDataType__Output } from '../generated/gateway/v1/PersonalDataType.ts';
import { enumWords, type TableOf, type WordOf, type WordsFor } from './enum-words.ts';

/** A field of the contract's check: one for each kind. */
export type CheckMember = NonNullable<GuardrailCheck__Output['kind']>;

export const checkKinds = enumWords({
  words: 'words',
  pattern: 'pattern',
  personalData: 'personal_data',
  secrets: 'secrets',
  promptSize: 'prompt_size',
  webhook: 'webhook',
  moderation: 'moderation',
  service: 'service',
  model: 'model',
} as const satisfies WordsFor<CheckMember>);
/** The kinds of the contract; a proxy that is older than a kind represents it as `unknown`. */
export type ContractCheckKind = WordOf<typeof checkKinds>;
/** The kind of each field. */
export type WordsOfChecks = TableOf<typeof checkKinds>;

export const guardrailStages = enumWords({
  GUARDRAIL_STAGE_INPUT: 'input',
  GUARDRAIL_STAGE_OUTPUT: 'output',
  GUARDRAIL_STAGE_BOTH: 'both',
} as const satisfies WordsFor<GuardrailStage__Output>);
export type GuardrailStage = WordOf<typeof guardrailStages>;

export const guardrailActions = enumWords({
  GUARDRAIL_ACTION_BLOCK: 'block',
  GUARDRAIL_ACTION_REDACT: 'redact',
  GUARDRAIL_ACTION_OBSERVE: 'observe',
} as const satisfies WordsFor<GuardrailAction__Output>);
export type GuardrailAction = WordOf<typeof guardrailActions>;

export const failureRules = enumWords({
  GUARDRAIL_FAILURE_RULE_BLOCK: 'block',
  GUARDRAIL_FAILURE_RULE_PASS: 'pass',
} as const satisfies WordsFor<GuardrailFailureRule__Output>);
export type FailureRule = WordOf<typeof failureRules>;

/**
 * The decision of one guardrail about one request or response. failed_…: its check failed, and its failure rule
 * decided. unavailable: the gateway lacked something that it needs to inspect it; this is neither a pass nor a match,
 * and no failure rule applies. A trial may also report that a guardrail was not tried, which is no decision.
 */
export const decisions = enumWords({
  GUARDRAIL_DECISION_PASS: 'pass',
  GUARDRAIL_DECISION_BLOCK: 'block',
  GUARDRAIL_DECISION_REDACT: 'redact',
  GUARDRAIL_DECISION_OBSERVE: 'observe',
  GUARDRAIL_DECISION_FAILED_PASS: 'failed_pass',
  GUARDRAIL_DECISION_FAILED_BLOCK: 'failed_block',
  GUARDRAIL_DECISION_UNAVAILABLE: 'unavailable',
} as const satisfies WordsFor<Exclude<GuardrailDecision__Output, 'GUARDRAIL_DECISION_NOT_TRIED'>>);
export type Decision = WordOf<typeof decisions>;

export const personalDataTypes = enumWords({
  PERSONAL_DATA_TYPE_EMAIL: 'email',
  PERSONAL_DATA_TYPE_PHONE: 'phone',
  PERSONAL_DATA_TYPE_PAYMENT_CARD: 'payment_card',
  PERSONAL_DATA_TYPE_IBAN: 'iban',
  PERSONAL_DATA_TYPE_NATIONAL_ID: 'national_id',
  PERSONAL_DATA_TYPE_IP_ADDRESS: 'ip_address',
} as const satisfies WordsFor<PersonalDataType__Output>);
export type PersonalDataType = WordOf<typeof personalDataTypes>;

export const requestFields = enumWords({
  GUARDRAIL_FIELD_USER: 'user',
  GUARDRAIL_FIELD_METADATA: 'metadata',
  GUARDRAIL_FIELD_SAFETY_IDENTIFIER: 'safety_identifier',
  GUARDRAIL_FIELD_PROMPT_CACHE_KEY: 'prompt_cache_key',
} as const satisfies WordsFor<GuardrailField__Output>);
/** Fields of a request that identify a person or an app to the vendor. */
export type RequestField = WordOf<typeof requestFields>;
