// An error that the provider answered, and what the caller is told of it: its status, words and request id, but never words that
// may name the organization's resources or key.
import type { IncomingHttpHeaders } from 'node:http';
import { withoutKeyForms } from '../../common/key-forms.ts';
import { GatewayError } from '../errors.ts';
import type { VendorError } from '../formats/format.ts';
import type { ProviderCall, Target } from '../providers/provider.ts';
import { withoutKey } from './provider-text.ts';
import { passedHeaders, requestIdHeader } from './response-headers.ts';
import { retryAfter } from './retry-after.ts';
import { vendorWords } from './vendor-message.ts';

export class ProviderFailure extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** False where waiting cannot help. */
  readonly retryable: boolean;
  /** What passes of the provider's headers, names and values in turn. */
  readonly headers: readonly string[];
  /** For the log: status, and words as far as they may stand there. */
  readonly reason: string;
  /** What the gateway knows beside the provider's words. */
  readonly hint: string | undefined;

  constructor(vendor: VendorError, { retryAfter, headers, reason, hint }: FailureDetails) {
    super(vendor.message);
    this.name = 'ProviderFailure';
    this.status = vendor.status;
    this.param = vendor.param;
    this.code = vendor.code;
    this.retryAfter = retryAfter;
    this.retryable = vendor.retryable;
    this.headers = headers;
    this.reason = reason;
    this.hint = hint;
  }
}

type FailureDetails = Pick<ProviderFailure, 'retryAfter' | 'headers' | 'reason'> & {
  readonly hint?: string | undefined;
};

const messageMax = 2000;

/**
 * @param call with the target whose credential the provider was sent
 * @param now milliseconds since 1970, for a `retry-after` that is a date
 */
export function providerFailure(
  vendor: VendorError,
  headers: IncomingHttpHeaders,
  call: Pick<ProviderCall, 'request' | 'target'>,
  now: number,
): ProviderFailure | GatewayError {
  const { status } = vendor;
  const { target } = call;
  const reason = vendorWords(vendor, call);
  const passed = passedHeaders(headers, target.credential);
  const isStored = target.providerKeyId !== undefined;
  if (status < 400 || status > 599) {
    return new GatewayError('upstream_protocol_error', { cause: new Error(`unexpected status ${status}`) });
  }
  if (isStored && (status === 401 || status === 403)) {
    // Nothing that the gateway keeps may be learned from it; the request id finds it at the vendor.
    return new GatewayError('upstream_authentication_failed', {
      cause: new Error(reason),
      headers: requestIdHeader(passed),
    });
  }
  const matchOf = (text: string | undefined, form: RegExp) => {
    const reported = text === undefined ? undefined : withoutKey(text, target.credential);
    return reported !== undefined && form.test(reported) ? reported : undefined;
  };
  // It may name the vendor's resources, which the organization's key reaches and not the caller.
  const hidden = isStored && status === 404;
  const reported = {
    ...vendor,
    // 529 is "overloaded" at one vendor and unknown to callers' SDKs.
    status: status === 529 ? 503 : status,
    message: hidden ? modelNotKnown : messageFor(vendor, target),
    param: hidden ? undefined : matchOf(vendor.param, paramForm),
    code: matchOf(vendor.code, codeForm),
  };
  const waits = vendor.retryable ? retryAfter(headers, now, vendor.retryAfter) : undefined;
  return new ProviderFailure(reported, { retryAfter: waits, headers: passed, reason });
}

/** Of a failure of the vendor itself nothing that looks like a key passes, where the key is not the caller's. */
function messageFor({ status, message }: VendorError, { credential, providerKeyId }: Target): string {
  const reported = withoutKey(message, credential);
  const scrubbed = providerKeyId !== undefined && status >= 500 ? withoutKeyForms(reported) : reported;
  return scrubbed.slice(0, messageMax);
}

// What is longer or stranger is no code or path of a field.
const codeForm = /^[\w.-]{1,64}$/;
const paramForm = /^[\x21-\x7e]{1,128}$/;

/** In place of the words of a 404, with a stored key. */
export const modelNotKnown = 'the provider does not know this model, or the stored key may not use it';
