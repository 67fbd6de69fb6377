// The bounds of the budget protocol on the proxy's side, in one table; docs/design/budgets.md explains them. Times are
// in milliseconds.
import { budgetUsdMax, nanoPerUsd } from '../../common/money.ts';

export const budgetBounds = {
  /** A lease is acquired for this much spending, and money that was unused for as long is released. */
  leaseTargetMs: 5_000,
  /**
   * Requests can use only the open part of a lease: twice the largest recent reservation or the spending of this time,
   * whichever is more. The rest is shut.
   */
  openMs: 2_000,
  largestReservationMs: 10_000,
  /** The shut amount is reported with other operations. A report of its own is sent no more often than this. */
  noteMs: 2_000,
  /** How long a request waits for an acquire call. The call itself is not given up. */
  waitMs: 4_000,
  /**
   * The wait is counted in pieces, so that a pause of this process counts as one piece: the response may have arrived
   * meanwhile.
   */
  waitPieceMs: 500,
  /**
   * Leases in use acquire money of the next window this long before their window ends, so that not all requests do so
   * at once when the next window has begun.
   */
  aheadMs: 10_000,
  /** How long a refusal is remembered, so that not every request calls the control plane about a spent budget. */
  exceededMs: 1_000,
  busyMs: 100,
  deniedMs: 1_000,
  /** Values without a lease count with the further values for this long after a counter found no room. */
  fullMs: 1_000,
  /** Acquiring ahead of requests pauses for this long if other proxies need the money. */
  aheadAfterRefusalMs: 1_000,
  /** It pauses for this long if the control plane granted less than was requested. */
  aheadAfterPartMs: 250,
  sweepMs: 1_000,
  /** A lease that no request has used for this long is removed from memory. Only its count of operations stays. */
  forgetMs: 60_000,
  /** Counts of operations that are kept. Above this number a new session begins, with new counts. */
  countsMax: 100_000,
  /**
   * Releases under way at a time that no request waits for, so that acquire calls, for which requests wait, come first.
   */
  unhurriedReturnsMax: 32,
  keepSessionMs: 10_000,
  /** The control plane counts as away after this many failures in a row, of any calls. */
  awayAfter: 3,
  retryFirstMs: 50,
  retryMaxMs: 1_000,
  /** Spreads the operations that are sent again when the control plane is back. */
  resumeSpreadMs: 250,
  /** Acquire calls of one request that the database's clock may contradict. */
  windowTriesMax: 3,
  /** Nano-dollars. */
  amountMax: budgetUsdMax * nanoPerUsd,
} as const;
