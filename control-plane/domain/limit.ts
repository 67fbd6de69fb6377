// Limits: what they count, on whom, how much. A budget says how much in money and for how long; any other limit in a count.
import { type BudgetPeriod, totalWindow } from '../../common/budget-window.ts';
import { budgetUsdMax, nanoOfUsd, nanoPerUsd } from '../../common/money.ts';
import { budgetPeriods, type LimitSubjectKind, limitKinds, limitSubjects } from '../../proto/words/access.ts';
import { type Reference, referenceOf, wordOf } from './enum-names.ts';
import { type Field, invalid, isValid, optional, valid } from './field.ts';
import { date, within } from './shared-fields.ts';

export const limitCountMax = 1_000_000_000;

export type LimitSubject = Reference<LimitSubjectKind>;

export const limitSubject = referenceOf(limitSubjects);

export const limitKind = wordOf(limitKinds);

/** How much, in the contract's fields. */
export interface LimitSize {
  readonly count?: string;
  readonly amountUsd?: string;
  readonly period?: string;
}

/** Of a limit that is made. Money is in nano-dollars. */
export function limitSize(ofBudget: boolean, { count, amountUsd, period }: LimitSize) {
  return ofBudget
    ? { count: notOfBudgets(count), amount_usd: usdAmount(amountUsd), period: budgetPeriod(period ?? '') }
    : { count: limitCount(count), amount_usd: notOfRates(amountUsd), period: notOfRates(period) };
}

/** Of one that is there: absent is as it is. @param present its period; null: it is no budget */
export function limitResize(present: BudgetPeriod | null, { count, amountUsd, period }: LimitSize) {
  if (present === null) {
    const ofBudgets = { amount_usd: notOfRates(amountUsd), period: notOfRates(period) };
    return { count: optional(limitCount, count), ...ofBudgets };
  }
  return {
    count: notOfBudgets(count),
    amount_usd: optional(usdAmount, amountUsd),
    period: asItIs(period === undefined || period === budgetPeriods.names[present]),
  };
}

/** Nano-dollars. */
export function usdAmount(text: string | undefined): Field<number> {
  const nano = nanoOfUsd(text ?? '');
  return nano !== undefined && nano > 0 && nano <= budgetUsdMax * nanoPerUsd
    ? valid(nano)
    : invalid(
        `must be USD as a decimal string above 0, at most ${budgetUsdMax} and with at most nine decimals`,
      );
}

/** A budget's window: the UTC day that it starts on, or "total". */
export function windowName(text: string): Field<string> {
  return text === totalWindow || isValid(date(text))
    ? valid(text)
    : invalid(`must be the UTC day that the window starts on as YYYY-MM-DD, or ${totalWindow}`);
}

/** What a limit is of is for ever: counters and books rest on it. It may be repeated as it is. */
export function asItIs(same: boolean): Field<undefined> {
  return same ? valid(undefined) : invalid('cannot be changed: delete the limit and create another');
}

const budgetPeriod = wordOf(budgetPeriods);

const countWithin = within(1, limitCountMax);

/** A 64-bit integer as the contract's decimal string. */
function limitCount(text: string | undefined): Field<number> {
  return countWithin(text === undefined ? Number.NaN : Number(text));
}

function notOfRates(value: unknown): Field<undefined> {
  return value === undefined ? valid(undefined) : invalid('goes with a budget only');
}

function notOfBudgets(value: unknown): Field<undefined> {
  return value === undefined ? valid(undefined) : invalid('does not go with a budget: it has amount_usd');
}
