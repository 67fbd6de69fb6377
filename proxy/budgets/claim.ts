// A request before its slices: whether it can have its money now, has to wait for draws, or is refused. Decides, and changes nothing.
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import type { DrawKind, Slice } from './lease.ts';

export interface Claim {
  readonly question: BudgetQuestion;
  /** Of all its budgets. */
  readonly slices: readonly Slice[];
  /** Of each slice the newest operation when the request came: a later draw is made for it as well. */
  readonly since: readonly number[];
}

export function claimOn(slices: readonly Slice[], question: BudgetQuestion): Claim {
  return { question, slices, since: slices.map(({ seq }) => seq) };
}

export type Verdict =
  /** @param amount nano-dollars, of each slice */
  | { readonly kind: 'hold'; readonly amount: number }
  | { readonly kind: 'refused'; readonly slice: Slice; readonly reason: RefusalReason }
  | { readonly kind: 'wait' };

/** Whether every slice has all open that the question asks for. */
export function fits(slices: readonly Slice[], { full }: BudgetQuestion): boolean {
  for (const slice of slices) if (slice.open < full) return false;
  return true;
}

/** Whether more can be drawn for a request: away: the control plane does not answer; late: the request has waited for long enough. */
export type Means = 'draw' | 'late' | 'away';

/** @param means unless it is `draw`, the request has to do with what there is. @param now monotonic */
export function judge(claim: Claim, means: Means, now: number): Verdict {
  const { question, slices } = claim;
  if (fits(slices, question)) return { kind: 'hold', amount: question.full };
  let refused: Verdict | undefined;
  for (const [index, slice] of slices.entries()) {
    if (slice.open >= question.least) continue;
    // What is shut is to be had as long as the control plane does what it is asked.
    const lack = Math.max(0, question.least - slice.available);
    const reason = means === 'draw' ? slice.refuses(lack, now) : withoutDraw(claim, index, means);
    if (reason === undefined) continue;
    // What is spent will not come back; what others hold may.
    if (refused === undefined || reason === 'exceeded') refused = { kind: 'refused', slice, reason };
  }
  if (refused !== undefined) return refused;
  if (means === 'draw' && slices.some((_, index) => drawOf(claim, index, now) !== undefined))
    return { kind: 'wait' };
  return { kind: 'hold', amount: reduced(slices, question.least) };
}

/** The slices that have to be drawn or opened before the request can go on. */
export function toBeDrawn(claim: Claim, now: number): ReadonlyMap<Slice, DrawKind> {
  const kinds = new Map<Slice, DrawKind>();
  for (const [index, slice] of claim.slices.entries()) {
    const kind = drawOf(claim, index, now);
    if (kind !== undefined) kinds.set(slice, kind);
  }
  return kinds;
}

/** Where draws were answered in time, but others took what came of them, the money is busy. */
function withoutDraw(claim: Claim, index: number, means: 'late' | 'away'): RefusalReason {
  return means === 'late' && isDrawn(claim, index) ? 'busy' : 'unavailable';
}

function isDrawn({ slices, since }: Claim, index: number): boolean {
  return (slices[index]?.newestDraw ?? 0) > (since[index] ?? 0);
}

/** Less than all is made do with only after a draw, or where none would help; and only once nothing is shut. */
function drawOf(claim: Claim, index: number, now: number): DrawKind | undefined {
  const { full, least } = claim.question;
  const slice = claim.slices[index];
  if (slice === undefined || slice.open >= full) return undefined;
  if (slice.available >= full) return 'open';
  if (slice.available < least) return 'draw';
  if (!isDrawn(claim, index) && slice.refuses(full - slice.available, now) === undefined) return 'draw';
  return slice.shut > 0 ? 'open' : undefined;
}

/** Beyond the least at most a quarter of what is free, so that the next requests can run as well. */
function reduced(slices: readonly Slice[], least: number): number {
  const quarters = slices.map(({ open }) => Math.floor(open / 4));
  return Math.max(least, Math.min(...quarters));
}
