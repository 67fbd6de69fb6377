// A provider's error response, and the error that the caller gets for it: with the provider's status, message and
// request id, but without text that may name the organization's resources or key.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, parseJson } from '../../common/json.ts';
import { withoutKeyForms } from '../../common/key-forms.ts';
import { GatewayError } from '../errors.ts';
import type { VendorError } from '../formats/format.ts';
import type { Target } from '../providers/provider.ts';
import { withoutAccountIds, withoutKey } from './provider-text.ts';
import { passedHeaders, requestIdHeader } from './response-headers.ts';
import { retryAfter } from './retry-after.ts';
import { type FailedCall, vendorWords } from './vendor-message.ts';

export class ProviderFailure extends Error {
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** See `VendorError.type`. */
  readonly type: string | undefined;
  /** In seconds. Of several attempts, the shortest. */
  retryAfter: number | undefined;
  /** False if waiting cannot help. */
  readonly retryable: boolean;
  /** Headers of the provider that are passed on, as alternating names and values. */
  readonly headers: readonly string[];
  /** For the log: the status, and the provider's message as far as it may be logged. */
  readonly reason: string;
  /** Advice of the gateway beside the provider's message. */
  readonly hint: string | undefined;
  /** The vendor's response, for a client of its format whose recovery depends on the wording. */
  readonly native: NativeFailure | undefined;

  constructor(vendor: VendorError, { retryAfter, headers, reason, hint, native }: FailureDetails) {
    super(vendor.message);
    this.name = 'ProviderFailure';
    this.status = vendor.status;
    this.param = vendor.param;
    this.code = vendor.code;
    this.type = vendor.type;
    this.retryAfter = retryAfter;
    this.retryable = vendor.retryable;
    this.headers = headers;
    this.reason = reason;
    this.hint = hint;
    this.native = native;
  }
}

/** For the log: what the vendor responded to a stored key that it refuses. */
export class RefusedKeyError extends Error {
  readonly status: 401 | 403;

  constructor(reason: string, status: 401 | 403) {
    super(reason);
    this.name = 'RefusedKeyError';
    this.status = status;
  }
}

export interface NativeFailure {
  /** As the vendor sent it: 529 stays 529. */
  readonly status: number;
  /** Without the key that was sent to the vendor. */
  readonly body: string;
}

type FailureDetails = Pick<ProviderFailure, 'retryAfter' | 'headers' | 'reason'> & {
  readonly hint?: string | undefined;
  readonly native?: NativeFailure | undefined;
};

const messageMax = 2000;

/**
 * @param call its target has the credential that the provider got
 * @param now milliseconds since 1970, for a `retry-after` that is a date
 */
export function providerFailure(
  vendor: VendorError,
  { head: headers, native }: FailureResponse,
  call: FailedCall,
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
    // The caller must not learn anything about the stored key. The request id identifies the failure at the vendor.
    return new GatewayError('upstream_authentication_failed', {
      cause: new RefusedKeyError(reason, status),
      headers: requestIdHeader(passed),
    });
  }
  const matchOf = (text: string | undefined, form: RegExp) => {
    const reported = text === undefined ? undefined : withoutKey(text, target.credential);
    return reported !== undefined && form.test(reported) ? reported : undefined;
  };
  // The message may name the vendor's resources, which the caller cannot access but the organization's key can.
  const hidden = isStored && status === 404;
  const reported = {
    ...vendor,
    // One vendor uses 529 for "overloaded"; callers' SDKs do not know it.
    status: status === 529 ? 503 : status,
    message: hidden ? modelNotKnown : messageFor(vendor, target),
    param: hidden ? undefined : matchOf(vendor.param, paramForm),
    code: matchOf(vendor.code, codeForm),
  };
  // A quota opens again at the time that its error itself names. Headers are about the usual limits.
  const waits = retryAfter(vendor.retryable ? headers : {}, now, vendor.retryAfter);
  const details = { retryAfter: waits, headers: passed, reason };
  return new ProviderFailure(reported, { ...details, native: native && nativeFailure(native, target) });
}

export interface FailureResponse {
  readonly head: IncomingHttpHeaders;
  /** Set if the client reads the vendor's format. */
  readonly native?: { readonly status: number; readonly body: Buffer } | undefined;
}

/** Statuses whose body is about the request, or about the vendor's state; other bodies may be about its account. */
const passedStatuses: ReadonlySet<number> = new Set([400, 413, 422, 429, 529]);

function nativeFailure(
  { status, body }: NonNullable<FailureResponse['native']>,
  { credential, providerKeyId }: Target,
): NativeFailure | undefined {
  if (!passedStatuses.has(status) || !isObject(parseJson(body.toString()))) return undefined;
  const reported = withoutKey(body.toString(), credential);
  return { status, body: providerKeyId === undefined ? reported : withoutAccountIds(reported) };
}

/**
 * A vendor's own failure may quote a key. If the key is not the caller's, text in the form of keys is removed, and ids of
 * its account from every failure.
 */
function messageFor({ status, message }: VendorError, { credential, providerKeyId }: Target): string {
  const reported = withoutKey(message, credential);
  if (providerKeyId === undefined) return reported.slice(0, messageMax);
  const scrubbed = withoutAccountIds(reported);
  return (status >= 500 ? withoutKeyForms(scrubbed) : scrubbed).slice(0, messageMax);
}

// Longer text, or text with other characters, is no code and no path of a field.
const codeForm = /^[\w.-]{1,64}$/;
const paramForm = /^[\x21-\x7e]{1,128}$/;

/** Replaces the message of a 404 with a stored key. */
export const modelNotKnown = 'the provider does not know this model, or the stored key may not use it';
