// Decides whether a request can have its money now, has to wait for acquire calls, or is refused. Changes nothing.
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import type { AcquireKind, Lease } from './lease.ts';

export interface Claim {
  readonly question: BudgetQuestion;
  /** Those of all its budgets. */
  readonly leases: readonly Lease[];
  /**
   * The newest operation of each lease when the request arrived: a later acquire operation serves this request as well.
   */
  readonly since: readonly number[];
}

export function claimOn(leases: readonly Lease[], question: BudgetQuestion): Claim {
  return { question, leases, since: leases.map(({ seq }) => seq) };
}

export type Verdict =
  /** @param amount nano-dollars, in each lease */
  | { readonly kind: 'reserve'; readonly amount: number }
  | { readonly kind: 'refused'; readonly lease: Lease; readonly reason: RefusalReason }
  | { readonly kind: 'wait' };

/** Whether every lease has the full amount of the question open. */
export function fits(leases: readonly Lease[], { full }: Pick<BudgetQuestion, 'full'>): boolean {
  for (const lease of leases) if (lease.open < full) return false;
  return true;
}

/**
 * Whether more can be acquired for a request. away: the control plane does not respond; late: the request has waited
 * long enough.
 */
export type AcquireState = 'acquire' | 'late' | 'away';

/** @param means unless it is `acquire`, the request has to run with the money that is here. @param now monotonic */
export function decide(claim: Claim, means: AcquireState, now: number): Verdict {
  const { question, leases } = claim;
  if (fits(leases, question)) return { kind: 'reserve', amount: question.full };
  let refused: Verdict | undefined;
  for (const [index, lease] of leases.entries()) {
    if (lease.open >= question.least) continue;
    // Shut money counts as available: the control plane opens it on request.
    const lack = Math.max(0, question.least - lease.available);
    const reason = means === 'acquire' ? lease.refuses(lack, now) : withoutAcquire(claim, index, means);
    if (reason === undefined) continue;
    // Spent money does not come back, but reserved money may.
    if (refused === undefined || reason === 'exceeded') refused = { kind: 'refused', lease, reason };
  }
  if (refused !== undefined) return refused;
  if (means === 'acquire' && leases.some((_, index) => acquireOf(claim, index, now) !== undefined))
    return { kind: 'wait' };
  return { kind: 'reserve', amount: reduced(leases, question.least) };
}

/** The leases in which money has to be acquired or opened before the request can continue. */
export function toBeAcquired(claim: Claim, now: number): ReadonlyMap<Lease, AcquireKind> {
  const kinds = new Map<Lease, AcquireKind>();
  for (const [index, lease] of claim.leases.entries()) {
    const kind = acquireOf(claim, index, now);
    if (kind !== undefined) kinds.set(lease, kind);
  }
  return kinds;
}

/** If acquire calls got their responses in time, but other requests reserved the money first, the budget is busy. */
function withoutAcquire(claim: Claim, index: number, means: 'late' | 'away'): RefusalReason {
  return means === 'late' && isAcquired(claim, index) ? 'busy' : 'unavailable';
}

function isAcquired({ leases, since }: Claim, index: number): boolean {
  return (leases[index]?.newestAcquisition ?? 0) > (since[index] ?? 0);
}

/**
 * A request runs with less than the full amount only after an acquire call, or if none would help, and only if nothing
 * is shut.
 */
function acquireOf(claim: Claim, index: number, now: number): AcquireKind | undefined {
  const { full, least } = claim.question;
  const lease = claim.leases[index];
  if (lease === undefined || lease.open >= full) return undefined;
  if (lease.available >= full) return 'open';
  if (lease.available < least) return 'acquire';
  if (!isAcquired(claim, index) && lease.refuses(full - lease.available, now) === undefined) return 'acquire';
  return lease.shut > 0 ? 'open' : undefined;
}

/** At most a quarter of the free money, unless `least` is more, so that the next requests can run as well. */
function reduced(leases: readonly Lease[], least: number): number {
  const quarters = leases.map(({ open }) => Math.floor(open / 4));
  return Math.max(least, Math.min(...quarters));
}
