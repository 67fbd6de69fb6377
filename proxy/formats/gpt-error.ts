// Reads errors of services that use the callers' format: every envelope that they are known to send, and the GPT
// vendor's own, `{"error":{message,type,param,code}}`, where each field may be missing. The vendor's codes and status
// stay unchanged, because callers' SDKs know them. Nothing here throws, whatever the body contains.
import { isNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';
import type { VendorError } from './format.ts';
import { type ErrorKind, errorKinds, kindOfStatus, unreadable } from './vendor-error.ts';

export function readGptError(status: number, body: Buffer): VendorError {
  return gptError(parseError(body), status);
}

/** @param status absent in responses of status 200 and in streams, where an error has no status */
export function gptError(body: JsonObject, status = withoutStatus): VendorError {
  // Another shape is not this vendor's, so its text comes from an unknown source.
  const { message, param, code }: Partial<ErrorEnvelope> = isObject(body.error) ? readEnvelope(body) : {};
  const { retryable } = errorKinds[kinds.get(code) ?? kindOfStatus(status)];
  return { status, message: message ?? unreadable(status), param, code, retryable, retryAfter: undefined };
}

export interface ErrorEnvelope {
  readonly message: string | undefined;
  readonly param: string | undefined;
  readonly code: string | undefined;
}

/** The codes that callers' SDKs know, with their kinds. */
export const gptCodes = {
  invalid_api_key: 'bad_key',
  insufficient_quota: 'no_credit',
  credit_balance_exhausted: 'no_credit',
  model_not_found: 'no_model',
  context_length_exceeded: 'context_too_long',
  content_filter: 'content_filtered',
  content_policy_violation: 'content_filtered',
  rate_limit_exceeded: 'rate_limited',
  slow_down: 'overloaded',
  server_is_overloaded: 'overloaded',
} as const satisfies Record<string, ErrorKind>;

const kinds: ReadonlyMap<string | undefined, ErrorKind> = new Map(Object.entries(gptCodes));

/** The status of an error that is in a response of status 200 or inside a stream. */
export const withoutStatus = 502;

export function parseError(body: Buffer): JsonObject {
  const parsed = parseJson(body.toString());
  return isObject(parsed) ? parsed : {};
}

/**
 * @param body `{error:{message,type,param,code}}`, `{error:{code,message,details}}`, `{error:"…"}`,
 * `{statusCode,message}`, `{status,code,message,detail:{loc}}`, `{status:"…"}`, `{detail:"…"}` or
 * `{detail:[{loc,msg}]}`
 */
export function readEnvelope(body: JsonObject): ErrorEnvelope {
  const error = isObject(body.error) ? body.error : body;
  const detail = firstDetail(error.details) ?? firstDetail(error.detail) ?? firstDetail(body.detail);
  const message =
    text(error.message) ?? text(body.error) ?? text(body.message) ?? text(body.detail) ?? text(body.status);
  const more = text(detail?.msg);
  return {
    message: message !== undefined && more !== undefined ? `${message}: ${more}` : (message ?? more),
    param: text(error.param) ?? locationOf(detail?.loc),
    code: text(error.code),
  };
}

/** Validators list all errors. The first is enough: a caller corrects one at a time. */
function firstDetail(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? first : undefined;
}

/** `["body","messages",0,"role"]` → `messages[0].role` */
function locationOf(loc: unknown): string | undefined {
  if (!Array.isArray(loc)) return undefined;
  const steps: readonly unknown[] = loc[0] === 'body' ? loc.slice(1) : loc;
  const path = steps.map((step) => (isNumber(step) ? `[${step}]` : `.${String(step)}`)).join('');
  return text(path.replace(/^\./, ''));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
