// What became of a request, for the ledger.
import { GatewayError } from '../errors.ts';
import type { Outcome } from '../ledger/ledger.ts';
import { ProviderFailure } from '../upstream/provider-failure.ts';
import { TransportError } from '../upstream/transport.ts';
import { ClientGone, type Exchange } from './exchange.ts';
import { errorAnswer } from './respond.ts';

/** @param failure what the request ended with before anything was sent to its caller; undefined where its answer began */
export function outcomeOf(exchange: Exchange, failure: unknown): Outcome {
  const { record, startedAt } = exchange;
  const { usage, textBytes, modelAnswered, attempts, firstByteAt } = record;
  const { status, errorSource, errorCode } = endOf(exchange, failure);
  return {
    usage,
    textBytes,
    modelAnswered,
    attempts,
    status,
    errorSource,
    errorCode,
    nothingUsed: attempts === 0 || provesNothingUsed(failure),
    latencyMs: exchange.elapsedMs,
    firstTokenMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
  };
}

type End = Pick<Outcome, 'status' | 'errorSource' | 'errorCode'>;

function endOf({ record }: Exchange, failure: unknown): End {
  if (failure === undefined) return record;
  if (failure instanceof ClientGone) return { status: 499, errorSource: undefined, errorCode: failure.code };
  const { status, source, code } = errorAnswer(failure);
  return { status, errorSource: source, errorCode: code };
}

/** The provider refused, or was not reached, or the request was not fit to be sent. What came of any other failure is not known. */
function provesNothingUsed(failure: unknown): boolean {
  if (failure instanceof ProviderFailure) return true;
  if (!(failure instanceof GatewayError)) return false;
  const { cause, code, status } = failure;
  // Once it is reserved only its answer can be blocked.
  if (code === 'guardrail_blocked') return false;
  const unreached =
    cause instanceof TransportError && (cause.kind === 'connect' || cause.kind === 'forbidden');
  return unreached || status < 500 || code === 'upstream_authentication_failed';
}
