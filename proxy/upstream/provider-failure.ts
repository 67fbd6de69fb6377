// An error that the provider answered, and what the caller is told of it: its status and words, but never words that may
// name the organization's account, resources or key.
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { VendorError } from '../providers/provider.ts';

export class ProviderFailure extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** False where waiting cannot help. */
  readonly retryable: boolean;

  constructor(vendor: VendorError, retryAfter: number | undefined) {
    super(vendor.message);
    this.name = 'ProviderFailure';
    this.status = vendor.status;
    this.param = vendor.param;
    this.code = vendor.code;
    this.retryAfter = retryAfter;
    this.retryable = vendor.code !== 'insufficient_quota';
  }
}

/**
 * @param direct whether the caller's own provider key was used
 * @param now milliseconds since 1970, for a `retry-after` that is a date
 */
export function providerFailure(
  vendor: VendorError,
  headers: IncomingHttpHeaders,
  direct: boolean,
  now: number,
): ProviderFailure | GatewayError {
  const { status } = vendor;
  if (status < 400 || status > 599) {
    return new GatewayError('upstream_protocol_error', { cause: new Error(`unexpected status ${status}`) });
  }
  if (!direct && (status === 401 || status === 403)) {
    return new GatewayError('upstream_authentication_failed', { cause: new Error(`status ${status}`) });
  }
  const hidden = !direct && (status === 404 || status >= 500);
  const message = hidden ? ownWords(status) : vendor.message;
  // 529 is "overloaded" at one vendor and unknown to callers' SDKs.
  return new ProviderFailure(
    { ...vendor, status: status === 529 ? 503 : status, message },
    retryAfter(headers, now),
  );
}

function ownWords(status: number): string {
  return status === 404
    ? 'the provider does not know this model, or the stored key may not use it'
    : `the provider failed with status ${status}`;
}

function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return Math.ceil(milliseconds / 1000);
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
