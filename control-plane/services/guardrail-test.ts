// Guardrails.Test: applies an organization's guardrails to a text or body. Nothing of it is stored or logged.
import type { Kysely } from 'kysely';
import type { Stage } from '../../guardrails/definition.ts';
import type { TestGuardrailsRequest__Output } from '../../proto/generated/gateway/v1/TestGuardrailsRequest.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { oneStage } from '../domain/guardrail.ts';
import { id } from '../domain/shared-fields.ts';
import { inspectionMsMax, type TriedGuardrail } from '../guardrails/trial.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import type { Schema } from '../store/schema.ts';
import { appliesTo, type GuardrailRow, guardrailsOf, requireAiSystems } from './guardrail-rows.ts';
import type { OutsideCall } from './method.ts';

export const testTextBytesMax = 128 * 1024;
export const testBodyBytesMax = 512 * 1024;

export async function test(
  call: OutsideCall,
  { organizationId, ...request }: TestGuardrailsRequest__Output,
): Promise<TestGuardrailsResponse> {
  const { text, body } = request;
  const { stage, guardrails } = await call.read(async (db) => {
    const fields = checked({
      stage: oneStage(request.stage),
      text: testText(text),
      body: testBody(body, text),
      ai_system_id: optional(id, request.aiSystemId),
      key_id: optional(id, request.keyId),
    });
    const aiSystemId = fields.ai_system_id;
    if (aiSystemId !== undefined) {
      await requireAiSystems(db, { field: 'ai_system_id', organizationId, ids: [aiSystemId] });
    }
    const key = await keyOf(db, organizationId, fields.key_id);
    const caller = { keyId: fields.key_id, aiSystemIds: [aiSystemId, key] };
    const rows = await guardrailsOf(db, organizationId).execute();
    const applying = rows.filter((row) => appliesTo(row, caller) && isAt(row, fields.stage));
    return { stage: fields.stage, guardrails: applying.map(tried) };
  });
  const task = body === '' ? { guardrails, text } : { guardrails, stage, body };
  const tested = await call.deps.guardrailWork.try(call.owner, task);
  const field = body === '' ? 'text' : 'body';
  if (tested === 'too_long') throw invalidRequest([{ field, description: tooLong }]);
  if (tested === 'no_json') throw invalidRequest([{ field, description: 'must be a JSON object' }]);
  return tested;
}

const tooLong = `would take these guardrails more than ${inspectionMsMax} ms; try a shorter one`;

function testText(text: string): Field<string> {
  return Buffer.byteLength(text) <= testTextBytesMax
    ? valid(text)
    : invalid(`must be at most ${testTextBytesMax / 1024} KiB`);
}

function testBody(body: string, text: string): Field<string> {
  if (body !== '' && text !== '') return invalid('excludes text: send one of them');
  return Buffer.byteLength(body) <= testBodyBytesMax
    ? valid(body)
    : invalid(`must be at most ${testBodyBytesMax / 1024} KiB`);
}

/** @returns the AI system of a key. @throws CallError if the id is no key of the organization */
async function keyOf(
  db: Kysely<Schema>,
  organizationId: string,
  keyId: string | undefined,
): Promise<string | undefined> {
  if (keyId === undefined) return undefined;
  const row = await db
    .selectFrom('virtual_keys')
    .select(['scope_kind', 'scope_id'])
    .where('id', '=', keyId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined)
    throw invalidRequest([{ field: 'key_id', description: 'must be a virtual key of the organization' }]);
  return row.scope_kind === 'ai_system' ? row.scope_id : undefined;
}

function isAt({ stage }: GuardrailRow, requested: Stage): boolean {
  return stage === 'both' || stage === requested;
}

/** The guardrail without its secret. */
function tried({ id, name, enabled, action, on_failure, message, check_message }: GuardrailRow): TriedGuardrail {
  return { id, name, enabled, action, on_failure, message, check_message };
}
