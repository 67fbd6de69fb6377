// The outcome of a request, for the ledger, and what the ledger makes of it.
import type { Outcome } from '../call.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { Target } from '../providers/provider.ts';
import type { AttemptMoney } from '../routing/dispatch.ts';
import { HedgeLost } from '../routing/hedged-attempt.ts';
import type { Received } from '../upstream/attempt.ts';
import { ClientGone, type Exchange } from './exchange.ts';
import { errorResponse } from './respond.ts';

/**
 * @param failure the error before anything was sent to the caller; undefined if its response began
 * @param attempt undefined: nothing was sent
 */
export function outcomeOf(exchange: Exchange, failure: unknown, attempt: Received | undefined): Outcome {
  const { record, startedAt } = exchange;
  const { attempts, firstByteAt } = record;
  const { status, errorSource, errorCode } = endOf(exchange, failure);
  const ending = attempt?.ending ?? 'unused';
  return {
    usage: attempt?.usage(),
    // Still open here: a defect, which is no reason to charge too little.
    ending: ending === 'open' ? 'not_read' : ending,
    usageIsComplete: attempt?.usageIsComplete === true,
    textTokens: () => attempt?.textTokens() ?? 0,
    modelAnswered: attempt?.model(),
    target: attempt?.target,
    attempts,
    status,
    errorSource,
    errorCode,
    latencyMs: exchange.elapsedMs,
    firstTokenMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
  };
}

/**
 * Charges an attempt that has failed and may have cost something, and reserves money for the next one. @returns false
 * if there is none
 */
async function chargeAttempt(exchange: Exchange, failure: unknown, next: Target): Promise<boolean> {
  const outcome = { ...outcomeOf(exchange, failure, exchange.attempt), isPassedOn: exchange.recovering !== undefined };
  const isCharged = (await exchange.reservation?.chargeAttempt(outcome, next)) === true;
  if (isCharged) exchange.attempt = undefined;
  return isCharged;
}

/** Of attempts that follow one another. */
export const attemptMoney: AttemptMoney<Exchange> = {
  charge: chargeAttempt,
  move: ({ reservation }, next) => reservation?.moveTo(next) ?? false,
};

/** Called once for each reservation. @param failure as in {@link outcomeOf} */
export function settle(exchange: Exchange, reservation: Reservation, failure: unknown): void {
  const { record } = exchange;
  const outcome = outcomeOf(exchange, failure, exchange.attempt);
  const { cost, estimateReason } = reservation.settle(outcome);
  record.usage = outcome.usage;
  record.modelAnswered = outcome.modelAnswered;
  record.costNano = cost;
  record.estimateReason = estimateReason;
}

type End = Pick<Outcome, 'status' | 'errorSource' | 'errorCode'>;

function endOf({ record }: Exchange, failure: unknown): End {
  if (failure === undefined) return record;
  if (failure instanceof ClientGone || failure instanceof HedgeLost)
    return { status: 499, errorSource: undefined, errorCode: failure.code };
  const { status, source, code } = errorResponse(failure);
  return { status, errorSource: source, errorCode: code };
}
