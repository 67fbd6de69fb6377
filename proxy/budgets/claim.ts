// Decides whether a request can have its money now, has to wait for acquire calls, or is refused. Changes nothing.
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import type { DrawKind, Slice } from './lease.ts';

export interface Claim {
  readonly question: BudgetQuestion;
  /** Those of all its budgets. */
  readonly slices: readonly Slice[];
  /**
   * The newest operation of each lease when the request arrived: a later acquire operation serves this request as well.
   */
  readonly since: readonly number[];
}

export function claimOn(slices: readonly Slice[], question: BudgetQuestion): Claim {
  return { question, slices, since: slices.map(({ seq }) => seq) };
}

export type Verdict =
  /** @param amount nano-dollars, in each lease */
  | { readonly kind: 'hold'; readonly amount: number }
  | { readonly kind: 'refused'; readonly slice: Slice; readonly reason: RefusalReason }
  | { readonly kind: 'wait' };

/** Whether every lease has the full amount of the question open. */
export function fits(slices: readonly Slice[], { full }: BudgetQuestion): boolean {
  for (const slice of slices) if (slice.open < full) return false;
  return true;
}

/**
 * Whether more can be acquired for a request. away: the control plane does not respond; late: the request has waited
 * long enough.
 */
export type Means = 'draw' | 'late' | 'away';

/** @param means unless it is `draw`, the request has to run with the money that is here. @param now monotonic */
export function judge(claim: Claim, means: Means, now: number): Verdict {
  const { question, slices } = claim;
  if (fits(slices, question)) return { kind: 'hold', amount: question.full };
  let refused: Verdict | undefined;
  for (const [index, slice] of slices.entries()) {
    if (slice.open >= question.least) continue;
    // Shut money counts as available: the control plane opens it on request.
    const lack = Math.max(0, question.least - slice.available);
    const reason = means === 'draw' ? slice.refuses(lack, now) : withoutDraw(claim, index, means);
    if (reason === undefined) continue;
    // Spent money does not come back, but reserved money may.
    if (refused === undefined || reason === 'exceeded') refused = { kind: 'refused', slice, reason };
  }
  if (refused !== undefined) return refused;
  if (means === 'draw' && slices.some((_, index) => drawOf(claim, index, now) !== undefined))
    return { kind: 'wait' };
  return { kind: 'hold', amount: reduced(slices, question.least) };
}

/** The leases in which money has to be acquired or opened before the request can continue. */
export function toBeDrawn(claim: Claim, now: number): ReadonlyMap<Slice, DrawKind> {
  const kinds = new Map<Slice, DrawKind>();
  for (const [index, slice] of claim.slices.entries()) {
    const kind = drawOf(claim, index, now);
    if (kind !== undefined) kinds.set(slice, kind);
  }
  return kinds;
}

/** If acquire calls got their responses in time, but other requests reserved the money first, the budget is busy. */
function withoutDraw(claim: Claim, index: number, means: 'late' | 'away'): RefusalReason {
  return means === 'late' && isDrawn(claim, index) ? 'busy' : 'unavailable';
}

function isDrawn({ slices, since }: Claim, index: number): boolean {
  return (slices[index]?.newestDraw ?? 0) > (since[index] ?? 0);
}

/**
 * A request runs with less than the full amount only after an acquire call, or if none would help, and only if nothing
 * is shut.
 */
function drawOf(claim: Claim, index: number, now: number): DrawKind | undefined {
  const { full, least } = claim.question;
  const slice = claim.slices[index];
  if (slice === undefined || slice.open >= full) return undefined;
  if (slice.available >= full) return 'open';
  if (slice.available < least) return 'draw';
  if (!isDrawn(claim, index) && slice.refuses(full - slice.available, now) === undefined) return 'draw';
  return slice.shut > 0 ? 'open' : undefined;
}

/** At most a quarter of the free money, unless `least` is more, so that the next requests can run as well. */
function reduced(slices: readonly Slice[], least: number): number {
  const quarters = slices.map(({ open }) => Math.floor(open / 4));
  return Math.max(least, Math.min(...quarters));
}
