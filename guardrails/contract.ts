// Guardrails in the terms of the contract, and the conversion of a contract check to the internal type. Both planes
// parse checks here, so a field that an operator omits means the same everywhere. A check that this version does not
// understand becomes undefined, so that nobody mistakes it for an empty one.
import { Secret } from '../common/secret.ts';
import type { GuardrailCheck__Output } from '../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { ModelCheck__Output } from '../proto/generated/gateway/v1/ModelCheck.ts';
import type { ModerationCheck__Output } from '../proto/generated/gateway/v1/ModerationCheck.ts';
import type { PersonalDataCheck__Output } from '../proto/generated/gateway/v1/PersonalDataCheck.ts';
import type { PromptSizeCheck__Output } from '../proto/generated/gateway/v1/PromptSizeCheck.ts';
import type { SecretsCheck__Output } from '../proto/generated/gateway/v1/SecretsCheck.ts';
import type { ServiceCheck__Output } from '../proto/generated/gateway/v1/ServiceCheck.ts';
import type { ServiceCredential__Output } from '../proto/generated/gateway/v1/ServiceCredential.ts';
import {
  type CheckMember,
  checkKinds,
  personalDataTypes,
  type RequestField,
  requestFields,
  type WordsOfChecks,
} from '../proto/words/guardrails.ts';
import type {
  Check,
  CheckOf,
  PersonalDataCheck,
  PromptSizeCheck,
  SecretsCheck,
  ServiceCredential,
} from './definition.ts';
import { modelForm } from './models/index.ts';
import { serviceAdapter, serviceUrl } from './services/index.ts';

/** Defaults for fields that an operator omits. */
export const checkDefaults = {
  countries: ['US'],
  webhookTimeoutMs: 2000,
  moderationModel: 'omni-moderation-latest',
  serviceTimeoutMs: 5000,
  modelTimeoutMs: 10_000,
} as const;

/**
 * The kind of check that a message contains; undefined if this version does not know it. Stored messages have no
 * `kind`.
 */
export function memberOf(message: GuardrailCheck__Output): CheckMember | undefined {
  return message.kind ?? members.find((member) => message[member]);
}

const members = Object.values(checkKinds.names);

/**
 * Undefined for a check that this version does not understand: an unknown kind, or a known kind that looks for nothing.
 */
export function readCheck(message: GuardrailCheck__Output, secrets: CheckSecrets = {}): Check | undefined {
  const member = memberOf(message);
  return member && readMember(member, message[member], secrets);
}

function readMember<Member extends CheckMember>(
  member: Member,
  check: GuardrailCheck__Output[Member],
  secrets: CheckSecrets,
): Check | undefined {
  return check ? readers[member](check, secrets) : undefined;
}

type Readers = {
  readonly [Member in CheckMember]: (
    check: NonNullable<GuardrailCheck__Output[Member]>,
    secrets: CheckSecrets,
  ) => CheckOf<WordsOfChecks[Member]> | undefined;
};

const readers: Readers = {
  words: ({ phrases, withinWords }) => (phrases.length > 0 ? { kind: 'words', phrases, withinWords } : undefined),
  pattern: ({ patterns }) => (patterns.length > 0 ? { kind: 'pattern', patterns } : undefined),
  personalData: readPersonalData,
  secrets: readSecrets,
  promptSize: readPromptSize,
  webhook: ({ url, timeoutMs }, { secret }) =>
    url !== '' && secret !== undefined
      ? { kind: 'webhook', url, timeoutMs: timeoutMs || checkDefaults.webhookTimeoutMs, secret }
      : undefined,
  moderation: readModeration,
  service: (service, { credential }) => readService(service, credential),
  model: readModel,
};

export interface CheckSecrets {
  /** The secret of a webhook. */
  readonly secret?: Secret | undefined;
  /** The credential of a service. */
  readonly credential?: ServiceCredential | undefined;
}

export function readCredential(message: ServiceCredential__Output | null | undefined): ServiceCredential | undefined {
  if (!message) return undefined;
  const read = (text: string | undefined) => (text ? new Secret(text) : undefined);
  return {
    apiKey: read(message.apiKey),
    accessKeyId: read(message.accessKeyId),
    secretAccessKey: read(message.secretAccessKey),
    sessionToken: read(message.sessionToken),
    serviceAccount: read(message.serviceAccount),
  };
}

/** Undefined for an adapter or an option that this version does not know. */
function readService(
  { adapter, url, options, labels, scoreMin, timeoutMs }: ServiceCheck__Output,
  credential: ServiceCredential | undefined,
) {
  const known = serviceAdapter(adapter);
  const requested = known && serviceUrl(known, url, options);
  if (known === undefined || !requested) return undefined;
  const rules = Object.entries(known.options);
  const isWhole = rules.every(([name, { isRequired }]) => isRequired !== true || options[name] !== undefined);
  if (!isWhole || !Object.keys(options).every((name) => Object.hasOwn(known.options, name))) return undefined;
  return {
    kind: 'service' as const,
    adapter,
    options,
    labels,
    credential,
    url: requested,
    scoreMin: scoreMin || undefined,
    timeoutMs: timeoutMs || checkDefaults.serviceTimeoutMs,
  };
}

/** Undefined for a form that this version does not know, or a field that the form does not accept. */
function readModel({ model, form, criterion, topics, categories, scoreMin, timeoutMs }: ModelCheck__Output) {
  const check = {
    kind: 'model' as const,
    model,
    form,
    criterion,
    topics,
    categories,
    scoreMin: scoreMin || undefined,
    timeoutMs: timeoutMs || checkDefaults.modelTimeoutMs,
  };
  const known = modelForm(form);
  return known === undefined || model === '' || known.problem(check) !== undefined ? undefined : check;
}

/** A field that this version does not know may be any field, so all fields are inspected then. */
export function readAlso({ also }: Partial<Pick<GuardrailCheck__Output, 'also'>>): readonly RequestField[] {
  const read = (also ?? []).map((name) => requestFields.wordOf(name));
  if (!read.every((field) => field !== undefined)) return requestFields.words;
  return read;
}

function readSecrets({ forms = [] }: Partial<SecretsCheck__Output>) {
  if (forms.length === 0) return { kind: 'secrets' } satisfies SecretsCheck;
  return { kind: 'secrets', forms: forms.map(({ label, form }) => ({ label, form })) } satisfies SecretsCheck;
}

function readPersonalData({ types, countries, restore }: PersonalDataCheck__Output) {
  const read = types.length > 0 ? types.map(personalDataTypes.wordOf) : personalDataTypes.words;
  if (!read.every((type) => type !== undefined)) return undefined;
  return {
    kind: 'personal_data',
    types: read,
    countries: countries.length > 0 ? countries : checkDefaults.countries,
    restore,
  } satisfies PersonalDataCheck;
}

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
