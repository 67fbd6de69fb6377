// What a call failed with, apart from what makes calls: commands judge it, and most of them are over before gRPC is loaded.
import type { FieldViolation__Output as Violation } from '../proto/generated/gateway/v1/FieldViolation.ts';

export interface CallFailureDetail {
  /** gRPC's name of the code, such as "PERMISSION_DENIED". */
  readonly code: string;
  /** Of the contract (docs/errors.md); absent where no server of this contract has answered. */
  readonly reason: string | undefined;
  readonly violations: readonly Violation[];
  /** In how many seconds to come again, where nothing was done because the caller has its share already. */
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
