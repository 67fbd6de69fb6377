// What a method answers when it does not answer its response: a code of gRPC, a safe message, and what is wrong with which
// field. Thrown as CallError anywhere in a service; grpc-server.ts and http-api.ts put it on the wire.
import { NameTakenError, StoreUnavailableError } from '../store/store.ts';

/** Codes in use: number in gRPC, name and HTTP status in the Connect protocol (connectrpc.com/docs/protocol). */
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

/** Stable, machine-readable reasons (docs/errors.md), each with its code. */
export const callReasons = {
  invalid_request: 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  permission_denied: 'PERMISSION_DENIED',
  tls_required: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  name_taken: 'ALREADY_EXISTS',
  client_request_id_taken: 'ALREADY_EXISTS',
  revision_mismatch: 'ABORTED',
  last_owner: 'FAILED_PRECONDITION',
  key_revoked: 'FAILED_PRECONDITION',
  too_many_values: 'FAILED_PRECONDITION',
  too_many_unknown_keys: 'RESOURCE_EXHAUSTED',
  // Of the JSON door.
  host_not_allowed: 'PERMISSION_DENIED',
  unknown_method: 'UNIMPLEMENTED',
  method_not_allowed: 'UNIMPLEMENTED',
  unsupported_media_type: 'INVALID_ARGUMENT',
  body_too_large: 'RESOURCE_EXHAUSTED',
  // Of all doors.
  cancelled: 'CANCELLED',
  unavailable: 'UNAVAILABLE',
  internal: 'INTERNAL',
} as const satisfies Record<string, CallCode>;

export type CallReason = keyof typeof callReasons;

export interface Violation {
  /** Path in the request in the contract's names, for example "owner.email". */
  readonly field: string;
  /** What is wrong and what is accepted; never the value of a secret. */
  readonly description: string;
}

export class CallError extends Error {
  readonly reason: CallReason;
  readonly code: CallCode;
  readonly violations: readonly Violation[];

  /** @param message is sent to the caller */
  constructor(reason: CallReason, message: string, violations: readonly Violation[] = []) {
    super(message);
    this.name = 'CallError';
    this.reason = reason;
    this.code = callReasons[reason];
    this.violations = violations;
  }
}

/** An id of another organization and one that does not exist answer the same. */
export function notFound(what: string): CallError {
  return new CallError('not_found', `no such ${what}`);
}

export function permissionDenied(message: string): CallError {
  return new CallError('permission_denied', message);
}

/** What the caller may know of anything thrown; `unexpected` asks for a line in the log. */
export function asCallError(
  thrown: unknown,
  requestId: string,
): { readonly error: CallError; readonly unexpected: boolean } {
  if (thrown instanceof CallError) return { error: thrown, unexpected: false };
  if (thrown instanceof NameTakenError) {
    const violation = { field: thrown.field, description: 'is taken; names are unique' };
    return { error: new CallError('name_taken', thrown.message, [violation]), unexpected: false };
  }
  if (thrown instanceof StoreUnavailableError) {
    return {
      error: new CallError('unavailable', 'the database cannot be reached right now; try again'),
      unexpected: true,
    };
  }
  const message = `the control plane failed; its log has the cause under request id ${requestId}`;
  return { error: new CallError('internal', message), unexpected: true };
}
