// How a vendor's error is reported to callers: one table for all providers. A format classifies its errors; status,
// code and whether a retry can help follow from the kind.
import type { VendorError } from './format.ts';

interface ErrorKindRow {
  readonly status: number;
  readonly code: string | undefined;
  /** Whether the same request may succeed later, or at another target. */
  readonly retryable: boolean;
}

export const errorKinds = {
  bad_request: { status: 400, code: undefined, retryable: false },
  context_too_long: { status: 400, code: 'context_length_exceeded', retryable: false },
  content_filtered: { status: 400, code: 'content_filter', retryable: false },
  bad_key: { status: 401, code: 'invalid_api_key', retryable: false },
  no_credit: { status: 429, code: 'insufficient_quota', retryable: false },
  forbidden: { status: 403, code: undefined, retryable: false },
  no_model: { status: 404, code: 'model_not_found', retryable: false },
  conflict: { status: 409, code: undefined, retryable: true },
  too_large: { status: 413, code: 'request_too_large', retryable: false },
  rate_limited: { status: 429, code: 'rate_limit_exceeded', retryable: true },
  failed: { status: 500, code: undefined, retryable: true },
  bad_gateway: { status: 502, code: undefined, retryable: true },
  overloaded: { status: 503, code: 'server_is_overloaded', retryable: true },
  timed_out: { status: 504, code: 'timeout', retryable: true },
} as const satisfies Record<string, ErrorKindRow>;

export type ErrorKind = keyof typeof errorKinds;

export interface ReportedError {
  /** Undefined if the vendor sent nothing readable. */
  readonly message: string | undefined;
  readonly param?: string | undefined;
  /** In seconds, if the body contains it. */
  readonly retryAfter?: number | undefined;
}

export function vendorError(kind: ErrorKind, reported: ReportedError): VendorError {
  const { status, code, retryable } = errorKinds[kind];
  const { message, param, retryAfter } = reported;
  return { status, message: message ?? unreadable(status), param, code, retryable, retryAfter };
}

/** The kind for a status, if the body shows nothing more specific. */
export function kindOfStatus(status: number): ErrorKind {
  const kind = byStatus[status];
  if (kind !== undefined) return kind;
  return status >= 500 ? 'failed' : 'bad_request';
}

const byStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'bad_key',
  402: 'no_credit',
  403: 'forbidden',
  404: 'no_model',
  408: 'timed_out',
  409: 'conflict',
  413: 'too_large',
  424: 'bad_gateway',
  429: 'rate_limited',
  502: 'bad_gateway',
  503: 'overloaded',
  504: 'timed_out',
  529: 'overloaded',
};

export function unreadable(status: number): string {
  return `the provider responded with status ${status}`;
}
