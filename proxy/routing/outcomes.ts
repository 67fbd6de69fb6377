// THE TABLE of failed attempts: whose fault each one is, and where the request may go next. docs/design/routing.md
// shows it. A failure of the caller's own request goes nowhere: every target would refuse it.
import { type ErrorCode, GatewayError } from '../errors.ts';
import { ProviderFailure, RefusedKeyError } from '../upstream/provider-failure.ts';
import { TransportError } from '../upstream/transport.ts';
import type { FailureCause } from './health.ts';

export interface FailedAttempt {
  /** Undefined: nothing that health counts. */
  readonly cause: FailureCause | undefined;
  /**
   * Whether the same target may get the request once more: `no`, on a new connection, at once on a new connection, or
   * after the wait that the vendor requests if that is short.
   */
  readonly again: 'no' | 'reconnect' | 'reconnect_at_once' | 'after_wait';
  /** Whether the next target may get it. */
  readonly next: boolean;
}

const final: FailedAttempt = { cause: undefined, again: 'no', next: false };

/** @param error of an attempt, before any of its response was passed on */
export function failedAttempt(error: unknown): FailedAttempt {
  if (error instanceof ProviderFailure) return byStatus(error);
  if (error instanceof GatewayError) return byCode[error.code]?.(error) ?? final;
  return final;
}

const byCode: { readonly [Code in ErrorCode]?: (error: GatewayError) => FailedAttempt } = {
  upstream_unreachable: ({ cause }) => unreachable(cause),
  // It was cut, broken, or no response of the vendor's at all.
  upstream_protocol_error: () => ({ cause: 'server', again: 'no', next: true }),
  upstream_timeout: () => ({ cause: 'timeout', again: 'no', next: true }),
  upstream_authentication_failed: ({ cause }) => ({
    cause: cause instanceof RefusedKeyError && cause.status === 403 ? 'access' : 'key',
    again: 'no',
    next: true,
  }),
  // The stored key cannot be sent.
  no_healthy_target: () => ({ cause: undefined, again: 'no', next: true }),
};

function unreachable(cause: unknown): FailedAttempt {
  if (!(cause instanceof TransportError)) return final;
  switch (cause.kind) {
    case 'connect':
      return { cause: 'dead', again: 'reconnect', next: true };
    case 'closed':
      return { cause: 'dead', again: cause.wasIdle ? 'reconnect_at_once' : 'no', next: true };
    // The operator's configuration names an address that this proxy must not call.
    case 'forbidden':
      return { cause: undefined, again: 'no', next: true };
    case 'protocol':
      return { cause: 'server', again: 'no', next: true };
    case 'overloaded':
      return final;
  }
}

function byStatus({ status, code = '' }: ProviderFailure): FailedAttempt {
  if (status === 429 && !spentQuotas.has(code)) return { cause: 'rate', again: 'after_wait', next: true };
  if (status === 402 || status === 429) return { cause: 'quota', again: 'no', next: true };
  if (status >= 500) return { cause: 'server', again: 'no', next: true };
  // A timeout and a conflict at the vendor; a model or deployment that this key does not have.
  return status === 408 || status === 409 || status === 404 ? { cause: undefined, again: 'no', next: true } : final;
}

/** Codes of a 429 for which waiting does not help (OpenAI's guide to error codes). */
const spentQuotas: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'billing_hard_limit_reached',
]);

/** Statuses of 4xx that are about the account or the vendor, not about the caller's request. */
const notOfCaller: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 409, 429]);

/** Whether the caller has to change the request. */
export function isOfCaller(error: unknown): boolean {
  return error instanceof ProviderFailure && error.status < 500 && !notOfCaller.has(error.status);
}
