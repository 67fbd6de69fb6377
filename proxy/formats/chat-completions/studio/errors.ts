// The studio's errors, in the envelopes of its gateways, its services and the models behind them. The code decides the
// kind of an error, else the status. The studio's own codes are replaced by those that callers' SDKs know.
import type { JsonObject } from '../../../../common/json.ts';
import type { VendorError } from '../../format.ts';
import { gptCodes, parseError, readEnvelope, withoutStatus } from '../../gpt-error.ts';
import { type ErrorKind, errorKinds, kindOfStatus, vendorError } from '../../vendor-error.ts';

export function readStudioError(status: number, body: Buffer): VendorError {
  return studioError(parseError(body), status);
}

/** @param status undefined if the error is in a response of status 200 or in a stream */
export function studioError(body: JsonObject, status?: number): VendorError {
  const { message, param, code } = readEnvelope(body);
  const kind = kindOf(message ?? '', code, status ?? statusOf(code));
  const error = vendorError(kind, { message, param, retryAfter: retryAfter(message) });
  return {
    ...error,
    // The caller's mistake keeps the vendor's status.
    status: kind === 'bad_request' ? (status ?? error.status) : error.status,
    code: errorKinds[kind].code ?? code,
  };
}

function kindOf(message: string, code: string | undefined, status: number): ErrorKind {
  const kind = kinds.get(code?.toLowerCase()) ?? kindOfStatus(status);
  return kind === 'bad_request' && tooLong.test(message) ? 'context_too_long' : kind;
}

const kindsByCode = {
  ...gptCodes,
  unauthorized: 'bad_key',
  permissiondenied: 'forbidden',
  deploymentnotfound: 'no_model',
  unknown_model: 'no_model',
  responsibleaipolicyviolation: 'content_filtered',
  ratelimitreached: 'rate_limited',
  toomanyrequests: 'rate_limited',
  quotaexceeded: 'no_credit',
  nocapacity: 'overloaded',
  serviceunavailable: 'overloaded',
  internalservererror: 'failed',
  faileddependency: 'bad_gateway',
  timeout: 'timed_out',
} as const satisfies Record<string, ErrorKind>;

const kinds: ReadonlyMap<string | undefined, ErrorKind> = new Map(Object.entries(kindsByCode));

/** Each model maker has its own message. */
const tooLong = /maximum context length|context window|prompt is too long|input is too long|too many tokens/i;

/** Some codes are the status as a number. */
function statusOf(code: string | undefined): number {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : withoutStatus;
}

/**
 * Seconds from the message of a limit error. The response headers contain them only if the gateway in front refused the
 * request.
 */
function retryAfter(message: string | undefined): number | undefined {
  const seconds = /retry after (\d{1,6}) second/i.exec(message ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
