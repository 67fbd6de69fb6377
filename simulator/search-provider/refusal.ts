// Refusals in the vendor's envelope, google.rpc.Status, with the details that its users quote.
import type { Json } from '../checks.ts';

export interface VendorError {
  readonly code: number;
  readonly message: string;
  readonly status: string;
  readonly details?: readonly Json[];
}

export class Refusal extends Error {
  readonly error: VendorError;

  constructor(code: number, message: string, details: readonly Json[] = []) {
    super(message);
    this.name = 'Refusal';
    this.error = {
      code,
      message,
      status: usual(code).status,
      ...(details.length > 0 && { details }),
    };
  }
}

/** A refusal before the method is reached. It is JSON, even for a caller that wants a stream of events. */
export class FrontRefusal extends Refusal {}

/** A 400 whose details name the field of the JSON; an empty path means the whole body, no path means no details. */
export function invalidArgument(message: string, path?: string): Refusal {
  if (path === undefined) return new Refusal(400, message);
  const violation = { ...(path !== '' && { field: path }), description: message };
  return new Refusal(400, message, [detail('BadRequest', { fieldViolations: [violation] })]);
}

/** A 400 by a rule that is checked after the JSON was parsed. It names the field within the request. */
export function invalidField(path: string, what: string): Refusal {
  return invalidArgument(`* GenerateContentRequest.${path}: ${what}\n`);
}

export function detail(type: string, fields: Json): Json {
  return { '@type': `type.googleapis.com/google.rpc.${type}`, ...fields };
}

/**
 * The vendor's usual error of a status, for scripted errors.
 * @param wishes `message`, `status`, `reason`, `quotaId` and `retryDelay` that replace the usual; null removes a detail
 */
export function scriptedError(code: number, wishes: Readonly<Record<string, string | null>>): VendorError {
  const { message, status, reason, quotaId, retryDelay } = { ...usual(code), ...wishes };
  const details = [
    reason && detail('ErrorInfo', { reason, domain: 'googleapis.com', metadata: { service } }),
    quotaId && detail('QuotaFailure', { violations: [{ quotaMetric, quotaId, quotaValue: '3' }] }),
    quotaId && detail('Help', { links: [{ description: 'Learn more about Gemini API quotas', url: quotaUrl }] }),
    retryDelay && detail('RetryInfo', { retryDelay }),
  ].filter((one) => typeof one === 'object' && one !== null);
  return {
    code,
    message: message ?? '',
    status: status ?? 'UNKNOWN',
    ...(details.length > 0 && { details }),
  };
}

const service = 'generativelanguage.googleapis.com';
const quotaMetric = `${service}/generate_content_free_tier_requests`;
const quotaUrl = 'https://ai.google.dev/gemini-api/docs/rate-limits';

interface Usual {
  readonly status: string;
  readonly message: string;
  readonly reason?: string;
  readonly quotaId?: string;
  readonly retryDelay?: string;
}

function usual(code: number): Usual {
  return usuals[code] ?? { status: 'UNKNOWN', message: 'Unknown error.' };
}

const usuals: Readonly<Record<number, Usual>> = {
  400: { status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  401: {
    status: 'UNAUTHENTICATED',
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
  },
  403: { status: 'PERMISSION_DENIED', message: 'The caller does not have permission' },
  404: { status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  409: { status: 'ABORTED', message: 'The operation was aborted.' },
  429: {
    status: 'RESOURCE_EXHAUSTED',
    message: `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: ${quotaUrl}.\n* Quota exceeded for metric: ${quotaMetric}, limit: 3\nPlease retry in 20s.`,
    quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
    retryDelay: '20s',
  },
  499: { status: 'CANCELLED', message: 'The operation was cancelled.' },
  500: {
    status: 'INTERNAL',
    message:
      'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  },
  501: { status: 'UNIMPLEMENTED', message: 'Operation is not implemented, or supported, or enabled.' },
  503: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
  504: {
    status: 'DEADLINE_EXCEEDED',
    message: 'The service is unable to finish processing within the deadline.',
  },
};
