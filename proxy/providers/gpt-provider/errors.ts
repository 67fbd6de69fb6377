// The vendor's errors: `{"error":{message,type,param,code}}`, of which any part may be missing; other bodies may come too.
import { isObject, parseJson } from '../../../common/json.ts';
import type { VendorError } from '../provider.ts';

export function readGptError(status: number, body: Buffer): VendorError {
  const parsed = parseJson(body.toString());
  return gptError(status, isObject(parsed) ? parsed.error : undefined) ?? unreadable(status);
}

/** The value of `error` in an answer or a stream event. */
export function gptError(status: number, error: unknown): VendorError | undefined {
  if (!isObject(error)) return undefined;
  return {
    status,
    message: text(error.message) ?? unreadable(status).message,
    type: text(error.type),
    param: text(error.param),
    code: text(error.code),
  };
}

function unreadable(status: number): VendorError {
  return {
    status,
    message: `the provider answered with status ${status}`,
    type: undefined,
    param: undefined,
    code: undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
