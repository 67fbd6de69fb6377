// Checks that call a service: a vendor's by its adapter, or a classifier model by its form. Input that the adapter or
// form does not know is refused, because nothing would read it. Problems never repeat a credential.
import { isModelName } from '../../common/model-facts.ts';
import { type CheckKind, kindProperties } from '../../guardrails/definition.ts';
import { modelForm, modelForms } from '../../guardrails/models/index.ts';
import type { ServiceAdapter } from '../../guardrails/services/adapter.ts';
import { serviceAdapter, serviceAdapters, serviceUrl } from '../../guardrails/services/index.ts';
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { ModelCheck__Output } from '../../proto/generated/gateway/v1/ModelCheck.ts';
import type { ServiceCheck__Output } from '../../proto/generated/gateway/v1/ServiceCheck.ts';
import type { ServiceCredential__Output } from '../../proto/generated/gateway/v1/ServiceCredential.ts';
import { checkKinds } from '../../proto/words/guardrails.ts';
import { type Field, invalid, type Problem, valid } from './field.ts';
import { guardrailUrl } from './webhook.ts';

export type Complain = (at: string, description: string) => void;

export const askTimeoutMsMax = 30_000;
const labelsMax = 50;
export const windowMin = 200;
export const windowMax = 100_000;

/** A list of their names, such as "pattern and secrets". */
export function kindsBy(by: (typeof kindProperties)[CheckKind]['by']): string {
  const kinds = checkKinds.words.filter((kind) => kindProperties[kind].by === by);
  return `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}`;
}

export function readWindow(
  { kind, window = 0 }: Partial<GuardrailCheck__Output>,
  complain: Complain,
): Pick<GuardrailCheck__Output, 'window'> {
  if (window === 0) return {};
  if (kind !== undefined && kindProperties[checkKinds.rows[kind]].by !== 'service')
    complain('.window', `is for ${kindsBy('service')}`);
  else if (window < windowMin || window > windowMax)
    complain('.window', `must be from ${windowMin} to ${windowMax}, or 0 for the default`);
  return { window };
}

export function readService(check: ServiceCheck__Output, complain: Complain): ServiceCheck__Output {
  const { labels, scoreMin, timeoutMs } = check;
  const adapter = serviceAdapter(check.adapter);
  if (adapter === undefined) complain('.adapter', `must be one of ${Object.keys(serviceAdapters).join(', ')}`);
  const url = readUrl(check, adapter, complain);
  if (adapter !== undefined) readOptions(check.options, adapter, complain);
  if (labels.length > labelsMax) complain('.labels', `must contain at most ${labelsMax}`);
  for (const [index, label] of labels.slice(0, labelsMax).entries()) {
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(label)) complain(`.labels[${index}]`, 'must be such as PROMPT_ATTACK');
  }
  if (!(scoreMin >= 0 && scoreMin <= 1)) complain('.score_min', 'must be from 0 to 1');
  else if (scoreMin > 0 && adapter?.scores === false)
    complain('.score_min', 'is only for services that return scores; this one decides by its own settings');
  readTimeout(timeoutMs, complain);
  return { ...check, url, options: { ...check.options }, labels: [...new Set(labels)] };
}

function readUrl({ url }: ServiceCheck__Output, adapter: ServiceAdapter | undefined, complain: Complain): string {
  if (url === '') {
    if (adapter !== undefined && adapter.url === undefined)
      complain('.url', 'is required: the service has no address for all');
    return url;
  }
  const read = guardrailUrl(url);
  if ('problems' in read) for (const { at, description } of read.problems) complain(`.url${at}`, description);
  else if (new URL(read.value).search !== '') complain('.url', 'must have no query');
  return 'value' in read ? read.value : '';
}

function readOptions(
  options: Readonly<Record<string, string>>,
  { options: rules }: ServiceAdapter,
  complain: Complain,
): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      // The message does not repeat an unknown name, because it may be a secret in the wrong field.
      complain('.options', `must be of ${Object.keys(rules).join(', ')}`);
    else if (!rule.form.test(value)) complain(`.options.${name}`, `must be ${rule.about}`);
  }
  for (const [name, { isRequired, about }] of Object.entries(rules)) {
    if (isRequired === true && options[name] === undefined) complain(`.options.${name}`, `is required: ${about}`);
  }
}

export function readModel(check: ModelCheck__Output, complain: Complain): ModelCheck__Output {
  const slash = check.model.indexOf('/');
  if (slash < 1 || !isModelName(check.model.slice(slash + 1)) || check.model.length > 256)
    complain('.model', 'must be <provider>/<model>, such as gpt-provider/gpt-4o-mini');
  const form = modelForm(check.form);
  if (form === undefined) complain('.form', `must be one of ${Object.keys(modelForms).join(', ')}`);
  const problem = form?.problem({ ...check, scoreMin: check.scoreMin || undefined });
  if (problem !== undefined) complain(problem.at, problem.description);
  if (check.criterion.length > 1000) complain('.criterion', 'must be at most 1000 characters');
  if (!(check.scoreMin >= 0 && check.scoreMin <= 1)) complain('.score_min', 'must be from 0 to 1');
  else if (check.scoreMin > 0 && check.form !== 'prompt_guard')
    complain('.score_min', 'is of prompt_guard: the other forms return no score');
  readTimeout(check.timeoutMs, complain);
  return { ...check, topics: [...check.topics], categories: [...new Set(check.categories)] };
}

function readTimeout(timeoutMs: number, complain: Complain): void {
  if (timeoutMs > askTimeoutMsMax) complain('.timeout_ms', `must be at most ${askTimeoutMsMax}`);
}

/** The credential fields of a service, by how the service authenticates its callers. */
const credentialForms = {
  header: ['apiKey'],
  aws: ['apiKey', 'accessKeyId', 'secretAccessKey', 'sessionToken'],
  google: ['serviceAccount'],
} as const satisfies Record<ServiceAdapter['authentication'], readonly (keyof ServiceCredential__Output)[]>;

const inContract = {
  apiKey: '.api_key',
  accessKeyId: '.access_key_id',
  secretAccessKey: '.secret_access_key',
  sessionToken: '.session_token',
  serviceAccount: '.service_account',
} as const;

type CredentialField = keyof typeof inContract;
export type CredentialText = Partial<Record<CredentialField, string>>;

/**
 * @param check as it will be stored
 * @returns undefined if the check has no credential of its own
 */
export function serviceCredential(
  check: GuardrailCheck__Output | undefined,
  message: ServiceCredential__Output | null | undefined,
): Field<CredentialText | undefined> {
  const adapter = check?.service ? serviceAdapter(check.service.adapter) : undefined;
  if (message === null || message === undefined) {
    if (adapter === undefined || !mustHaveOne(adapter)) return valid(undefined);
    return invalid('is required: the service accepts no call without a credential');
  }
  // The check's own reader reports that the check is invalid.
  if (check !== undefined && !check.service) return invalid('is of services only');
  const { text, problems } = readCredential(message, adapter ? credentialForms[adapter.authentication] : []);
  const missing = problems.length > 0 || adapter === undefined ? undefined : missingPart(adapter, text);
  if (missing !== undefined) problems.push(missing);
  return problems.length > 0 ? { problems } : valid(text);
}

function readCredential(message: ServiceCredential__Output, taken: readonly CredentialField[]) {
  const problems: Problem[] = [];
  const text: CredentialText = {};
  for (const name of Object.keys(inContract) as CredentialField[]) {
    const value = message[name];
    if (value === undefined || value === '') continue;
    const at = inContract[name];
    if (!taken.includes(name)) problems.push({ at, description: 'is not what this service takes' });
    else if (!isSecretText(name, value)) problems.push({ at, description: formOf(name) });
    else text[name] = value;
  }
  return { text, problems };
}

/** A service without a credential of its own may be open, or use a stored key. */
function mustHaveOne(adapter: ServiceAdapter): boolean {
  const { authentication } = adapter;
  if (authentication === 'aws') return false;
  if (authentication === 'google') return true;
  const header = adapter.authenticate({ options: {}, scoreMin: undefined });
  return header.kind === 'header' && header.isOptional !== true;
}

function isSecretText(name: CredentialField, value: string): boolean {
  if (name !== 'serviceAccount') return /^[\x21-\x7e]{1,8192}$/.test(value);
  return value.length <= 16_384 && isServiceAccount(value);
}

function isServiceAccount(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null) return false;
    const { client_email: email, private_key: key, token_uri: uri } = read as Record<string, unknown>;
    const isKey = typeof key === 'string' && key.includes('PRIVATE KEY');
    return typeof email === 'string' && isKey && typeof uri === 'string' && 'value' in guardrailUrl(uri);
  } catch {
    return false;
  }
}

function formOf(name: CredentialField): string {
  return name === 'serviceAccount'
    ? 'must be the key file of a service account: JSON with client_email, private_key and an https token_uri'
    : 'must be 1 to 8192 visible ASCII characters without white space';
}

function missingPart({ authentication }: ServiceAdapter, text: CredentialText): Problem | undefined {
  if (authentication === 'header')
    return text.apiKey === undefined ? { at: '.api_key', description: 'is required' } : undefined;
  if (authentication === 'google')
    return text.serviceAccount === undefined ? { at: '.service_account', description: 'is required' } : undefined;
  const cloud = text.accessKeyId ?? text.secretAccessKey ?? text.sessionToken;
  const isPair = text.accessKeyId !== undefined && text.secretAccessKey !== undefined;
  const isRight = text.apiKey === undefined ? isPair : cloud === undefined;
  return isRight ? undefined : { at: '', description: 'must contain access_key_id and secret_access_key, or api_key' };
}

/** Whether the credential would be sent to a host that the operator who set it has not seen. */
export function leadsElsewhere(present: GuardrailCheck__Output, changed: GuardrailCheck__Output): boolean {
  return hostOf(present) !== hostOf(changed);
}

function hostOf({ service }: GuardrailCheck__Output): string {
  if (!service) return '';
  const adapter = serviceAdapter(service.adapter);
  const url = adapter && serviceUrl(adapter, service.url, service.options);
  return `${service.adapter} ${url && URL.canParse(url) ? new URL(url).host : ''}`;
}
