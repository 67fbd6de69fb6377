// Reads the vendor's errors: `{"type":"error","error":{type,message,details},"request_id"}` (SDK types `ErrorResponse`,
// `ErrorType` of @anthropic-ai/sdk). Any field may be missing, and other bodies are possible.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import type { VendorError } from '../format.ts';
import { type ErrorKind, kindOfStatus, vendorError } from '../vendor-error.ts';

export function readMessagesError(status: number, body: Buffer, head: IncomingHttpHeaders): VendorError {
  const parsed = parseJson(body.toString());
  const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {};
  const reported = messagesError(error, kindOfStatus(status));
  // The vendor's header has priority: waiting does not lift some limits.
  return head['x-should-retry'] === 'false' ? { ...reported, retryable: false } : reported;
}

/**
 * Reads the value of `error` in a response or a stream event.
 * @param otherwise the kind if the error has none
 */
export function messagesError(error: JsonObject, otherwise: ErrorKind = 'bad_gateway'): VendorError {
  const message = typeof error.message === 'string' && error.message !== '' ? error.message : undefined;
  const details = isObject(error.details) ? error.details : {};
  const special = specials.find(
    ([type, text]) => type === error.type && (text.test(message ?? '') || text.test(String(details.error_code))),
  );
  return vendorError(special?.[2] ?? kinds.get(error.type) ?? otherwise, { message });
}

/** Errors with a more specific kind than their type, by message or `error_code`. */
const specials: readonly (readonly [string, RegExp, ErrorKind])[] = [
  ['invalid_request_error', /prompt is too long|exceed context limit|context window/i, 'context_too_long'],
  ['invalid_request_error', /credit balance is too low/i, 'no_credit'],
  ['invalid_request_error', /blocked by content filtering/i, 'content_filtered'],
  ['rate_limit_error', /spend_limit_reached$/, 'no_credit'],
];

const kinds: ReadonlyMap<unknown, ErrorKind> = new Map<string, ErrorKind>([
  ['invalid_request_error', 'bad_request'],
  ['authentication_error', 'bad_key'],
  ['billing_error', 'no_credit'],
  ['permission_error', 'forbidden'],
  ['not_found_error', 'no_model'],
  ['conflict_error', 'conflict'],
  ['request_too_large', 'too_large'],
  ['rate_limit_error', 'rate_limited'],
  ['api_error', 'failed'],
  ['timeout_error', 'timed_out'],
  ['overloaded_error', 'overloaded'],
]);
