// The check of a guardrail: the contract's message, read field by field, and compiled as proxies compile it, so that
// every stored check can run. Compiling takes long and runs in a worker. Problems never repeat a phrase or pattern.
import { memberOf, readCheck } from '../../guardrails/contract.ts';
import { type CheckKind, isTextCheck, kindProperties } from '../../guardrails/definition.ts';
import { compileCheck, InvalidCheckError } from '../../guardrails/index.ts';
import { costMax, stepsPerKibMax } from '../../guardrails/matcher.ts';
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { ModerationCheck__Output } from '../../proto/generated/gateway/v1/ModerationCheck.ts';
import type { PersonalDataCheck__Output } from '../../proto/generated/gateway/v1/PersonalDataCheck.ts';
import type { SecretsCheck__Output } from '../../proto/generated/gateway/v1/SecretsCheck.ts';
import type { WebhookCheck__Output } from '../../proto/generated/gateway/v1/WebhookCheck.ts';
import {
  type CheckMember,
  type ContractCheckKind,
  checkKinds,
  personalDataTypes,
  requestFields,
} from '../../proto/words/guardrails.ts';
import { type Field, invalid, type Problem, valid } from './field.ts';
import { type Complain, kindsBy, readModel, readService, readWindow } from './service-check.ts';
import { guardrailUrl } from './webhook.ts';

export const phrasesMax = 10_000;
export const phraseLengthMax = 200;
export const patternsMax = 100;
export const patternLengthMax = 1000;
export const secretFormsMax = 50;
const secretFormLengthMax = 400;
export const webhookTimeoutMsMax = 30_000;
const countriesMax = 50;
const categoriesMax = 50;
// At most this many problems are reported; the others are similar.
const problemsMax = 20;

export interface GuardrailCheck {
  readonly kind: ContractCheckKind & CheckKind;
  /** The message that is stored and returned. */
  readonly message: GuardrailCheck__Output;
}

/** Checks everything that can be decided at once; compileProblems finds out whether the check can run. */
export function guardrailCheck(message: GuardrailCheck__Output | null): Field<GuardrailCheck> {
  if (!message?.kind) return invalid(`must contain one of ${checkKinds.words.join(', ')}`);
  const kind = checkKinds.rows[message.kind];
  const problems: Problem[] = [];
  const complain: Complain = (at, description) => problems.push({ at: `.${kind}${at}`, description });
  const also = readFields(message, (at, description) => problems.push({ at, description }));
  const window = readWindow(message, (at, description) => problems.push({ at, description }));
  const read = { ...readMember(message.kind, message[message.kind], complain), also, ...window };
  return problems.length > 0 ? { problems: problems.slice(0, problemsMax) } : valid({ kind, message: read });
}

/** For an existing guardrail: its check may change, but not its kind. @param present the stored check */
export function sameKindOfCheck(present: GuardrailCheck__Output) {
  return (message: GuardrailCheck__Output): Field<GuardrailCheck> =>
    message.kind === undefined || Object.hasOwn(present, message.kind)
      ? guardrailCheck(message)
      : invalid('must be of the same kind: delete the guardrail and create another');
}

/** The UTF-8 size of its phrases, patterns and forms. */
export function textBytesOf(message: GuardrailCheck__Output): number {
  const member = memberOf(message);
  const texts = member === undefined ? [] : textsOf(member, message[member]);
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}

/** The check as the audit log shows it. */
export function checkInAudit(message: GuardrailCheck__Output): object {
  const member = memberOf(message);
  return member === undefined ? message : { ...message, [member]: shownInAudit(member, message[member]) };
}

interface KindRules<Check> {
  /** Continues after a problem; its result is only valid if there was none. */
  read(check: Check, complain: Complain): Check;
  /** The operator's texts, which count against the organization's share. */
  texts(check: Check): readonly string[];
  /** The check in the audit log, with only the number of phrases and patterns. */
  inAudit(check: Check): object;
}

type Rules = {
  readonly [Member in CheckMember]: KindRules<NonNullable<GuardrailCheck__Output[Member]>>;
};

const noTexts = { texts: () => [] };
const shownWhole = { inAudit: <Check>(check: Check) => check };

const rules: Rules = {
  words: {
    read: ({ phrases, withinWords }, complain) => ({
      phrases: texts(phrases, { field: '.phrases', max: phrasesMax, lengthMax: phraseLengthMax }, complain),
      withinWords,
    }),
    texts: ({ phrases }) => phrases,
    inAudit: (words) => ({ ...words, phrases: words.phrases.length }),
  },
  pattern: {
    read: ({ patterns }, complain) => ({
      patterns: texts(patterns, { field: '.patterns', max: patternsMax, lengthMax: patternLengthMax }, complain),
    }),
    texts: ({ patterns }) => patterns,
    inAudit: ({ patterns }) => ({ patterns: patterns.length }),
  },
  personalData: { read: readPersonalData, ...noTexts, ...shownWhole },
  secrets: {
    read: readSecrets,
    // Absent in checks that were stored before operators could add forms.
    texts: ({ forms = [] }: Partial<SecretsCheck__Output>) => forms.map(({ label, form }) => label + form),
    ...shownWhole,
  },
  promptSize: {
    read: ({ tokensMax, messagesMax, imagesMax }, complain) => {
      if (tokensMax + messagesMax + imagesMax === 0) complain('', 'must limit tokens, messages or images');
      return { tokensMax, messagesMax, imagesMax };
    },
    ...noTexts,
    ...shownWhole,
  },
  webhook: { read: readWebhook, ...noTexts, ...shownWhole },
  moderation: { read: readModeration, ...noTexts, ...shownWhole },
  service: { read: readService, ...noTexts, ...shownWhole },
  model: { read: readModel, ...noTexts, ...shownWhole },
};

function readMember<Member extends CheckMember>(
  member: Member,
  check: GuardrailCheck__Output[Member],
  complain: Complain,
): Omit<GuardrailCheck__Output, 'also' | 'window'> {
  if (check) return { [member]: rules[member].read(check, complain) };
  complain('', 'must be given');
  return {};
}

function textsOf<Member extends CheckMember>(member: Member, check: GuardrailCheck__Output[Member]) {
  return check ? rules[member].texts(check) : [];
}

function shownInAudit<Member extends CheckMember>(member: Member, check: GuardrailCheck__Output[Member]) {
  return check && rules[member].inAudit(check);
}

interface TextLimits {
  readonly field: string;
  readonly max: number;
  /** In characters of one text. */
  readonly lengthMax: number;
}

/** The texts without repetitions. */
function texts(given: readonly string[], { field, max, lengthMax }: TextLimits, complain: Complain): string[] {
  if (given.length === 0 || given.length > max) {
    complain(field, `must contain 1 to ${max}`);
    return [];
  }
  for (const [index, text] of given.entries()) {
    if (text.trim() === '' || [...text].length > lengthMax) {
      complain(`${field}[${index}]`, `must be 1 to ${lengthMax} characters`);
    }
  }
  return [...new Set(given)];
}

function readFields({ kind, also = [] }: GuardrailCheck__Output, complain: Complain) {
  // `also` is for kinds that match the text themselves. Services and sizes only inspect the text that the model sees.
  if (also.length > 0 && (kind === undefined || kindProperties[checkKinds.rows[kind]].by !== 'text'))
    complain('.also', `is for ${kindsBy('text')}`);
  for (const [index, field] of also.entries()) {
    if (requestFields.wordOf(field) === undefined)
      complain(`.also[${index}]`, `must be one of ${Object.values(requestFields.names).join(', ')}`);
  }
  return [...new Set(also)];
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function readPersonalData({ types, countries, restore }: PersonalDataCheck__Output, complain: Complain) {
  for (const [index, type] of types.entries()) {
    if (personalDataTypes.wordOf(type) === undefined) {
      complain(`.types[${index}]`, `must be one of ${Object.values(personalDataTypes.names).join(', ')}`);
    }
  }
  if (countries.length > countriesMax) complain('.countries', `must contain at most ${countriesMax}`);
  for (const [index, country] of countries.slice(0, countriesMax).entries()) {
    if (!isCountry(country)) {
      complain(`.countries[${index}]`, 'must be an ISO 3166-1 alpha-2 code in capitals, such as DE');
    }
  }
  return { types: [...new Set(types)], countries: [...new Set(countries)], restore };
}

/** Checks the number and length of the forms. Their syntax is checked when they are compiled. */
function readSecrets({ forms }: SecretsCheck__Output, complain: Complain) {
  if (forms.length > secretFormsMax) complain('.forms', `must contain at most ${secretFormsMax}`);
  for (const [index, { form }] of forms.slice(0, secretFormsMax).entries()) {
    if (form === '' || form.length > secretFormLengthMax)
      complain(`.forms[${index}].form`, `must be 1 to ${secretFormLengthMax} characters`);
  }
  return { forms: forms.map(({ label, form }) => ({ label, form })) };
}

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && code !== 'ZZ' && regionNames.of(code) !== undefined;
}

function readWebhook({ url: text, timeoutMs }: WebhookCheck__Output, complain: Complain) {
  if (timeoutMs > webhookTimeoutMsMax) complain('.timeout_ms', `must be at most ${webhookTimeoutMsMax}`);
  const url = guardrailUrl(text);
  if ('problems' in url) complainOf('.url', url.problems, complain);
  return { url: 'value' in url ? url.value : '', timeoutMs };
}

function readModeration({ model, categories, scoreMin }: ModerationCheck__Output, complain: Complain) {
  if (!/^[A-Za-z0-9._:-]{0,128}$/.test(model)) {
    complain('.model', 'must be a model name such as omni-moderation-latest, or empty');
  }
  if (categories.length > categoriesMax) complain('.categories', `must contain at most ${categoriesMax}`);
  for (const [index, category] of categories.slice(0, categoriesMax).entries()) {
    if (!/^[a-z][a-z0-9/_-]{0,63}$/.test(category)) {
      complain(`.categories[${index}]`, 'must be a category as the vendor names it, such as self-harm/intent');
    }
  }
  if (!(scoreMin >= 0 && scoreMin <= 1)) complain('.score_min', 'must be from 0 to 1');
  return { model, categories: [...new Set(categories)], scoreMin };
}

/** Whether the check matches texts with a matcher that must be compiled. */
export function isCompiled(message: GuardrailCheck__Output): boolean {
  const check = readCheck(message);
  return check !== undefined && isTextCheck(check);
}

/**
 * Refuses a check now that no matcher can be compiled from, so that it does not fail on every proxy later. Takes
 * processor time: a hostile pattern must run for some tenths of a second to be recognized.
 */
export function compileProblems({ kind, message }: GuardrailCheck): readonly Problem[] {
  const check = readCheck(message);
  if (check === undefined || !isTextCheck(check)) return [];
  try {
    const { cost } = compileCheck(check);
    return cost > costMax ? [{ at: `.${kind}`, description: tooSlow }] : [];
  } catch (error) {
    if (!(error instanceof InvalidCheckError)) throw error;
    return [{ at: `.${kind}${error.field === '' ? '' : `.${error.field}`}`, description: error.message }];
  }
}

const tooSlow = `may take more than ${stepsPerKibMax} steps for 1,024 characters of some texts; use fewer patterns, bounded repetitions such as {0,20}, and beginnings that are rare`;

function complainOf(field: string, problems: readonly Problem[], complain: Complain): void {
  for (const { at, description } of problems) complain(`${field}${at}`, description);
}
