// Reads the check of a stored guardrail from its row, for services and for the worker that tests it.
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import type { GuardrailsTable } from '../store/guardrail-tables.ts';
import { jsonColumn } from '../store/json-columns.ts';

const storedCheck = jsonColumn('guardrails', 'check_message', aMessage<GuardrailCheck__Output>('GuardrailCheck'));
const withoutForms = { forms: [] };

export function checkOf(row: Pick<GuardrailsTable, 'id' | 'check_message'>): GuardrailCheck__Output {
  const check = storedCheck(row);
  // Checks that were stored before operators could add forms have none.
  return check.secrets ? { ...check, secrets: { ...withoutForms, ...check.secrets } } : check;
}
