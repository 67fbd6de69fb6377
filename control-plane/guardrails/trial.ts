// One guardrail on trial: what its check is, how long it may take, and what is told of it. Runs in a worker.
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

/** Of a guardrail as it is stored, without its secret. */
export type TriedGuardrail = Pick<
  GuardrailsTable,
  'id' | 'name' | 'enabled' | 'action' | 'on_failure' | 'message' | 'check_message'
>;

export interface Trial {
  readonly row: TriedGuardrail;
  /** Undefined: it is not tried. */
  readonly decision: Decision | undefined;
  /** How often, by label. */
  readonly found: ReadonlyMap<string, number>;
  /** Of one that looks at the text. */
  readonly matcher?: Matcher;
}

/** As proxies have it by default: the longest finding that is seen over a seam. */
export const window = 512;
/** Of one guardrail. */
export const placesMax = 1000;

/** Processor time of all inspections, measured on pieces of the text that are as short as others can wait for. */
export const inspectionMsMax = 200;
const pieceLength = 256;
/** Of a request's text; proxies count its bytes as well. */
export const bytesPerToken = 4;

/** One after the other. @returns too_long: it would take these guardrails longer than they have */
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

/** @param exceeded sizes that are above their limits @returns with a matcher where it looks at text: that is for others to do */
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
    // What was stored by another version, and cannot be run by this one: proxies apply its rule too.
    if (!(error instanceof InvalidCheckError)) throw error;
    return { row, decision: `failed_${row.on_failure}`, found };
  }
}

export function decisionOn(row: TriedGuardrail, found: ReadonlyMap<string, number>): Decision {
  return found.size > 0 ? row.action : 'pass';
}

/** A size, or a check that cannot be run: they come before all texts. */
export function isRefusing({ decision, matcher }: Trial): boolean {
  return matcher === undefined && (decision === 'block' || decision === 'failed_block');
}

/** Matchers are linear in the text, so what its pieces take the whole takes as well. */
export class InspectionTime {
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

export function resultOf({ row, decision, found }: Trial) {
  return {
    guardrailId: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    decision: decision === undefined ? 'GUARDRAIL_DECISION_NOT_TRIED' : decisions.names[decision],
    found: Object.fromEntries(found),
  } satisfies GuardrailTestResult;
}
