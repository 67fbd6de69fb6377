// An error that the provider answered, and what the caller is told of it: its status and words, but never words that may
// name the organization's account, resources or key.
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { Target, VendorError } from '../providers/provider.ts';
import { withoutKey } from './key-echo.ts';
import { retryAfter } from './retry-after.ts';

export class ProviderFailure extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** False where waiting cannot help. */
  readonly retryable: boolean;
  /** What the gateway knows beside the provider's words. */
  readonly hint: string | undefined;

  constructor(vendor: VendorError, retryAfter: number | undefined, hint?: string) {
    super(vendor.message);
    this.name = 'ProviderFailure';
    this.status = vendor.status;
    this.param = vendor.param;
    this.code = vendor.code;
    this.retryAfter = retryAfter;
    this.retryable = vendor.retryable;
    this.hint = hint;
  }
}

const messageMax = 2000;

/**
 * @param target whose credential the provider was sent
 * @param now milliseconds since 1970, for a `retry-after` that is a date
 */
export function providerFailure(
  vendor: VendorError,
  headers: IncomingHttpHeaders,
  target: Pick<Target, 'credential' | 'providerKeyId'>,
  now: number,
): ProviderFailure | GatewayError {
  const { status } = vendor;
  const isStored = target.providerKeyId !== undefined;
  if (status < 400 || status > 599) {
    return new GatewayError('upstream_protocol_error', { cause: new Error(`unexpected status ${status}`) });
  }
  if (isStored && (status === 401 || status === 403)) {
    return new GatewayError('upstream_authentication_failed', { cause: new Error(`status ${status}`) });
  }
  const hidden = isStored && (status === 404 || status >= 500);
  const tell = (text: string | undefined, form: RegExp) => {
    const told = text === undefined ? undefined : withoutKey(text, target.credential);
    return told !== undefined && form.test(told) ? told : undefined;
  };
  const told = {
    ...vendor,
    // 529 is "overloaded" at one vendor and unknown to callers' SDKs.
    status: status === 529 ? 503 : status,
    message: hidden ? ownWords(status) : withoutKey(vendor.message, target.credential).slice(0, messageMax),
    param: hidden ? undefined : tell(vendor.param, paramForm),
    code: tell(vendor.code, codeForm),
  };
  return new ProviderFailure(
    told,
    vendor.retryable ? retryAfter(headers, now, vendor.retryAfter) : undefined,
  );
}

// What is longer or stranger is no code or path of a field.
const codeForm = /^[\w.-]{1,64}$/;
const paramForm = /^[\x21-\x7e]{1,128}$/;

/** In place of the words of a 404, with a stored key. */
export const modelNotKnown = 'the provider does not know this model, or the stored key may not use it';

function ownWords(status: number): string {
  return status === 404 ? modelNotKnown : `the provider failed with status ${status}`;
}
