// The guards of the response to one request, complete or streamed, created once when its input is inspected. They also
// inspect errors of the provider, and parts that are complete in one chunk.
import { isObject, type JsonObject } from '../../common/json.ts';
import { mapTexts, type TextLocation } from '../../guardrails/inspection/inspection-schema.ts';
import { responseLocations } from '../../guardrails/inspection/response-schema.ts';
import type { Placeholders } from '../../guardrails/placeholders.ts';
import { BlockedError, type Guard, guardText } from '../../guardrails/window.ts';
import type { GatewayError } from '../errors.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import type { ServiceGuard } from './service.ts';

export interface ResponseGuards {
  /**
   * A new set of guards for one text of the response (content, reasoning, refusal, arguments of one call…).
   * Placeholders are numbered for each text separately, so that a stream, whose texts come in another order, gives the
   * same result as a complete response.
   * @param form fixed: a replacement would break the text, so a guardrail that redacts blocks instead
   */
  guards(form?: 'fixed'): readonly Guard[];
  /** New placeholders for the matches of services in one text. */
  placeholders(): Placeholders;
  /** In UTF-16 units: the longest match that is never partially streamed. */
  readonly window: number;
  /** Services that are called with the redacted text. */
  readonly services: readonly ServiceGuard[];
  /**
   * If all texts of a response together are longer, they are not inspected, and the guardrails' failure rules apply.
   */
  readonly textMax: number;
  /**
   * Applies the failure rules of all guardrails that would have inspected a text that is too long.
   * @throws GatewayError if one blocks
   */
  tooLong(): void;
  /** Counts the decision. @returns the error for the caller */
  refusal(error: BlockedError): GatewayError;
  /** Counts the decisions about a whole response, except those of services. Called once; not after a refusal. */
  ended(): void;
}

/**
 * Replaces a provider's message that a guardrail withholds or that a service would have to check first. The message may
 * repeat text of the request, so it passes the guardrails of responses. Status and retry information stay, because
 * callers depend on them.
 */
export const keptBack = 'the provider refused the request; a guardrail on responses withholds its message';

/** @returns the same error if nothing in it matched */
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

/** @returns undefined if the text is blocked, or if a service would have to check it first */
function left(text: string, guards: ResponseGuards, form?: 'fixed'): string | undefined {
  if (guards.services.some(({ delaysResponse }) => delaysResponse)) return undefined;
  try {
    return guardText(guards.guards(form), text);
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    guards.refusal(error);
    return undefined;
  }
}

/**
 * Inspects all strings of a response, a chunk or a part of one, one after another; ids, signatures and similar fields
 * pass. A stream uses this for parts that are complete in one chunk, with the same result as for a complete response.
 * @param makeGuards the method of ResponseGuards
 * @param location the schema of the fields
 * @returns the same fields if nothing was replaced
 * @throws BlockedError, TooDeepError
 */
export function guardStrings(
  fields: JsonObject,
  makeGuards: ResponseGuards['guards'],
  location: TextLocation = responseLocations,
): JsonObject {
  let group: number | undefined;
  let guards: readonly Guard[] = [];
  const guarded = mapTexts(fields, location, (slot) => {
    if (slot.isFixed) return guardText(makeGuards('fixed'), slot.text);
    if (slot.group !== group) guards = makeGuards();
    group = slot.group;
    return guardText(guards, slot.text);
  });
  return isObject(guarded) ? guarded : fields;
}
