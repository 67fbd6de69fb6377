// Guardrails.Test: what an organization's guardrails would make of a text. Nothing of the text is kept or logged.
import type { Stage } from '../../guardrails/definition.ts';
import type { TestGuardrailsRequest__Output } from '../../proto/generated/gateway/v1/TestGuardrailsRequest.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { id } from '../domain/fields.ts';
import { oneStage } from '../domain/guardrail.ts';
import { checked, invalidRequest } from './checked.ts';
import { aiSystemIdsOf, type GuardrailRow, guardrailsOf, requireAiSystems } from './guardrail.ts';
import { inspectionMsMax, type TriedGuardrail } from './guardrail-trials.ts';
import type { OutsideCall } from './method.ts';

export const testTextBytesMax = 128 * 1024;

export async function test(
  call: OutsideCall,
  { organizationId, ...request }: TestGuardrailsRequest__Output,
): Promise<TestGuardrailsResponse> {
  const { text } = request;
  const guardrails = await call.read(async (db) => {
    const fields = checked({
      stage: oneStage(request.stage),
      text: testText(text),
      ai_system_id: optional(id, request.aiSystemId),
    });
    const aiSystemId = fields.ai_system_id;
    if (aiSystemId !== undefined) {
      await requireAiSystems(db, { field: 'ai_system_id', organizationId, ids: [aiSystemId] });
    }
    const rows = await guardrailsOf(db, organizationId).execute();
    return rows.filter((row) => appliesTo(row, fields.stage, aiSystemId)).map(tried);
  });
  const tested = await call.deps.guardrailWork.try(call.owner, { guardrails, text });
  if (tested === 'too_long') throw invalidRequest([{ field: 'text', description: tooLong }]);
  return tested;
}

const tooLong = `would take these guardrails more than ${inspectionMsMax} ms; try a shorter one`;

function testText(text: string): Field<string> {
  return Buffer.byteLength(text) <= testTextBytesMax
    ? valid(text)
    : invalid(`must be at most ${testTextBytesMax / 1024} KiB`);
}

function appliesTo(row: GuardrailRow, stage: Stage, aiSystemId: string | undefined): boolean {
  const only = aiSystemIdsOf(row);
  const isOfCaller = only.length === 0 || (aiSystemId !== undefined && only.includes(aiSystemId));
  return isOfCaller && (row.stage === 'both' || row.stage === stage);
}

/** Without its secret. */
function tried({
  id,
  name,
  enabled,
  action,
  on_failure,
  message,
  check_message,
}: GuardrailRow): TriedGuardrail {
  return { id, name, enabled, action, on_failure, message, check_message };
}
