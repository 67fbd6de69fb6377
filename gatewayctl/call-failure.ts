// The error of a failed call, in a file apart from the client: commands classify it, and most of them end before gRPC
// is loaded.
import type { FieldViolation__Output as Violation } from '../proto/generated/gateway/v1/FieldViolation.ts';

export interface CallFailureDetail {
  /** gRPC's name of the status code, such as "PERMISSION_DENIED". */
  readonly code: string;
  /** Reason from the contract (docs/errors.md); absent if no server of this contract responded. */
  readonly reason: string | undefined;
  readonly violations: readonly Violation[];
  /** Seconds until a retry, if nothing was done because the caller has used its share. */
  readonly retryAfter?: number | undefined;
}

export class CallFailure extends Error implements CallFailureDetail {
  readonly code: string;
  readonly reason: string | undefined;
  readonly violations: readonly Violation[];
  readonly retryAfter: number | undefined;

  constructor(message: string, { code, reason, violations, retryAfter }: CallFailureDetail) {
    super(message);
    this.name = 'CallFailure';
    this.code = code;
    this.reason = reason;
    this.violations = violations;
    this.retryAfter = retryAfter;
  }
}
