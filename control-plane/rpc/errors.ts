// The error response of a method: a gRPC code, a safe message, and the problem of each wrong field. Services throw it
// as CallError; grpc-server.ts and http-api.ts put it on the wire.
import { NameTakenError, StoreUnavailableError } from '../store/store.ts';

/** The codes in use: number in gRPC, name and HTTP status in the Connect protocol (connectrpc.com/docs/protocol). */
export const callCodes = {
  CANCELLED: { grpc: 1, connect: 'canceled', http: 499 },
  INVALID_ARGUMENT: { grpc: 3, connect: 'invalid_argument', http: 400 },
  NOT_FOUND: { grpc: 5, connect: 'not_found', http: 404 },
  ALREADY_EXISTS: { grpc: 6, connect: 'already_exists', http: 409 },
  PERMISSION_DENIED: { grpc: 7, connect: 'permission_denied', http: 403 },
  RESOURCE_EXHAUSTED: { grpc: 8, connect: 'resource_exhausted', http: 429 },
  FAILED_PRECONDITION: { grpc: 9, connect: 'failed_precondition', http: 400 },
  ABORTED: { grpc: 10, connect: 'aborted', http: 409 },
  UNIMPLEMENTED: { grpc: 12, connect: 'unimplemented', http: 501 },
  INTERNAL: { grpc: 13, connect: 'internal', http: 500 },
  UNAVAILABLE: { grpc: 14, connect: 'unavailable', http: 503 },
  UNAUTHENTICATED: { grpc: 16, connect: 'unauthenticated', http: 401 },
} as const;

export type CallCode = keyof typeof callCodes;

interface ReasonRow {
  readonly code: CallCode;
  /** For docs/errors.md. */
  readonly about: string;
  /** The status of the JSON API, if it differs from the code's. */
  readonly http?: number;
}

/** Stable, machine-readable reasons: public API. */
export const callReasons = {
  invalid_request: { code: 'INVALID_ARGUMENT', about: 'fields are wrong; `violations` names each of them' },
  unauthenticated: { code: 'UNAUTHENTICATED', about: 'no token, or one that is not or no longer accepted' },
  not_signed_in: { code: 'UNAUTHENTICATED', about: 'console: no session, or one that has ended; sign in' },
  sign_in_refused: {
    code: 'UNAUTHENTICATED',
    about: 'console: the token, link or identity is not or no longer accepted',
  },
  issuer_unavailable: {
    code: 'UNAVAILABLE',
    about: 'the issuer does not respond, or its configuration or keys cannot be used; try again',
  },
  exchange_refused: {
    code: 'UNAUTHENTICATED',
    about: 'no trust row of the service account fits the outside token, or the token was used before',
  },
  too_many_service_accounts: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of service accounts',
  },
  too_many_scim_tokens: { code: 'FAILED_PRECONDITION', about: 'an issuer has a bounded number of SCIM tokens' },
  too_many_invitations: { code: 'FAILED_PRECONDITION', about: 'an organization has a bounded number of invitations' },
  too_many_issuers: { code: 'FAILED_PRECONDITION', about: 'an organization has a bounded number of issuers' },
  authorization_pending: { code: 'FAILED_PRECONDITION', about: 'console: nobody has typed the device’s code yet' },
  slow_down: { code: 'FAILED_PRECONDITION', about: 'console: the device calls more often than it may' },
  access_denied: { code: 'FAILED_PRECONDITION', about: 'console: the person refused the program' },
  too_many_codes: {
    code: 'FAILED_PRECONDITION',
    about: 'console: a session typed too many codes of devices that do not exist; sign out and in',
  },
  too_many_domains: { code: 'FAILED_PRECONDITION', about: 'an organization has a bounded number of e-mail domains' },
  domain_taken: { code: 'FAILED_PRECONDITION', about: 'another organization has verified this e-mail domain' },
  cross_site: {
    code: 'PERMISSION_DENIED',
    about: 'console: a page of another site sent the request, or the browser does not say which did',
  },
  reauthentication_required: {
    code: 'PERMISSION_DENIED',
    about: 'this needs a sign-in at the console within the last 15 minutes; sign in again',
  },
  link_unavailable: {
    code: 'FAILED_PRECONDITION',
    about: 'links that sign in are made by a gateway that runs as one process, with an operator token',
  },
  permission_denied: { code: 'PERMISSION_DENIED', about: 'the role or kind of token may not do this' },
  tls_required: { code: 'PERMISSION_DENIED', about: 'this returns secrets: over TLS or loopback only' },
  not_found: { code: 'NOT_FOUND', about: 'there is no such id, or it is not of your organization' },
  name_taken: {
    code: 'ALREADY_EXISTS',
    about: 'names, and models of prices, are unique per organization and kind; no route has the name of a model alias',
  },
  client_request_id_taken: { code: 'ALREADY_EXISTS', about: 'it has created a key with other fields' },
  revision_mismatch: { code: 'ABORTED', about: 'it has changed since it was read; read it again' },
  last_owner: {
    code: 'FAILED_PRECONDITION',
    about: 'no owner or platform operator who can act would remain',
  },
  key_revoked: { code: 'FAILED_PRECONDITION', about: 'a revoked key stays revoked' },
  provider_key_refused: {
    code: 'FAILED_PRECONDITION',
    about: 'the vendor refuses the secret in a test; without `test` it is stored all the same',
  },
  too_many_values: { code: 'FAILED_PRECONDITION', about: 'too many rotated values of the key still work' },
  record_key_rotated: {
    code: 'FAILED_PRECONDITION',
    about: 'the record key was rotated in the last 90 days; two generations are open, and no third one is added',
  },
  provider_in_use: {
    code: 'FAILED_PRECONDITION',
    about: 'provider keys are stored for it, or routes lead to it; they have to be deleted first',
  },
  too_many_providers: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization, and the platform, have a bounded number of custom providers',
  },
  too_many_limits: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization, AI system, person or virtual key has a bounded number of limits',
  },
  too_many_prices: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of prices of its own',
  },
  too_many_webhooks: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of webhooks',
  },
  webhook_disabled: {
    code: 'FAILED_PRECONDITION',
    about: 'nothing is sent again to a webhook that is disabled or deleted',
  },
  too_many_guardrails: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of guardrails, with a bounded size of phrases and patterns',
  },
  too_many_routes: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of routes, with a bounded size of all of them',
  },
  too_many_stops: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization, and the platform, have a bounded number of stops that have not ended',
  },
  too_many_captures: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of capture settings that have not ended, and of readers',
  },
  capture_sealed: {
    code: 'FAILED_PRECONDITION',
    about: 'no given master key opens the key of the captured content',
  },
  too_many_bill_rows: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of rows of bills',
  },
  too_many_mappings: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of mappings of bills',
  },
  too_many_adjustments: {
    code: 'FAILED_PRECONDITION',
    about: 'an organization has a bounded number of adjustments',
  },
  drift_preliminary: {
    code: 'FAILED_PRECONDITION',
    about: 'the vendor may still change its bill of the day; import it again when it is final',
  },
  drift_settled: { code: 'FAILED_PRECONDITION', about: 'nothing is left of the difference to be settled' },
  drift_changed: { code: 'ABORTED', about: 'the difference has changed; read it again' },
  adjustment_too_large: {
    code: 'FAILED_PRECONDITION',
    about: 'it would take more back than the ledger has of this scope, model and day',
  },
  adjustment_undone: {
    code: 'FAILED_PRECONDITION',
    about: 'it was undone already, or is what undoes another',
  },
  too_wide: {
    code: 'FAILED_PRECONDITION',
    about: 'more rows of sums than one call reads; the message says how to narrow the request',
  },
  too_many_requests: {
    code: 'RESOURCE_EXHAUSTED',
    about: 'your share of the control plane is used up; try again after the seconds in `retry-after`',
  },
  too_many_unknown_keys: {
    code: 'RESOURCE_EXHAUSTED',
    about: 'a proxy looks up too many keys that do not exist',
  },
  host_not_allowed: {
    code: 'PERMISSION_DENIED',
    about: 'JSON API: the Host is not one of `GATEWAY_HTTP_HOSTS`',
  },
  unknown_method: { code: 'UNIMPLEMENTED', about: 'JSON API: no such path', http: 404 },
  method_not_allowed: { code: 'UNIMPLEMENTED', about: 'JSON API: not POST', http: 405 },
  unsupported_media_type: {
    code: 'INVALID_ARGUMENT',
    about: 'JSON API: not plain application/json',
    http: 415,
  },
  body_too_large: { code: 'RESOURCE_EXHAUSTED', about: 'JSON API: a body over 1 MiB', http: 413 },
  cancelled: { code: 'CANCELLED', about: 'the request ended before its response' },
  unavailable: { code: 'UNAVAILABLE', about: 'the database cannot be reached; try again' },
  internal: {
    code: 'INTERNAL',
    about: 'our fault; the log has the cause under the request id in the message',
  },
} as const satisfies Record<string, ReasonRow>;

export type CallReason = keyof typeof callReasons;

export interface Violation {
  /** Path in the request in the contract's names, for example "owner.email". */
  readonly field: string;
  /** The problem and the accepted values; never the value of a secret. */
  readonly description: string;
}

export class CallError extends Error {
  readonly reason: CallReason;
  readonly code: CallCode;
  readonly violations: readonly Violation[];
  /** In seconds; present if a later retry helps. */
  readonly retryAfter: number | undefined;

  /**
   * @param message is sent to the caller
   * @param more the problem of each wrong field, or when to retry
   */
  constructor(reason: CallReason, message: string, more: readonly Violation[] | { readonly retryAfter: number } = []) {
    super(message);
    this.name = 'CallError';
    this.reason = reason;
    this.code = callReasons[reason].code;
    this.violations = 'retryAfter' in more ? [] : more;
    this.retryAfter = 'retryAfter' in more ? more.retryAfter : undefined;
  }
}

/** The response is the same for an id of another organization and one that does not exist. */
export function notFound(what: string): CallError {
  return new CallError('not_found', `no such ${what}`);
}

export function permissionDenied(message: string): CallError {
  return new CallError('permission_denied', message);
}

/**
 * Converts a thrown value to an error that is safe for the caller. `unexpected` means that the cause must be logged.
 */
export function asCallError(
  thrown: unknown,
  requestId: string,
): { readonly error: CallError; readonly unexpected: boolean } {
  if (thrown instanceof CallError) return { error: thrown, unexpected: false };
  if (thrown instanceof NameTakenError) {
    const violation = { field: thrown.field, description: 'is taken; it must be unique' };
    return { error: new CallError('name_taken', thrown.message, [violation]), unexpected: false };
  }
  if (thrown instanceof StoreUnavailableError) {
    return {
      error: new CallError('unavailable', `${thrown.message} right now; try again`),
      unexpected: true,
    };
  }
  const message = `the control plane failed; its log has the cause under request id ${requestId}`;
  return { error: new CallError('internal', message), unexpected: true };
}

/** The HTTP status of the JSON API. */
export function httpStatusOf(reason: CallReason): number {
  const row: ReasonRow = callReasons[reason];
  return row.http ?? callCodes[row.code].http;
}
