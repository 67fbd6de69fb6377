// Guardrails: their fields besides the check, and which fields cannot be combined.
import { containsCredential } from '../../common/credential.ts';
import { visiblePattern } from '../../common/tags.ts';
import { memberOf } from '../../guardrails/contract.ts';
import { type Guardrail, kindProperties, type Stage } from '../../guardrails/definition.ts';
import { modelForm } from '../../guardrails/models/index.ts';
import { serviceAdapter } from '../../guardrails/services/index.ts';
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import {
  type CheckMember,
  checkKinds,
  failureRules,
  guardrailActions,
  guardrailStages,
} from '../../proto/words/guardrails.ts';
import { wordOf } from './enum-names.ts';
import { each, type Field, invalid, valid } from './field.ts';
import { id, noCredential, within } from './shared-fields.ts';

export const guardrailPositionDefault = 100;
const messageLengthMax = 200;
const aiSystemsMax = 100;
const keysMax = 100;

export const guardrailStage = wordOf(guardrailStages);

/** The stage of a text that is tested: input or output, never both. */
export function oneStage(name: string): Field<Stage> {
  const read = guardrailStage(name);
  if ('problems' in read) return read;
  return read.value === 'both' ? invalid('must be the input or the output') : valid(read.value);
}

export const guardrailAction = wordOf(guardrailActions);

export const guardrailPosition = within(0, 1000);

export const failureRule = wordOf(failureRules);

/** For a new guardrail: an unspecified rule becomes the safe one. */
export function failureRuleOrBlock(name: string): Field<Guardrail['onFailure']> {
  return name === 'GUARDRAIL_FAILURE_RULE_UNSPECIFIED' ? valid('block') : failureRule(name);
}

/** The name is written to a header and to metrics. */
export function guardrailName(text: string): Field<string> {
  if (containsCredential(text)) return invalid(noCredential);
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(text)
    ? valid(text)
    : invalid('must be 1 to 63 of a-z 0-9 . _ -, beginning with a letter or digit');
}

export function guardrailMessage(text: string): Field<string> {
  const trimmed = text.trim().normalize('NFC');
  if (containsCredential(trimmed)) return invalid(noCredential);
  const isVisible = trimmed === '' || visiblePattern.test(trimmed);
  return isVisible && [...trimmed].length <= messageLengthMax
    ? valid(trimmed)
    : invalid(`must be at most ${messageLengthMax} visible characters`);
}

/** Ids of virtual keys, without repetitions. The caller checks that the keys exist. */
export function guardedKeyIds(ids: readonly string[]): Field<readonly string[]> {
  return someIds(ids, keysMax);
}

/** Ids of AI systems, without repetitions. The caller checks that the systems exist. */
export function aiSystemIds(ids: readonly string[]): Field<readonly string[]> {
  return someIds(ids, aiSystemsMax);
}

function someIds(ids: readonly string[], max: number): Field<readonly string[]> {
  if (ids.length > max) return invalid(`must contain at most ${max}`);
  const read = each(id, ids);
  return 'problems' in read ? read : valid([...new Set(read.value)]);
}

type Fitted = Pick<Guardrail, 'stage' | 'action'>;

/**
 * Refuses fields that cannot be combined, and names the wrong one. Such a guardrail would do less than its operator
 * expects.
 */
export function fitting(guardrail: Fitted, check: GuardrailCheck__Output) {
  return {
    stage: stageFits(guardrail, check),
    action: actionFits(guardrail, check),
    'check.personal_data.restore': restoreFits(guardrail, check),
  };
}

function stageFits({ stage }: Fitted, { promptSize, also, model }: GuardrailCheck__Output): Field<undefined> {
  if (model && stage !== 'output' && modelForm(model.form)?.compares({ ...model, scoreMin: undefined }) === true)
    return invalid(`must be ${guardrailStages.names.output}: only a response can be compared with its request`);
  if (stage === 'output' && also !== undefined && also.length > 0)
    return invalid(`must not be ${guardrailStages.names.output}: check.also is of requests only`);
  if (!promptSize || stage === 'input') return valid(undefined);
  return invalid(`must be ${guardrailStages.names.input}: prompt_size is of requests only`);
}

function actionFits({ action }: Fitted, check: GuardrailCheck__Output): Field<undefined> {
  const member = memberOf(check);
  if (action !== 'redact' || member === undefined || redacts(member, check)) return valid(undefined);
  const name = member === 'service' ? `service ${check.service?.adapter}` : checkKinds.rows[member];
  return invalid(`must not be ${guardrailActions.names.redact}: ${name} names nothing that could be replaced`);
}

function redacts(member: CheckMember, { service }: GuardrailCheck__Output): boolean {
  const capabilities = kindProperties[checkKinds.rows[member]];
  if (capabilities.redacts !== 'by adapter') return capabilities.redacts;
  return service == null || serviceAdapter(service.adapter)?.redacts !== false;
}

function restoreFits({ stage, action }: Fitted, { personalData }: GuardrailCheck__Output): Field<undefined> {
  if (!personalData?.restore || (action === 'redact' && stage !== 'output')) return valid(undefined);
  return invalid('goes with redaction of the input only: nothing else leaves placeholders to be restored');
}
