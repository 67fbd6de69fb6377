// Tests guardrails on a whole request or response, with the same text locations, matchers and actions as proxies. Runs
// in a worker. Nothing of the body is stored or logged; the result contains the locations of matches, never their text.
import { parseExactJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { readAlso } from '../../guardrails/contract.ts';
import { blockedMessage, type PromptSizeCheck, type Stage } from '../../guardrails/definition.ts';
import { contextMax } from '../../guardrails/fold.ts';
import {
  blocks,
  firstOf,
  isEnabled,
  locate,
  replace,
  stringsOf,
  type TextMatch,
  type Texts,
} from '../../guardrails/inspection/findings.ts';
import {
  placedSlotsOf,
  type Slot,
  type TextLocation,
  TooDeepError,
  withTexts,
} from '../../guardrails/inspection/inspection-schema.ts';
import { joinsOf } from '../../guardrails/inspection/joins.ts';
import { requestLocationsWith } from '../../guardrails/inspection/request-schema.ts';
import { responseLocations } from '../../guardrails/inspection/response-schema.ts';
import { Placeholders } from '../../guardrails/placeholders.ts';
import { scan } from '../../guardrails/scan.ts';
import type { GuardrailPlace } from '../../proto/generated/gateway/v1/GuardrailPlace.ts';
import type { TestGuardrailsResponse } from '../../proto/generated/gateway/v1/TestGuardrailsResponse.ts';
import { InnerPointers } from './inner-pointers.ts';
import { checkOf } from './stored-check.ts';
import {
  bytesPerToken,
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

export interface BodyTrialTask {
  /** In the order in which they are applied. */
  readonly guardrails: readonly TriedGuardrail[];
  readonly stage: Stage;
  /** The body as JSON. */
  readonly body: string;
}

/** @returns too_long if the body is nested too deep, or would take these guardrails longer than the time limit */
export async function runBodyTrials({
  guardrails,
  stage,
  body: text,
}: BodyTrialTask): Promise<TestGuardrailsResponse | 'too_long' | 'no_json'> {
  const body = parseExactJson(text);
  if (!isObject(body)) return 'no_json';
  const location = stage === 'input' ? requestLocationsWith(guardrails.flatMap(alsoOf)) : responseLocations;
  const texts = textsOf(body, location);
  if (texts === undefined) return 'too_long';
  const strings = stringsOf(texts);
  const time = new InspectionTime(strings.join('\n'));
  const trials = await tryAll(guardrails, (row) => trialOf(row, { texts, strings, body, text, time }));
  if (trials === 'too_long') return trials;
  return toResponse(trials, {
    texts,
    body,
    location,
    stage,
    inner: new InnerPointers(body, texts.slots),
  });
}

interface BodyTrial extends Trial {
  readonly matches: readonly TextMatch[];
}

function alsoOf(row: TriedGuardrail) {
  return readAlso(checkOf(row));
}

function textsOf(body: JsonObject, location: TextLocation): Texts | undefined {
  try {
    const slots = placedSlotsOf(body, location);
    return { slots, joins: joinsOf(slots, window + contextMax) };
  } catch (error) {
    if (error instanceof TooDeepError) return undefined;
    throw error;
  }
}

interface Trying {
  readonly texts: Texts;
  readonly strings: readonly string[];
  readonly body: JsonObject;
  readonly text: string;
  readonly time: InspectionTime;
}

async function trialOf(
  row: TriedGuardrail,
  { texts, strings, body, text, time }: Trying,
): Promise<BodyTrial | 'too_long'> {
  const tried = triedCheck(row, (check) => exceeded(check, body, text));
  if (tried.matcher === undefined) return { ...tried, matches: [] };
  if (!(await time.suffices(tried.matcher))) return 'too_long';
  const acting = { action: row.action, also: alsoOf(row) };
  const matches = locate(texts, scan([tried.matcher], strings, window).hits).filter((one) =>
    isEnabled(acting, one, texts),
  );
  const found = new Map<string, number>();
  for (const { label } of matches) found.set(label, (found.get(label) ?? 0) + 1);
  return { ...tried, decision: matches.length > 0 ? row.action : 'pass', found, matches };
}

function exceeded({ tokensMax, messagesMax, imagesMax }: PromptSizeCheck, body: JsonObject, text: string) {
  const messages = objectsOf(body.messages);
  const images = messages.flatMap(({ content }) => objectsOf(content)).filter(({ type }) => type === 'image_url');
  const sizes = [
    ['TOKENS', Math.ceil(Buffer.byteLength(text) / bytesPerToken), tokensMax],
    ['MESSAGES', messages.length, messagesMax],
    ['IMAGES', images.length, imagesMax],
  ] as const;
  return new Map(sizes.flatMap(([label, size, max]) => (max !== undefined && size > max ? [[label, 1] as const] : [])));
}

interface Tested {
  readonly texts: Texts;
  readonly body: JsonObject;
  readonly location: TextLocation;
  readonly stage: Stage;
  readonly inner: InnerPointers;
}

function toResponse(trials: readonly BodyTrial[], tested: Tested): TestGuardrailsResponse {
  const { texts, body, location, stage, inner } = tested;
  const results = trials.map((trial) => ({
    ...resultOf(trial),
    places: trial.matches.flatMap((match) => placesOf(match, texts.slots, inner)).slice(0, placesMax),
  }));
  const inForce = trials.filter(({ row }) => row.enabled === 1);
  const found = inForce.flatMap(({ matches }, matcher) => matches.map((one) => ({ ...one, matcher })));
  const actingOf = ({ matcher }: TextMatch) => inForce[matcher]?.row;
  const first = firstOf(found.filter((one) => blocks(actingOf(one), one, texts)));
  const blocking = inForce.find(isRefusing) ?? (first && inForce[first.matcher]);
  if (blocking !== undefined) {
    const { row } = blocking;
    return { blockedBy: row.name, message: blockedMessage(row), text: '', body: '', results };
  }
  const redacted = found.filter((one) => actingOf(one)?.action === 'redact');
  const put = numbering(stage);
  const left = redacted.length === 0 ? body : withTexts(body, location, replace(texts, redacted, put));
  return { blockedBy: '', message: '', text: '', body: JSON.stringify(left), results };
}

/** Numbers placeholders across a whole request, but for each text of a response separately. */
function numbering(stage: Stage): (found: TextMatch, slot: Slot) => string {
  const groups = new Map<number, Placeholders>();
  return ({ value, label }, { group }) => {
    const of = stage === 'input' ? 0 : group;
    const placeholders = groups.get(of) ?? new Placeholders();
    groups.set(of, placeholders);
    return placeholders.of(value, label);
  };
}

function placesOf({ ranges, label }: TextMatch, slots: readonly Slot[], inner: InnerPointers): GuardrailPlace[] {
  return ranges.map(({ slot, start, end }) => {
    const { pointer = '', inName = false } = slots[slot]?.where ?? {};
    const innerPointer = inner.of(slot);
    return { pointer, inName, start, end, label, ...(innerPointer !== undefined && { innerPointer }) };
  });
}
