// The guards of the response to one request, complete or streamed, made once when its input is inspected; and how they inspect an error of
// the provider, and a part that comes whole.
import { isObject, type JsonObject } from '../../common/json.ts';
import { mapTexts, type Place } from '../../guardrails/inspection/inspection-schema.ts';
import { responsePlaces } from '../../guardrails/inspection/response-schema.ts';
import type { Placeholders } from '../../guardrails/placeholders.ts';
import { BlockedError, type Guard, guardText } from '../../guardrails/window.ts';
import type { GatewayError } from '../errors.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import type { ServiceGuard } from './service.ts';

export interface ResponseGuards {
  /**
   * A fresh set for one text of the answer (content, reasoning, refusal, arguments of one call…): placeholders are numbered text by
   * text, so that a stream, which brings texts in another order, gives what a complete answer gives.
   * @param form fixed: of a text in which nothing can be replaced, because it would be broken; what would be replaced blocks
   */
  guards(form?: 'fixed'): readonly Guard[];
  /** Fresh ones for what services find in one text. */
  placeholders(): Placeholders;
  /** UTF-16 units: the longest finding that never leaves a stream in pieces. */
  readonly window: number;
  /** Services that are asked about what is left. */
  readonly services: readonly ServiceGuard[];
  /** Texts that are longer than this, all of an answer together, are not inspected: the guardrails' failure rules hold. */
  readonly textMax: number;
  /** The failure rules of all guardrails that would have inspected a text that is too long. @throws GatewayError where one blocks */
  tooLong(): void;
  /** What the caller is told; counts the decision. */
  refusal(error: BlockedError): GatewayError;
  /** The answer has gone through to its end: counts what was decided about it, services aside. Once; not after a refusal. */
  ended(): void;
}

/**
 * In place of a message that a guardrail keeps back, or that a service would have to check first. A failure may repeat what the provider was
 * sent, so its message passes the guardrails of responses; status and retry stay, because callers decide by them.
 */
export const keptBack = 'the provider refused the request; a guardrail on responses keeps back what it said';

/** @returns the very same error where nothing of it was found */
export function guardedFailure(error: unknown, guards: ResponseGuards): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const message = left(error.message, guards);
  const param = error.param && left(error.param, guards, 'fixed');
  const code = error.code && left(error.code, guards, 'fixed');
  if (message === error.message && param === error.param && code === error.code) return error;
  const { status, retryable, retryAfter, headers, reason, hint } = error;
  return new ProviderFailure(
    { status, message: message ?? keptBack, param, code, retryable, retryAfter: undefined },
    { retryAfter, headers, reason, hint },
  );
}

/** @returns undefined: blocked, or not to be told before a service was asked */
function left(text: string, guards: ResponseGuards, form?: 'fixed'): string | undefined {
  if (guards.services.some(({ holds }) => holds)) return undefined;
  try {
    return guardText(guards.guards(form), text);
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    guards.refusal(error);
    return undefined;
  }
}

/**
 * Inspects all strings of a response, a chunk or a part of one, one after another; ids, signatures and the like pass. A stream does so with
 * the parts that come whole, with the same result as for a complete response.
 * @param makeGuards of ResponseGuards
 * @param place where the fields stand
 * @returns the very same fields where nothing was replaced
 * @throws BlockedError, TooDeepError
 */
export function guardStrings(
  fields: JsonObject,
  makeGuards: ResponseGuards['guards'],
  place: Place = responsePlaces,
): JsonObject {
  let group: number | undefined;
  let guards: readonly Guard[] = [];
  const guarded = mapTexts(fields, place, (slot) => {
    if (slot.isFixed) return guardText(makeGuards('fixed'), slot.text);
    if (slot.group !== group) guards = makeGuards();
    group = slot.group;
    return guardText(guards, slot.text);
  });
  return isObject(guarded) ? guarded : fields;
}
