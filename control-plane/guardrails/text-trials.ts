// Tests guardrails on a text, in the same way as proxies run them. Runs in a worker; nothing of the text is stored or
// logged. A test that would take too long is refused, so that it does not delay the tests of others.
import { blockedMessage, type PromptSizeCheck } from '../../guardrails/definition.ts';
import { Placeholders } from '../../guardrails/placeholders.ts';
import { scan } from '../../guardrails/scan.ts';
import { BlockedError, type Guard, guardText } from '../../guardrails/window.ts';
import type { GuardrailPlace } from '../../proto/generated/gateway/v1/GuardrailPlace.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import {
  bytesPerToken,
  decisionOn,
  InspectionTime,
  isRefusing,
  placesMax,
  resultOf,
  type Trial,
  type TriedGuardrail,
  triedCheck,
  tryAll,
  window,
} from './trial.ts';

export interface TrialTask {
  /** In the order in which they are applied. */
  readonly guardrails: readonly TriedGuardrail[];
  readonly text: string;
}

interface TextTrial extends Trial {
  readonly places: readonly GuardrailPlace[];
}

/** @returns too_long if the text would take these guardrails longer than the time limit */
export async function runTrials({ guardrails, text }: TrialTask): Promise<TestGuardrailsResponse | 'too_long'> {
  const time = new InspectionTime(text);
  const trials = await tryAll(guardrails, (row) => trial(row, time));
  return trials === 'too_long' ? trials : toResponse(trials, text);
}

async function trial(row: TriedGuardrail, time: InspectionTime): Promise<TextTrial | 'too_long'> {
  const { text } = time;
  const tried = triedCheck(row, (check) => exceeded(check, text));
  const { matcher } = tried;
  if (matcher === undefined) return { ...tried, places: [] };
  if (!(await time.suffices(matcher))) return 'too_long';
  const found = new Map<string, number>();
  const count = (label: string) => found.set(label, (found.get(label) ?? 0) + 1);
  guardText([{ matcher, replacement: 'keep', found: count }], text);
  const places = scan([matcher], [text], window)
    .hits.slice(0, placesMax)
    .map(({ start, end, label }) => ({ pointer: '', inName: false, start, end, label }));
  return { ...tried, decision: decisionOn(row, found), found, places };
}

/** A text counts as one message. */
function exceeded({ tokensMax }: PromptSizeCheck, text: string): ReadonlyMap<string, number> {
  const tokens = Math.ceil(Buffer.byteLength(text) / bytesPerToken);
  return new Map(tokensMax !== undefined && tokens > tokensMax ? [['TOKENS', 1]] : []);
}

/**
 * Applies the order of proxies: sizes and checks that cannot run come first, then the text, which ends at its first
 * blocking match.
 */
function toResponse(trials: readonly TextTrial[], text: string): TestGuardrailsResponse {
  const results = trials.map((tried) => ({ ...resultOf(tried), places: [...tried.places] }));
  const inForce = trials.filter(({ row }) => row.enabled === 1);
  const left = inForce.find(isRefusing) ?? rewritten(inForce, text);
  if (typeof left === 'string') return { blockedBy: '', message: '', text: left, body: '', results };
  return { blockedBy: left.row.name, message: blockedMessage(left.row), text: '', body: '', results };
}

/** @returns the redacted text, or the trial of the guardrail that blocks it */
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
