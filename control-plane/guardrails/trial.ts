// The test of one guardrail: its check, its time limit, and the reported result. Runs in a worker.
import { setImmediate as turn } from 'node:timers/promises';
import { readCheck } from '../../guardrails/contract.ts';
import { isTextCheck, type PromptSizeCheck } from '../../guardrails/definition.ts';
import { compileCheck, InvalidCheckError } from '../../guardrails/index.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { guardText } from '../../guardrails/window.ts';
import type { GuardrailTestResult } from '../../proto/generated/gateway/v1/GuardrailTestResult.ts';
import { type Decision, decisions } from '../../proto/words/guardrails.ts';
import type { GuardrailsTable } from '../store/guardrail-tables.ts';
import { checkOf } from './stored-check.ts';

/** A stored guardrail without its secret. */
export type TriedGuardrail = Pick<
  GuardrailsTable,
  'id' | 'name' | 'enabled' | 'action' | 'on_failure' | 'message' | 'check_message'
>;

export interface Trial {
  readonly row: TriedGuardrail;
  /** Undefined if it was not tested. */
  readonly decision: Decision | undefined;
  /** How many matches there are, by label. */
  readonly found: ReadonlyMap<string, number>;
  /** Present if the guardrail inspects the text. */
  readonly matcher?: Matcher;
}

/** The default of proxies: the length of the longest match that is found across a join. */
export const window = 512;
/** For one guardrail. */
export const placesMax = 1000;

/**
 * Processor time of all inspections. It is measured on pieces of the text that are short enough not to delay other
 * work.
 */
export const inspectionMsMax = 200;
const pieceLength = 256;
/** For the text of a request; proxies count its bytes too. */
export const bytesPerToken = 4;

/** Runs the tests one after the other. @returns too_long if they would take longer than the time limit */
export async function tryAll<T extends Trial>(
  guardrails: readonly TriedGuardrail[],
  tryOne: (row: TriedGuardrail) => Promise<T | 'too_long'>,
): Promise<readonly T[] | 'too_long'> {
  const trials: T[] = [];
  for (const row of guardrails) {
    const trial = await tryOne(row);
    if (trial === 'too_long') return trial;
    trials.push(trial);
  }
  return trials;
}

/**
 * @param exceeded returns the sizes that are above their limits
 * @returns a trial with a matcher if the guardrail inspects text; the caller runs the matcher
 */
export function triedCheck(
  row: TriedGuardrail,
  exceeded: (check: PromptSizeCheck) => ReadonlyMap<string, number>,
): Trial {
  const check = readCheck(checkOf(row));
  const found = new Map<string, number>();
  if (check?.kind === 'prompt_size') {
    const above = exceeded(check);
    return { row, decision: decisionOn(row, above), found: above };
  }
  if (check === undefined || !isTextCheck(check)) return { row, decision: undefined, found };
  try {
    return { row, decision: undefined, found, matcher: compileCheck(check) };
  } catch (error) {
    // The check was stored by another version and cannot run in this one. Proxies apply its failure rule too.
    if (!(error instanceof InvalidCheckError)) throw error;
    return { row, decision: `failed_${row.on_failure}`, found };
  }
}

export function decisionOn(row: TriedGuardrail, found: ReadonlyMap<string, number>): Decision {
  return found.size > 0 ? row.action : 'pass';
}

/**
 * Whether a size limit, or the failure rule of a check that cannot run, refuses the text. Both apply before any text.
 */
export function isRefusing({ decision, matcher }: Trial): boolean {
  return matcher === undefined && (decision === 'block' || decision === 'failed_block');
}

/** Matchers are linear in the text, so the whole text takes as long as its pieces together. */
export class InspectionTime {
  readonly text: string;
  #spentMs = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether the time suffices for this matcher too. */
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

export function resultOf({ row, decision, found }: Trial) {
  return {
    guardrailId: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    decision: decision === undefined ? 'GUARDRAIL_DECISION_NOT_TRIED' : decisions.names[decision],
    found: Object.fromEntries(found),
  } satisfies GuardrailTestResult;
}
