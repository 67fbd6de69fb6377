// Guardrails: their fields beside what they look for, and what cannot go together.
import { holdsCredential } from '../../common/credential.ts';
import { memberOf } from '../../guardrails/contract.ts';
import { type Guardrail, kindTraits, type Stage } from '../../guardrails/definition.ts';
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
import { id, noCredential, visiblePattern, within } from './shared-fields.ts';

export const guardrailPositionDefault = 100;
const messageLengthMax = 200;
const aiSystemsMax = 100;
const keysMax = 100;

export const guardrailStage = wordOf(guardrailStages);

/** Of what is inspected in one go: never both. */
export function oneStage(name: string): Field<Stage> {
  const read = guardrailStage(name);
  if ('problems' in read) return read;
  return read.value === 'both' ? invalid('must be the input or the output') : valid(read.value);
}

export const guardrailAction = wordOf(guardrailActions);

export const guardrailPosition = within(0, 1000);

export const failureRule = wordOf(failureRules);

/** Of a guardrail that is made: unspecified is the safe one. */
export function failureRuleOrBlock(name: string): Field<Guardrail['onFailure']> {
  return name === 'GUARDRAIL_FAILURE_RULE_UNSPECIFIED' ? valid('block') : failureRule(name);
}

/** It stands in a header and in metrics. */
export function guardrailName(text: string): Field<string> {
  if (holdsCredential(text)) return invalid(noCredential);
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(text)
    ? valid(text)
    : invalid('must be 1 to 63 of a-z 0-9 . _ -, beginning with a letter or digit');
}

export function guardrailMessage(text: string): Field<string> {
  const trimmed = text.trim().normalize('NFC');
  if (holdsCredential(trimmed)) return invalid(noCredential);
  const isVisible = trimmed === '' || visiblePattern.test(trimmed);
  return isVisible && [...trimmed].length <= messageLengthMax
    ? valid(trimmed)
    : invalid(`must be at most ${messageLengthMax} visible characters`);
}

/** Of virtual keys. Without repetitions. That they exist is for others to see. */
export function guardedKeyIds(ids: readonly string[]): Field<readonly string[]> {
  return someIds(ids, keysMax);
}

/** Without repetitions. That they exist is for others to see. */
export function aiSystemIds(ids: readonly string[]): Field<readonly string[]> {
  return someIds(ids, aiSystemsMax);
}

function someIds(ids: readonly string[], max: number): Field<readonly string[]> {
  if (ids.length > max) return invalid(`must hold at most ${max}`);
  const read = each(id, ids);
  return 'problems' in read ? read : valid([...new Set(read.value)]);
}

type Fitted = Pick<Guardrail, 'stage' | 'action'>;

/** What cannot go together is refused by the field that is wrong: it would do less than its operator believes. */
export function fitting(guardrail: Fitted, check: GuardrailCheck__Output) {
  return {
    stage: stageFits(guardrail, check),
    action: actionFits(guardrail, check),
    'check.personal_data.restore': restoreFits(guardrail, check),
  };
}

function stageFits({ stage }: Fitted, { promptSize, also, model }: GuardrailCheck__Output): Field<undefined> {
  if (
    model &&
    stage !== 'output' &&
    modelForm(model.form)?.compares({ ...model, scoreMin: undefined }) === true
  )
    return invalid(
      `must be ${guardrailStages.names.output}: only an answer can be compared with what was asked`,
    );
  if (stage === 'output' && also !== undefined && also.length > 0)
    return invalid(`must not be ${guardrailStages.names.output}: check.also is of requests only`);
  if (!promptSize || stage === 'input') return valid(undefined);
  return invalid(`must be ${guardrailStages.names.input}: prompt_size is of requests only`);
}

function actionFits({ action }: Fitted, check: GuardrailCheck__Output): Field<undefined> {
  const member = memberOf(check);
  if (action !== 'redact' || member === undefined || redacts(member, check)) return valid(undefined);
  const name = member === 'service' ? `service ${check.service?.adapter}` : checkKinds.rows[member];
  return invalid(
    `must not be ${guardrailActions.names.redact}: ${name} names nothing that could be replaced`,
  );
}

function redacts(member: CheckMember, { service }: GuardrailCheck__Output): boolean {
  const traits = kindTraits[checkKinds.rows[member]];
  if (traits.redacts !== 'by adapter') return traits.redacts;
  return service == null || serviceAdapter(service.adapter)?.redacts !== false;
}

function restoreFits({ stage, action }: Fitted, { personalData }: GuardrailCheck__Output): Field<undefined> {
  if (!personalData?.restore || (action === 'redact' && stage !== 'output')) return valid(undefined);
  return invalid('goes with redaction of the input only: nothing else leaves placeholders to be restored');
}
