// Reads the vendor's errors: `{"error":{code,message,status,details}}` after google.rpc.Status, alone or in an array of
// one. Any field may be missing, and servers in front of the vendor respond with HTML.
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../../common/json.ts';
import type { VendorError } from '../format.ts';
import { type ErrorKind, kindOfStatus, vendorError } from '../vendor-error.ts';

export function readGenerateContentError(status: number, body: Buffer): VendorError {
  return (
    generateContentError(parseJson(body.toString()), status) ??
    vendorError(kindOfStatus(status), { message: undefined })
  );
}

/**
 * @param value a parsed body or stream event
 * @param status of the response; if absent, the error's own code is used
 * @returns undefined if the value contains no error
 */
export function generateContentError(value: unknown, status?: number): VendorError | undefined {
  const [reported] = Array.isArray(value) ? value : [value];
  if (!isObject(reported) || !isObject(reported.error)) return undefined;
  const { error } = reported;
  const details = objectsOf(error.details);
  const named = plainNumber(error.code) ?? 0;
  const code = named >= 400 ? named : unknownStatus;
  const kind = classify(error, details, status ?? code);
  return vendorError(kind, { message: text(error.message), retryAfter: retryDelay(details) });
}

/** The status of an error without a code, inside a response of status 200. */
const unknownStatus = 502;

/** By google.rpc.Code. */
const kinds: ReadonlyMap<unknown, ErrorKind> = new Map<string, ErrorKind>([
  ['INVALID_ARGUMENT', 'bad_request'],
  ['OUT_OF_RANGE', 'bad_request'],
  ['FAILED_PRECONDITION', 'forbidden'],
  ['UNAUTHENTICATED', 'bad_key'],
  ['PERMISSION_DENIED', 'forbidden'],
  ['NOT_FOUND', 'no_model'],
  ['RESOURCE_EXHAUSTED', 'rate_limited'],
  ['ABORTED', 'failed'],
  ['CANCELLED', 'failed'],
  ['UNKNOWN', 'failed'],
  ['INTERNAL', 'failed'],
  ['DATA_LOSS', 'failed'],
  ['UNIMPLEMENTED', 'bad_request'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timed_out'],
]);

function classify(error: JsonObject, details: readonly JsonObject[], status: number): ErrorKind {
  const kind = kinds.get(error.status) ?? kindOfStatus(status);
  const message = text(error.message) ?? '';
  const reasons = details.map(({ reason }) => reason);
  return closer.find((row) => row.of === kind && row.contains({ message, reasons, details }))?.kind ?? kind;
}

interface Signs {
  readonly message: string;
  /** From google.rpc.ErrorInfo. */
  readonly reasons: readonly unknown[];
  readonly details: readonly JsonObject[];
}

interface CloserRow {
  readonly of: ErrorKind;
  readonly kind: ErrorKind;
  readonly contains: (signs: Signs) => boolean;
}

/** More specific kinds, which the vendor's status alone does not show. */
const closer: readonly CloserRow[] = [
  {
    of: 'bad_request',
    kind: 'bad_key',
    contains: ({ message, reasons }) =>
      reasons.some((reason) => reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED') ||
      /api key (not valid|not found|expired)/i.test(message),
  },
  {
    of: 'bad_request',
    kind: 'context_too_long',
    contains: ({ message }) => /token count.*exceeds/is.test(message),
  },
  { of: 'bad_request', kind: 'too_large', contains: ({ message }) => /payload size exceeds/i.test(message) },
  { of: 'forbidden', kind: 'no_credit', contains: ({ message }) => /billing/i.test(message) },
  // A daily limit or used-up credit: waiting a minute does not help.
  {
    of: 'rate_limited',
    kind: 'no_credit',
    contains: ({ message, details }) =>
      quotaIds(details).some((id) => id.includes('PerDay')) || /credits? (is|are) depleted/i.test(message),
  },
];

/** From google.rpc.QuotaFailure. */
function quotaIds(details: readonly JsonObject[]): string[] {
  return details.flatMap(({ violations }) =>
    (Array.isArray(violations) ? violations : []).flatMap((one) => (isObject(one) ? (text(one.quotaId) ?? []) : [])),
  );
}

/** In seconds, from google.rpc.RetryInfo. */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  const delays = details.flatMap(({ retryDelay: delay }) => text(delay) ?? []);
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delays[0] ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
