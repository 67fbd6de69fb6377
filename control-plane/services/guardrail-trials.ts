// What guardrails make of a text: they run as proxies run them. Runs in a worker; nothing of the text is kept or logged. What would take
// long is refused, so that nobody waits for somebody else's trial.
import { setImmediate as turn } from 'node:timers/promises';
import { decisionsInContract, readCheck } from '../../guardrails/contract.ts';
import { blockedMessage, type Decision, type PromptSizeCheck } from '../../guardrails/definition.ts';
import { compileCheck, InvalidCheckError, isTextCheck, type TextCheck } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { Placeholders } from '../../guardrails/placeholders.ts';
import { BlockedError, type Guard, guardText } from '../../guardrails/window.ts';
import type { GuardrailCheck__Output } from '../../proto/generated/gateway/v1/GuardrailCheck.ts';
import type { GuardrailTestResult } from '../../proto/generated/gateway/v1/GuardrailTestResult.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import type { GuardrailsTable } from '../store/guardrail-tables.ts';

/** Of a guardrail as it is stored, without its secret. */
export type TriedGuardrail = Pick<
  GuardrailsTable,
  'id' | 'name' | 'enabled' | 'action' | 'on_failure' | 'message' | 'check_message'
>;

export interface TrialTask {
  /** In the order in which they are applied. */
  readonly guardrails: readonly TriedGuardrail[];
  readonly text: string;
}

/** Processor time of all inspections, measured on pieces of the text that are as short as others can wait for. */
export const inspectionMsMax = 200;
const pieceLength = 256;
/** Of a request's text; proxies count its bytes as well. */
const bytesPerToken = 4;

/** @returns too_long: it would take these guardrails longer than they have */
export async function runTrials({
  guardrails,
  text,
}: TrialTask): Promise<TestGuardrailsResponse | 'too_long'> {
  const time = new InspectionTime(text);
  const trials: Trial[] = [];
  for (const row of guardrails) {
    const tried = await trial(row, time);
    if (tried === 'too_long') return tried;
    trials.push(tried);
  }
  return answer(trials, text);
}

interface Trial {
  readonly row: TriedGuardrail;
  /** Undefined: it is not tried. */
  readonly decision: Decision | undefined;
  /** How often, by label. */
  readonly found: ReadonlyMap<string, number>;
  /** Of one that looks at the text. */
  readonly matcher?: Matcher;
}

async function trial(row: TriedGuardrail, time: InspectionTime): Promise<Trial | 'too_long'> {
  const check = readCheck(JSON.parse(row.check_message) as GuardrailCheck__Output);
  if (check !== undefined && isTextCheck(check)) return await textTrial(row, check, time);
  if (check?.kind !== 'prompt_size') return { row, decision: undefined, found: new Map() };
  const found = exceeded(check, time.text);
  return { row, decision: decisionOn(row, found), found };
}

async function textTrial(
  row: TriedGuardrail,
  check: TextCheck,
  time: InspectionTime,
): Promise<Trial | 'too_long'> {
  const found = new Map<string, number>();
  let matcher: Matcher;
  try {
    matcher = compileCheck(check);
  } catch (error) {
    // What was stored by another version, and cannot be run by this one: proxies apply its rule too.
    if (!(error instanceof InvalidCheckError)) throw error;
    return { row, decision: `failed_${row.on_failure}`, found };
  }
  if (!(await time.suffices(matcher))) return 'too_long';
  const count = (label: string) => found.set(label, (found.get(label) ?? 0) + 1);
  guardText([{ matcher, replacement: 'keep', found: count }], time.text);
  return { row, decision: decisionOn(row, found), found, matcher };
}

/** Matchers are linear in the text, so what its pieces take the whole takes as well. */
class InspectionTime {
  readonly text: string;
  #spentMs = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether there is enough for this matcher too. */
  async suffices(matcher: Matcher): Promise<boolean> {
    for (let from = 0; from < this.text.length; from += pieceLength) {
      await turn();
      const before = process.threadCpuUsage();
      guardText([{ matcher, replacement: 'keep', found: () => undefined }], this.#piece(from));
      const { user, system } = process.threadCpuUsage(before);
      this.#spentMs += (user + system) / 1000;
      if (this.#spentMs > inspectionMsMax) return false;
    }
    return true;
  }

  #piece(from: number): string {
    return this.text.slice(from, from + pieceLength);
  }
}

/** A text is one message. */
function exceeded({ tokensMax }: PromptSizeCheck, text: string): ReadonlyMap<string, number> {
  const tokens = Math.ceil(Buffer.byteLength(text) / bytesPerToken);
  return new Map(tokensMax !== undefined && tokens > tokensMax ? [['TOKENS', 1]] : []);
}

function decisionOn(row: TriedGuardrail, found: ReadonlyMap<string, number>): Decision {
  return found.size > 0 ? row.action : 'pass';
}

/** As proxies have it: sizes and checks that cannot be run come first, then the text, which ends at the first finding that blocks. */
function answer(trials: readonly Trial[], text: string): TestGuardrailsResponse {
  const results = trials.map(result);
  const inForce = trials.filter(({ row }) => row.enabled === 1);
  const refusing = inForce.find(({ decision, matcher }) => matcher === undefined && isBlocking(decision));
  const left = refusing ?? rewritten(inForce, text);
  if (typeof left === 'string') return { blockedBy: '', message: '', text: left, results };
  return { blockedBy: left.row.name, message: blockedMessage(left.row), text: '', results };
}

function isBlocking(decision: Decision | undefined): boolean {
  return decision === 'block' || decision === 'failed_block';
}

/** @returns what is left of the text, or the one that blocks it */
function rewritten(trials: readonly Trial[], text: string): string | Trial {
  const placeholders = new Placeholders();
  const byGuard = new Map<Guard, Trial>();
  for (const trial of trials) {
    const { matcher, decision } = trial;
    if (matcher === undefined || (decision !== 'block' && decision !== 'redact')) continue;
    const put = (found: string, label: string) => placeholders.of(found, label);
    const replacement = decision === 'block' ? decision : put;
    byGuard.set({ matcher, replacement, found: () => undefined }, trial);
  }
  try {
    return guardText([...byGuard.keys()], text);
  } catch (error) {
    const blocking = error instanceof BlockedError ? byGuard.get(error.guard) : undefined;
    if (blocking === undefined) throw error;
    return blocking;
  }
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
