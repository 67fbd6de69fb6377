// Guardrails in the contract's words, and a check of the contract as our own type. Both planes read checks here, so what an
// operator leaves out means the same wherever it is read. What is not understood is undefined: nobody may take it for nothing.
import type { Secret } from '../common/secret.ts';
import type { GuardrailCheck__Output } from '../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { ModerationCheck__Output } from '../proto/generated/gateway/v1/ModerationCheck.ts';
import type { PersonalDataCheck__Output } from '../proto/generated/gateway/v1/PersonalDataCheck.ts';
import type { PromptSizeCheck__Output } from '../proto/generated/gateway/v1/PromptSizeCheck.ts';
import type { SecretsCheck__Output } from '../proto/generated/gateway/v1/SecretsCheck.ts';
import type {
  Check,
  Decision,
  Guardrail,
  PersonalDataCheck,
  PersonalDataType,
  PromptSizeCheck,
  RequestField,
  SecretsCheck,
} from './definition.ts';

export const stagesInContract = {
  input: 'GUARDRAIL_STAGE_INPUT',
  output: 'GUARDRAIL_STAGE_OUTPUT',
  both: 'GUARDRAIL_STAGE_BOTH',
} as const satisfies Record<Guardrail['stage'], string>;

export const actionsInContract = {
  block: 'GUARDRAIL_ACTION_BLOCK',
  redact: 'GUARDRAIL_ACTION_REDACT',
  observe: 'GUARDRAIL_ACTION_OBSERVE',
} as const satisfies Record<Guardrail['action'], string>;

export const failureRulesInContract = {
  block: 'GUARDRAIL_FAILURE_RULE_BLOCK',
  pass: 'GUARDRAIL_FAILURE_RULE_PASS',
} as const satisfies Record<Guardrail['onFailure'], string>;

export const decisionsInContract = {
  pass: 'GUARDRAIL_DECISION_PASS',
  block: 'GUARDRAIL_DECISION_BLOCK',
  redact: 'GUARDRAIL_DECISION_REDACT',
  observe: 'GUARDRAIL_DECISION_OBSERVE',
  failed_pass: 'GUARDRAIL_DECISION_FAILED_PASS',
  failed_block: 'GUARDRAIL_DECISION_FAILED_BLOCK',
  unavailable: 'GUARDRAIL_DECISION_UNAVAILABLE',
} as const satisfies Record<Decision, string>;

export const personalDataTypesInContract = {
  email: 'PERSONAL_DATA_TYPE_EMAIL',
  phone: 'PERSONAL_DATA_TYPE_PHONE',
  payment_card: 'PERSONAL_DATA_TYPE_PAYMENT_CARD',
  iban: 'PERSONAL_DATA_TYPE_IBAN',
  national_id: 'PERSONAL_DATA_TYPE_NATIONAL_ID',
  ip_address: 'PERSONAL_DATA_TYPE_IP_ADDRESS',
} as const satisfies Record<PersonalDataType, string>;

export const requestFieldsInContract = {
  user: 'GUARDRAIL_FIELD_USER',
  metadata: 'GUARDRAIL_FIELD_METADATA',
  safety_identifier: 'GUARDRAIL_FIELD_SAFETY_IDENTIFIER',
  prompt_cache_key: 'GUARDRAIL_FIELD_PROMPT_CACHE_KEY',
} as const satisfies Record<RequestField, string>;

/** What stands for what an operator leaves out. */
export const checkDefaults = {
  countries: ['US'],
  webhookTimeoutMs: 2000,
  moderationModel: 'omni-moderation-latest',
} as const;

/**
 * Undefined for what says nothing that this version understands: a kind that it does not know, or a known one without anything
 * to look for.
 * @param secret of a webhook
 */
export function readCheck(message: GuardrailCheck__Output, secret?: Secret): Check | undefined {
  const { words, pattern, personalData, secrets, promptSize, webhook, moderation } = message;
  if (words && words.phrases.length > 0) {
    return { kind: 'words', phrases: words.phrases, withinWords: words.withinWords };
  }
  if (pattern && pattern.patterns.length > 0) return { kind: 'pattern', patterns: pattern.patterns };
  if (personalData) return readPersonalData(personalData);
  if (secrets) return readSecrets(secrets);
  if (promptSize) return readPromptSize(promptSize);
  if (webhook && webhook.url !== '' && secret !== undefined) {
    const timeoutMs = webhook.timeoutMs || checkDefaults.webhookTimeoutMs;
    return { kind: 'webhook', url: webhook.url, timeoutMs, secret };
  }
  return moderation ? readModeration(moderation) : undefined;
}

function readSecrets({ forms }: SecretsCheck__Output) {
  if (forms.length === 0) return { kind: 'secrets' } satisfies SecretsCheck;
  return { kind: 'secrets', forms: forms.map(({ label, form }) => ({ label, form })) } satisfies SecretsCheck;
}

/** What is not understood may be any of them. */
export function readAlso({ also }: Partial<Pick<GuardrailCheck__Output, 'also'>>): readonly RequestField[] {
  const read = (also ?? []).map((name) => requestFields.get(name));
  if (!read.every((field) => field !== undefined)) return [...requestFields.values()];
  return read;
}

function readPersonalData({ types, countries, restore }: PersonalDataCheck__Output) {
  const read = (types.length > 0 ? types : Object.values(personalDataTypesInContract)).map(personalDataType);
  if (!read.every((type) => type !== undefined)) return undefined;
  return {
    kind: 'personal_data',
    types: read,
    countries: countries.length > 0 ? countries : checkDefaults.countries,
    restore,
  } satisfies PersonalDataCheck;
}

function personalDataType(name: unknown): PersonalDataType | undefined {
  return personalDataTypes.get(name);
}

const personalDataTypes = inverted(personalDataTypesInContract);
const requestFields = inverted(requestFieldsInContract);

function readPromptSize({ tokensMax, messagesMax, imagesMax }: PromptSizeCheck__Output) {
  if (tokensMax + messagesMax + imagesMax === 0) return undefined;
  return {
    kind: 'prompt_size',
    tokensMax: tokensMax || undefined,
    messagesMax: messagesMax || undefined,
    imagesMax: imagesMax || undefined,
  } satisfies PromptSizeCheck;
}

function readModeration({ model, categories, scoreMin }: ModerationCheck__Output) {
  return {
    kind: 'moderation' as const,
    model: model || checkDefaults.moderationModel,
    categories,
    scoreMin: scoreMin || undefined,
  };
}

/** From the contract's names to our own words. @param inContract our words → its names */
export function inverted<Word extends string>(
  inContract: Readonly<Record<Word, string>>,
): ReadonlyMap<unknown, Word> {
  const words = new Map<unknown, Word>();
  for (const word in inContract) words.set(inContract[word], word);
  return words;
}
