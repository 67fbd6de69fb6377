// Inspects one stage of one request: reads its texts, scans them, decides, rewrites, and then calls services with the
// result. If the texts are too long or too deep, each guardrail has failed and its failure rule decides. If the gateway
// lacks time or room, the texts are not inspected, and guardrails that block or redact refuse the request.
import type { JsonObject } from '../../../common/json.ts';
import { isObject } from '../../../common/json.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import type { Stage } from '../../../guardrails/definition.ts';
import { contextMax } from '../../../guardrails/fold.ts';
import { locate, replace, stringsOf, type TextMatch, type Texts } from '../../../guardrails/inspection/findings.ts';
import {
  type Slot,
  slotsOf,
  type TextLocation,
  TooDeepError,
  withTexts,
} from '../../../guardrails/inspection/inspection-schema.ts';
import { joinsOf } from '../../../guardrails/inspection/joins.ts';
import type { Placeholders } from '../../../guardrails/placeholders.ts';
import type { Hit, Scanned } from '../../../guardrails/scan.ts';
import type { StageGuardrails } from '../compiled.ts';
import type { Decisions } from '../decisions.ts';
import type { InspectContext } from '../guardrail.ts';
import { isTooLong, type PendingScan, type Scanner } from '../scanner.ts';
import type { ServiceGuard } from '../service.ts';
import { askServices } from '../services/ask-services.ts';
import { applyFindings } from './apply-findings.ts';

export interface StageInspectionDeps {
  readonly stage: Stage;
  readonly guardrails: StageGuardrails;
  readonly services: readonly ServiceGuard[];
  readonly decisions: Decisions;
  readonly context: InspectContext;
  /** The organization and key whose share of time and workers the inspection uses. */
  readonly owner: ShareOwner;
  readonly scanner: Scanner;
  /** Returns the replacement of a match. */
  put(found: TextMatch, slot: Slot): string;
  /** Placeholders for the matches of services in one text. Default: new ones for each text. */
  placeholdersOf?(slot: Slot): Placeholders;
  /**
   * Finds further text to replace, beside the guardrails' matches. Its matcher indexes continue after those of the
   * guardrails.
   */
  also?(strings: readonly string[]): readonly Hit[];
}

/**
 * @param location the schema of the body
 * @returns the same body if nothing is replaced
 * @throws GatewayError guardrail_blocked, guardrail_unavailable; or the error that aborted the request
 */
export function inspectBody(
  body: JsonObject,
  location: TextLocation,
  deps: StageInspectionDeps,
): JsonObject | Promise<JsonObject> {
  const { guardrails, services, scanner, context, owner } = deps;
  const texts = textsOf(body, location, scanner);
  if (texts === undefined) {
    fail(deps);
    return body;
  }
  const go = (scanned: Scanned) => {
    const strings = redacted(texts, scanned, deps);
    if (services.length === 0) return rewritten(body, location, strings);
    const given = strings ?? texts.slots.map(({ text }) => text);
    return requestedTexts(given, texts, deps).then((left) => rewritten(body, location, left));
  };
  const scanned = scanner.scan(guardrails.texts, texts, owner);
  return 'scanned' in scanned ? orAborted(scanned, context).then(go) : go(scanned);
}

function textsOf(body: JsonObject, location: TextLocation, { window }: Scanner): Texts | undefined {
  try {
    const slots = slotsOf(body, location);
    if (isTooLong(slots)) return undefined;
    return { slots, joins: joinsOf(slots, window + contextMax) };
  } catch (error) {
    if (error instanceof TooDeepError) return undefined;
    throw error;
  }
}

function fail({ stage, guardrails, decisions }: StageInspectionDeps): void {
  for (const { guardrail } of guardrails.texts) decisions.failed(guardrail, stage);
  for (const guardrail of guardrails.services) decisions.failed(guardrail, stage);
}

/** @returns all texts; undefined if none is replaced */
function redacted(texts: Texts, scanned: Scanned, deps: StageInspectionDeps): readonly string[] | undefined {
  const { stage, decisions, put, also } = deps;
  const guardrails = deps.guardrails.texts.map(({ guardrail }) => guardrail);
  const found = applyFindings(texts, scanned, { stage, guardrails, decisions });
  const more = also === undefined ? [] : locate(texts, also(stringsOf(texts)));
  const replaced = more
    .filter(({ ranges }) => !ranges.some(({ slot }) => texts.slots[slot]?.isFixed))
    .map((one) => ({ ...one, matcher: one.matcher + guardrails.length }));
  return found.length + replaced.length === 0 ? undefined : replace(texts, [...found, ...replaced], put);
}

function rewritten(body: JsonObject, location: TextLocation, strings: readonly string[] | undefined): JsonObject {
  const put = strings === undefined ? body : withTexts(body, location, strings);
  return isObject(put) ? put : body;
}

/** @returns all texts as the services return them. @throws GatewayError guardrail_blocked */
async function requestedTexts(
  strings: readonly string[],
  { slots }: Texts,
  { services, context, placeholdersOf }: StageInspectionDeps,
): Promise<readonly string[]> {
  const requesting = new AbortController();
  context.onAbort(requesting);
  // Services do not get texts that the model does not see.
  const own = (index: number) => slots[index]?.only === undefined;
  const texts = slots.map((slot, at) => ({
    text: own(at) ? (strings[at] ?? '') : '',
    isFixed: slot.isFixed,
    ...(placeholdersOf !== undefined && { placeholders: placeholdersOf(slot) }),
  }));
  try {
    const left = await askServices(services, texts, requesting.signal);
    return left.map((text, at) => (own(at) ? text : (strings[at] ?? '')));
  } catch (error) {
    requesting.abort(error);
    throw error;
  }
}

/** Cancels the scan when the request is aborted. */
function orAborted({ scanned, cancel }: PendingScan, context: InspectContext): Promise<Scanned> {
  return new Promise((resolve, reject) => {
    const abort = (error: Error) => {
      cancel();
      reject(error);
    };
    context.onAbort({ abort });
    scanned.then(resolve, reject);
  });
}
