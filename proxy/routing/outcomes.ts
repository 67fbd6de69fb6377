// THE TABLE of failed attempts: whose fault each one is, and where the request may go next. docs/design/routing.md
// shows it. A failure of the caller's own request goes nowhere: every target would refuse it.
import type { CalledRoute } from '../call.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import { ProviderFailure, RefusedKeyError } from '../upstream/provider-failure.ts';
import { TransportError } from '../upstream/transport.ts';
import type { FailureCause } from './health.ts';

export interface FailedAttempt {
  /** Undefined: nothing that health counts. */
  readonly cause: FailureCause | undefined;
  /**
   * Whether the same target may get the request once more: `no`, on a new connection, at once on a new connection,
   * after the wait that the vendor requests if that is short, or without the reasoning that the vendor cannot read.
   */
  readonly again: 'no' | 'reconnect' | 'reconnect_at_once' | 'after_wait' | 'without_reasoning';
  /** Whether the next target may get it. */
  readonly next: boolean;
  /** The target is none for this request: it has not failed, and the caller does not see this. */
  readonly isUnfit?: boolean;
}

const final: FailedAttempt = { cause: undefined, again: 'no', next: false };
const unread: FailedAttempt = { cause: undefined, again: 'without_reasoning', next: false };
const elsewhere: FailedAttempt = { cause: undefined, again: 'no', next: true };

/** Which refusals of the request itself go to the next target: a route may say so of these two. */
export type RefusedElsewhere = Pick<CalledRoute, 'onContext' | 'onFilter'>;

/**
 * @param error of an attempt, before any of its response was passed on
 * @param route undefined: every target would refuse what one of them refuses
 */
export function failedAttempt(error: unknown, route?: RefusedElsewhere): FailedAttempt {
  if (error instanceof ProviderFailure)
    return route !== undefined && mayBeServedElsewhere(error, route) ? elsewhere : byStatus(error);
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

function byStatus(failure: ProviderFailure): FailedAttempt {
  const { status, code = '' } = failure;
  if (status === 400 && isUnreadReasoning(failure)) return unread;
  if (status === 429 && !spentQuotas.has(code)) return { cause: 'rate', again: 'after_wait', next: true };
  if (status === 402 || status === 429) return { cause: 'quota', again: 'no', next: true };
  if (status >= 500) return { cause: 'server', again: 'no', next: true };
  // A timeout and a conflict at the vendor; a model or deployment that this key does not have.
  return status === 408 || status === 409 || status === 404 ? { cause: undefined, again: 'no', next: true } : final;
}

function mayBeServedElsewhere(error: ProviderFailure, { onContext, onFilter }: RefusedElsewhere): boolean {
  if (!refusals.has(error.status)) return false;
  return (onContext && isTooLong(error)) || (onFilter && filterCodes.has(error.code));
}

const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

/** Formats report these codes for all vendors, see formats/vendor-error.ts. */
const filterCodes: ReadonlySet<string | undefined> = new Set(['content_filter', 'content_policy_violation']);

/** Servers that are run with a vendor's format often have the message without the code. */
function isTooLong({ code, message }: ProviderFailure): boolean {
  return (
    code === 'context_length_exceeded' ||
    /maximum context length|context window|(?:prompt|input) is too long/i.test(message)
  );
}

/**
 * The vendor cannot verify or decrypt reasoning of an earlier turn: another account or another model wrote it. OpenAI has
 * a code for it (Azure only the message), Anthropic and Bedrock name the signature of a thinking block, Google the
 * thought signature.
 */
function isUnreadReasoning({ code, message }: ProviderFailure): boolean {
  return (
    code === 'invalid_encrypted_content' ||
    /encrypted content .{0,200}could not be (?:verified|decrypted)/i.test(message) ||
    /invalid .?(?:signature|data).? in .?(?:redacted_)?thinking/i.test(message) ||
    /(?:corrupted|invalid) thought.?signature|thought.?signature is (?:not valid|invalid)/i.test(message)
  );
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
