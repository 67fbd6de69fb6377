// Two attempts of a request at a time, as its money and its record see them.
import type { Hedging } from '../routing/dispatch.ts';
import type { Exchange } from './exchange.ts';
import { outcomeOf } from './outcome.ts';

export const hedging: Hedging<Exchange> = {
  reserve: ({ reservation }) => reservation?.reserveHedge() ?? false,
  release: ({ reservation }) => reservation?.releaseHedge(),
  charge: (exchange, { received, isHedge, error }) => {
    const outcome = outcomeOf(exchange, error, received);
    // The request's first byte is that of the attempt that continues.
    exchange.reservation?.chargeContender({ ...outcome, firstTokenMs: undefined }, isHedge);
  },
  resume: (exchange, context) => exchange.attemptResumed(context),
  hedged: ({ record }, winner) => {
    record.hedge = winner;
  },
};
