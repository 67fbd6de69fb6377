// The vendor's errors: `{"error":{message,type,param,code}}`, of which any part may be missing; other bodies may come too.
// Callers' SDKs know its codes: they stay unchanged, and so does the status.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { VendorError } from '../format.ts';
import { type ErrorKind, errorKinds, kindOfStatus, unreadable } from '../vendor-error.ts';
import { type ErrorEnvelope, gptCodes, parseError, readEnvelope, withoutStatus } from './error-envelopes.ts';

export function readGptError(status: number, body: Buffer): VendorError {
  return gptError(parseError(body), status);
}

/** @param body in responses of status 200 and in streams an error has no status of its own */
export function gptError(body: JsonObject, status = withoutStatus): VendorError {
  // Other shapes are not this vendor's, and their words may be anybody's.
  const { message, param, code }: Partial<ErrorEnvelope> = isObject(body.error) ? readEnvelope(body) : {};
  const { retryable } = errorKinds[kinds.get(code) ?? kindOfStatus(status)];
  return { status, message: message ?? unreadable(status), param, code, retryable, retryAfter: undefined };
}

const kinds: ReadonlyMap<string | undefined, ErrorKind> = new Map(Object.entries(gptCodes));
