// Decodes guardrails of the contract into the proxy's own types. No guardrail is ever lost here: unknown values of a
// newer control plane get their strictest meaning, and a check that is not understood always fails.
import { Secret } from '../../common/secret.ts';
import { readAlso, readCheck, readCredential } from '../../guardrails/contract.ts';
import type { Check, Guardrail } from '../../guardrails/definition.ts';
import type { GuardrailRecord__Output } from '../../proto/generated/gateway/v1/GuardrailRecord.ts';
import type { ReportGuardrailDecisionsRequest } from '../../proto/generated/gateway/v1/ReportGuardrailDecisionsRequest.ts';
import { decisions, failureRules, guardrailActions, guardrailStages } from '../../proto/words/guardrails.ts';
import type { DecisionSample } from '../guardrails/decision-samples.ts';
import { whole } from './wire-values.ts';

const unknown: Check = { kind: 'unknown' };

/** @throws Error if the record lacks what the contract promises */
export function decodeGuardrail(record: GuardrailRecord__Output): Guardrail {
  if (record.id === '' || record.name === '') throw new Error('the record contains half a guardrail');
  const also = readAlso(record.check ?? {});
  const secret = record.secret ? new Secret(record.secret) : undefined;
  const credential = readCredential(record.credential);
  const window = record.check?.window;
  return {
    id: record.id,
    name: record.name,
    position: record.position,
    stage: guardrailStages.wordOf(record.stage) ?? 'both',
    action: guardrailActions.wordOf(record.action) ?? 'block',
    onFailure: failureRules.wordOf(record.onFailure) ?? 'block',
    message: record.message,
    aiSystemIds: record.aiSystemIds,
    ...(record.keyIds.length > 0 && { keyIds: record.keyIds }),
    ...(also.length > 0 && { also }),
    ...(window && { window }),
    check: (record.check && readCheck(record.check, { secret, credential })) ?? unknown,
    revision: whole(record.revision),
  };
}

/** In the order in which they are applied. */
export function decodeGuardrails(records: readonly GuardrailRecord__Output[]): readonly Guardrail[] {
  return records.map(decodeGuardrail).sort(byPosition);
}

function byPosition(a: Guardrail, b: Guardrail): number {
  return a.position - b.position || (a.id < b.id ? -1 : 1);
}

/** Encodes samples of guardrail decisions as a message of the contract. */
export function encodeDecisions(samples: readonly DecisionSample[]): ReportGuardrailDecisionsRequest {
  return {
    samples: samples.map(({ stage, decision, at, ...sample }) => ({
      ...sample,
      stage: guardrailStages.names[stage],
      decision: decisions.names[decision],
      at: new Date(at).toISOString(),
    })),
  };
}
