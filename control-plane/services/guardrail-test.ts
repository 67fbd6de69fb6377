// Guardrails.Test: what an organization's guardrails would make of a text. They run as proxies run them; nothing of the text is
// kept or logged. What would hold this program up for long is refused, so that nobody waits for somebody else's trial.
import { setImmediate as turn } from 'node:timers/promises';
import { decisionsInContract, readCheck } from '../../guardrails/contract.ts';
import {
  blockedMessage,
  type Decision,
  type PromptSizeCheck,
  type Stage,
} from '../../guardrails/definition.ts';
import { compileCheck, InvalidCheckError, isTextCheck, type TextCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { Placeholders } from '../../guardrails/placeholders.ts';
import { type Guard, guardText } from '../../guardrails/window.ts';
import type { GuardrailTestResult } from '../../proto/generated/gateway/v1/GuardrailTestResult.ts';
import type { TestGuardrailsRequest__Output } from '../../proto/generated/gateway/v1/TestGuardrailsRequest.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { id } from '../domain/fields.ts';
import { oneStage } from '../domain/guardrail.ts';
import { checked, invalidRequest } from './checked.ts';
import { aiSystemIdsOf, checkOf, type GuardrailRow, guardrailsOf, requireAiSystems } from './guardrail.ts';
import type { ReadCall } from './method.ts';

export const testTextBytesMax = 128 * 1024;
/** Of one inspection: others have their turn before the next. */
const inspectionMsMax = 100;
/** Of a request's text; proxies count its bytes as well. */
const bytesPerToken = 4;

export async function test(
  call: ReadCall,
  { organizationId, ...request }: TestGuardrailsRequest__Output,
): Promise<TestGuardrailsResponse> {
  const fields = checked({
    stage: oneStage(request.stage),
    text: testText(request.text),
    ai_system_id: optional(id, request.aiSystemId),
  });
  const aiSystemId = fields.ai_system_id;
  if (aiSystemId !== undefined) {
    await requireAiSystems(call.db, { field: 'ai_system_id', organizationId, ids: [aiSystemId] });
  }
  const rows = await guardrailsOf(call.db, organizationId).execute();
  const trials: Trial[] = [];
  for (const row of rows.filter((row) => appliesTo(row, fields.stage, aiSystemId))) {
    trials.push(trial(row, fields.text));
    await turn();
  }
  return answer(trials, fields.text);
}

interface Trial {
  readonly row: GuardrailRow;
  /** Undefined: it is not tried. */
  readonly decision: Decision | undefined;
  /** How often, by label. */
  readonly found: ReadonlyMap<string, number>;
  /** Of one that looks at the text. */
  readonly matcher?: Matcher;
}

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

function trial(row: GuardrailRow, text: string): Trial {
  const check = readCheck(checkOf(row));
  if (check !== undefined && isTextCheck(check)) return textTrial(row, check, text);
  if (check?.kind !== 'prompt_size') return { row, decision: undefined, found: new Map() };
  const found = exceeded(check, text);
  return { row, decision: decisionOn(row, found), found };
}

function textTrial(row: GuardrailRow, check: TextCheck, text: string): Trial {
  const found = new Map<string, number>();
  let matcher: Matcher;
  try {
    matcher = compileCheck(check);
  } catch (error) {
    // What was stored by another version, and cannot be run by this one: proxies apply its rule too.
    if (!(error instanceof InvalidCheckError)) throw error;
    return { row, decision: `failed_${row.on_failure}`, found };
  }
  const count = (label: string) => found.set(label, (found.get(label) ?? 0) + 1);
  inspect([{ matcher, replacement: 'keep', found: count }], text);
  return { row, decision: decisionOn(row, found), found, matcher };
}

/** A text is one message. */
function exceeded({ tokensMax }: PromptSizeCheck, text: string): ReadonlyMap<string, number> {
  const tokens = Math.ceil(Buffer.byteLength(text) / bytesPerToken);
  return new Map(tokensMax !== undefined && tokens > tokensMax ? [['TOKENS', 1]] : []);
}

function decisionOn(row: GuardrailRow, found: ReadonlyMap<string, number>): Decision {
  return found.size > 0 ? row.action : 'pass';
}

function answer(trials: readonly Trial[], text: string): TestGuardrailsResponse {
  const results = trials.map(result);
  const inForce = trials.filter(({ row }) => row.enabled === 1);
  const blocking = inForce.find(({ decision }) => decision === 'block' || decision === 'failed_block');
  if (blocking === undefined) return { blockedBy: '', message: '', text: redacted(inForce, text), results };
  return { blockedBy: blocking.row.name, message: blockedMessage(blocking.row), text: '', results };
}

function redacted(trials: readonly Trial[], text: string): string {
  const placeholders = new Placeholders();
  const guards = trials.flatMap(({ decision, matcher }): Guard[] => {
    if (decision !== 'redact' || matcher === undefined) return [];
    const replacement = (found: string, label: string) => placeholders.of(found, label);
    return [{ matcher, replacement, found: () => undefined }];
  });
  return guards.length > 0 ? inspect(guards, text) : text;
}

/** @throws CallError for what would take too long */
function inspect(guards: readonly Guard[], text: string): string {
  const perCharacterNs = guards.reduce((sum, { matcher }) => sum + matcher.cost, 0);
  const charactersMax = Math.floor((inspectionMsMax * 1_000_000) / perCharacterNs);
  if (text.length <= charactersMax) return guardText(guards, text);
  const description = `takes too long with these guardrails; they can be tried with ${charactersMax} characters`;
  throw invalidRequest([{ field: 'text', description }]);
}

function result({ row, decision, found }: Trial) {
  return {
    guardrailId: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    decision: decision === undefined ? 'GUARDRAIL_DECISION_NOT_TRIED' : decisionsInContract[decision],
    found: Object.fromEntries(found),
  } satisfies GuardrailTestResult;
}
