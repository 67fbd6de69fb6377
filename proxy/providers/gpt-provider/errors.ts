// The vendor's errors: `{"error":{message,type,param,code}}`, of which any part may be missing; other bodies may come too.
import { isObject, parseJson } from '../../../common/json.ts';
import type { VendorError } from '../provider.ts';
import { errorKinds, kindOfStatus, unreadable } from '../vendor-error.ts';

export function readGptError(status: number, body: Buffer): VendorError {
  const parsed = parseJson(body.toString());
  return gptError(status, isObject(parsed) ? parsed.error : undefined) ?? toldBy(status, {});
}

/** The value of `error` in an answer or a stream event. The callers' SDKs know these codes: they stay as they are. */
export function gptError(status: number, error: unknown): VendorError | undefined {
  return isObject(error) ? toldBy(status, error) : undefined;
}

function toldBy(status: number, error: Readonly<Record<string, unknown>>): VendorError {
  const code = text(error.code);
  return {
    status,
    message: text(error.message) ?? unreadable(status),
    param: text(error.param),
    code,
    // Out of credit is told with the status of a rate limit.
    retryable: errorKinds[kindOfStatus(status)].retryable && code !== 'insufficient_quota',
    retryAfter: undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
