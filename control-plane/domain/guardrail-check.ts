// What a guardrail looks for: the contract's check, read field by field; and compiled as proxies will compile it, so that what is
// stored can be run, which takes a while and is for a worker to do. Problems never repeat a phrase or pattern.
import {
  personalDataTypesInContract,
  readCheck,
  requestFieldsInContract,
} from '../../guardrails/contract.ts';
import type { CheckKind } from '../../guardrails/definition.ts';
import { compileCheck, InvalidCheckError, isTextCheck } from '../../guardrails/index.ts';
import { costMax, stepsPerKibMax } from '../../guardrails/matcher.ts';
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { ModerationCheck__Output } from '../../proto/generated/gateway/v1/ModerationCheck.ts';
import type { PersonalDataCheck__Output } from '../../proto/generated/gateway/v1/PersonalDataCheck.ts';
import type { SecretsCheck__Output } from '../../proto/generated/gateway/v1/SecretsCheck.ts';
import { type Field, invalid, type Problem, valid } from './field.ts';
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
// So many are named; the others are like them.
const problemsMax = 20;

export interface GuardrailCheck {
  readonly kind: Exclude<CheckKind, 'unknown'>;
  /** As it is stored and answered. */
  readonly message: GuardrailCheck__Output;
}

type Member = NonNullable<GuardrailCheck__Output['kind']>;
type Complain = (at: string, description: string) => void;

/** Our words by the contract's names. */
const kinds = {
  words: 'words',
  pattern: 'pattern',
  personalData: 'personal_data',
  secrets: 'secrets',
  promptSize: 'prompt_size',
  webhook: 'webhook',
  moderation: 'moderation',
} as const satisfies Record<Member, CheckKind>;

/** What can be judged at once. Whether it can be run: compileProblems. */
export function guardrailCheck(message: GuardrailCheck__Output | null): Field<GuardrailCheck> {
  if (!message?.kind) return invalid(`must hold one of ${Object.values(kinds).join(', ')}`);
  const kind = kinds[message.kind];
  const problems: Problem[] = [];
  const complain: Complain = (at, description) => problems.push({ at: `.${kind}${at}`, description });
  const also = readFields(message, (at, description) => problems.push({ at, description }));
  const read = { ...readMember(message, complain), also };
  return problems.length > 0 ? { problems: problems.slice(0, problemsMax) } : valid({ kind, message: read });
}

/** Of a guardrail that is there: another check, but of the same kind. @param present as it is stored */
export function sameKindOfCheck(present: GuardrailCheck__Output) {
  return (message: GuardrailCheck__Output): Field<GuardrailCheck> =>
    message.kind === undefined || Object.hasOwn(present, message.kind)
      ? guardrailCheck(message)
      : invalid('must be of the same kind: delete the guardrail and create another');
}

/** UTF-8 of its phrases, patterns and forms. */
export function textBytesOf({ words, pattern, secrets }: GuardrailCheck__Output): number {
  const forms = secrets?.forms?.map(({ label, form }) => label + form);
  const texts = words?.phrases ?? pattern?.patterns ?? forms ?? [];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}

/** Reads on after a problem; what it returns is of use only if there was none. */
function readMember(
  message: GuardrailCheck__Output,
  complain: Complain,
): Omit<GuardrailCheck__Output, 'also'> {
  const { words, pattern, personalData, secrets, promptSize, webhook, moderation } = message;
  if (words) {
    const phrases = texts(
      words.phrases,
      { field: '.phrases', max: phrasesMax, lengthMax: phraseLengthMax },
      complain,
    );
    return { words: { phrases, withinWords: words.withinWords } };
  }
  if (pattern) {
    const patterns = texts(
      pattern.patterns,
      { field: '.patterns', max: patternsMax, lengthMax: patternLengthMax },
      complain,
    );
    return { pattern: { patterns } };
  }
  if (personalData) return { personalData: readPersonalData(personalData, complain) };
  if (promptSize) {
    const { tokensMax, messagesMax, imagesMax } = promptSize;
    if (tokensMax + messagesMax + imagesMax === 0) complain('', 'must limit tokens, messages or images');
    return { promptSize: { tokensMax, messagesMax, imagesMax } };
  }
  if (webhook) {
    const { timeoutMs } = webhook;
    if (timeoutMs > webhookTimeoutMsMax) complain('.timeout_ms', `must be at most ${webhookTimeoutMsMax}`);
    const url = guardrailUrl(webhook.url);
    if ('problems' in url) complainOf('.url', url.problems, complain);
    return { webhook: { url: 'value' in url ? url.value : '', timeoutMs } };
  }
  if (moderation) return { moderation: readModeration(moderation, complain) };
  return { secrets: readSecrets(secrets, complain) };
}

interface TextLimits {
  readonly field: string;
  readonly max: number;
  /** Characters of each. */
  readonly lengthMax: number;
}

/** Without repetitions. */
function texts(
  given: readonly string[],
  { field, max, lengthMax }: TextLimits,
  complain: Complain,
): string[] {
  if (given.length === 0 || given.length > max) {
    complain(field, `must hold 1 to ${max}`);
    return [];
  }
  for (const [index, text] of given.entries()) {
    if (text.trim() === '' || [...text].length > lengthMax) {
      complain(`${field}[${index}]`, `must be 1 to ${lengthMax} characters`);
    }
  }
  return [...new Set(given)];
}

const requestFields: ReadonlySet<string> = new Set(Object.values(requestFieldsInContract));
/** Kinds that look at the text itself: what a service is asked, and counted, is what the model sees. */
const fieldKinds: ReadonlySet<Member> = new Set(['words', 'pattern', 'personalData', 'secrets']);

function readFields({ kind, also = [] }: GuardrailCheck__Output, complain: Complain) {
  if (also.length > 0 && (kind === undefined || !fieldKinds.has(kind)))
    complain('.also', 'is for words, pattern, personal_data and secrets');
  for (const [index, field] of also.entries()) {
    if (!requestFields.has(field))
      complain(`.also[${index}]`, `must be one of ${[...requestFields].join(', ')}`);
  }
  return [...new Set(also)];
}

const personalDataTypes: ReadonlySet<string> = new Set(Object.values(personalDataTypesInContract));
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

function readPersonalData({ types, countries, restore }: PersonalDataCheck__Output, complain: Complain) {
  for (const [index, type] of types.entries()) {
    if (!personalDataTypes.has(type)) {
      complain(`.types[${index}]`, `must be one of ${[...personalDataTypes].join(', ')}`);
    }
  }
  if (countries.length > countriesMax) complain('.countries', `must hold at most ${countriesMax}`);
  for (const [index, country] of countries.slice(0, countriesMax).entries()) {
    if (!isCountry(country)) {
      complain(`.countries[${index}]`, 'must be an ISO 3166-1 alpha-2 code in capitals, such as DE');
    }
  }
  return { types: [...new Set(types)], countries: [...new Set(countries)], restore };
}

/** What a form means is read when it is compiled. */
function readSecrets(secrets: SecretsCheck__Output | null | undefined, complain: Complain) {
  const forms = secrets?.forms ?? [];
  if (forms.length > secretFormsMax) complain('.forms', `must hold at most ${secretFormsMax}`);
  for (const [index, { form }] of forms.slice(0, secretFormsMax).entries()) {
    if (form === '' || form.length > secretFormLengthMax)
      complain(`.forms[${index}].form`, `must be 1 to ${secretFormLengthMax} characters`);
  }
  return { forms: forms.map(({ label, form }) => ({ label, form })) };
}

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && code !== 'ZZ' && regionNames.of(code) !== undefined;
}

function readModeration({ model, categories, scoreMin }: ModerationCheck__Output, complain: Complain) {
  if (!/^[A-Za-z0-9._:-]{0,128}$/.test(model)) {
    complain('.model', 'must be a model name such as omni-moderation-latest, or empty');
  }
  if (categories.length > categoriesMax) complain('.categories', `must hold at most ${categoriesMax}`);
  for (const [index, category] of categories.slice(0, categoriesMax).entries()) {
    if (!/^[a-z][a-z0-9/_-]{0,63}$/.test(category)) {
      complain(
        `.categories[${index}]`,
        'must be a category as the vendor names it, such as self-harm/intent',
      );
    }
  }
  if (!(scoreMin >= 0 && scoreMin <= 1)) complain('.score_min', 'must be from 0 to 1');
  return { model, categories: [...new Set(categories)], scoreMin };
}

/** Whether it looks at texts with what has to be compiled. */
export function isCompiled(message: GuardrailCheck__Output): boolean {
  const check = readCheck(message);
  return check !== undefined && isTextCheck(check);
}

/**
 * What a matcher cannot be made of is refused now, not by every proxy later. Takes processor time: hostile patterns have to be run for
 * some tenths of a second to be known as such.
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
