// The bounds of the budget protocol on the proxy's side, in one table; docs/design/budgets.md explains them. Times in milliseconds.
import { budgetUsdMax, nanoPerUsd } from '../../common/money.ts';

export const budgetBounds = {
  /** A slice is drawn for so much spending, and what nobody has used for as long is returned. */
  sliceMs: 5_000,
  /** Requests take from a part of the slice alone: for twice the largest of late, and for so much spending. The rest is shut. */
  openMs: 2_000,
  largestHoldMs: 10_000,
  /** What is shut is told with other operations, and apart from them not more often. */
  noteMs: 2_000,
  /** How long a request waits for a draw. The draw itself is not given up. */
  waitMs: 4_000,
  /** Counted in pieces, so that what this process itself stood still counts as one of them: the answer may be there already. */
  waitPieceMs: 500,
  /** So long before a window ends its successors are drawn, of slices in use: not by all requests at once when it has begun. */
  aheadMs: 10_000,
  /** For how long an answer is believed, so that a spent budget is not asked about by every request. */
  exceededMs: 1_000,
  busyMs: 100,
  deniedMs: 1_000,
  /** What is drawn ahead of requests stands back for so long where others need the money, */
  aheadAfterRefusalMs: 1_000,
  /** or where the control plane gave less than was asked for. */
  aheadAfterPartMs: 250,
  sweepMs: 1_000,
  /** A budget that no request has used for so long is forgotten but for its count of operations. */
  forgetMs: 60_000,
  /** Counts of operations that are remembered; above it a new session begins, which counts anew. */
  countsMax: 100_000,
  /** Returns under way at a time, of those that nobody waits for: requests wait for draws meanwhile. */
  unhurriedReturnsMax: 32,
  keepSessionMs: 10_000,
  /** Failures of any calls in a row after which the control plane is held to be away. */
  awayAfter: 3,
  retryFirstMs: 50,
  retryMaxMs: 1_000,
  /** Spreads what is sent again when the control plane is back. */
  resumeSpreadMs: 250,
  /** Draws of one request that the database's clock contradicted. */
  windowTriesMax: 3,
  /** Nano-dollars. */
  amountMax: budgetUsdMax * nanoPerUsd,
} as const;
