// A request before its slices: whether it can have its money now, has to wait for draws, or is refused. Decides, and changes nothing.
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import type { Slice } from './slice.ts';

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

/** Whether every slice has all that the question asks for. */
export function fits(slices: readonly Slice[], { full }: BudgetQuestion): boolean {
  for (const slice of slices) if (slice.available < full) return false;
  return true;
}

/** @param mayDraw false: it has to do with what there is. @param now monotonic */
export function judge(claim: Claim, mayDraw: boolean, now: number): Verdict {
  const { question, slices } = claim;
  if (fits(slices, question)) return { kind: 'hold', amount: question.full };
  let refused: Verdict | undefined;
  for (const slice of slices) {
    const lack = question.least - slice.available;
    const reason = mayDraw ? slice.refuses(lack, now) : 'unavailable';
    if (lack <= 0 || reason === undefined) continue;
    // What is spent will not come back; what others hold may.
    if (refused === undefined || reason === 'exceeded') refused = { kind: 'refused', slice, reason };
  }
  if (refused !== undefined) return refused;
  if (mayDraw && slices.some((_, index) => isToBeDrawn(claim, index, now))) return { kind: 'wait' };
  return { kind: 'hold', amount: reduced(slices, question.least) };
}

/** The slices that have to be drawn before the request can go on. */
export function toBeDrawn(claim: Claim, now: number): readonly Slice[] {
  return claim.slices.filter((_, index) => isToBeDrawn(claim, index, now));
}

/** Less than all is made do with only after a draw, or where none would help. */
function isToBeDrawn({ question, slices, since }: Claim, index: number, now: number): boolean {
  const slice = slices[index];
  if (slice === undefined || slice.available >= question.full) return false;
  if (slice.available < question.least) return true;
  const isDrawn = slice.newestDraw > (since[index] ?? 0);
  return !isDrawn && slice.refuses(question.full - slice.available, now) === undefined;
}

/** Beyond the least at most a quarter of what is free, so that the next requests can run as well. */
function reduced(slices: readonly Slice[], least: number): number {
  const quarters = slices.map(({ available }) => Math.floor(available / 4));
  return Math.max(least, Math.min(...quarters));
}
