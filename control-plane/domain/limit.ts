// Limits: their kind, subject and size. A budget's size is an amount of money and a period; any other limit's size is a
// count.
import { type BudgetPeriod, isWindowName } from '../../common/budget-window.ts';
import { budgetUsdMax, nanoOfUsd, nanoPerUsd } from '../../common/money.ts';
import { budgetPeriods, type LimitSubjectKind, limitKinds, limitSubjects } from '../../proto/words/access.ts';
import { platformId } from '../store/platform-id.ts';
import { type Reference, referenceOf, wordOf } from './enum-names.ts';
import { type Field, invalid, optional, valid } from './field.ts';
import { within } from './shared-fields.ts';

export const limitCountMax = 1_000_000_000;

export type LimitSubject = Reference<LimitSubjectKind>;

const subjectOfOrganization = referenceOf(limitSubjects);

/** Reads the subject of a limit. @param owner an organization's id, or the platform's (store/platform-id.ts) */
export function limitSubject(owner: string) {
  return (message: Message | null): Field<LimitSubject> => {
    const { names } = limitSubjects;
    if (owner === platformId) {
      const isPlatform = message === null || message.kind === names.platform;
      return isPlatform ? valid({ kind: 'platform', id: platformId }) : invalid(`must be ${names.platform}`, '.kind');
    }
    if (message?.kind === names.platform) return invalid('is for platform operators', '.kind');
    return subjectOfOrganization(owner)(message);
  };
}

type Message = { readonly kind: string; readonly id: string };

/** Reads the owner of usage: usage is corrected for those who caused it, not for those who pay for it. */
export function usageOwner(organizationId: string) {
  return (message: Message | null): Field<Reference<UsageOwnerKind>> => {
    const read = limitSubject(organizationId)(message);
    if ('problems' in read) return read;
    const { kind, id } = read.value;
    return kind === 'provider_key' || kind === 'platform'
      ? invalid('must be an organization, an AI system, a person or a virtual key', '.kind')
      : valid({ kind, id });
  };
}

export type UsageOwnerKind = Exclude<LimitSubjectKind, 'provider_key' | 'platform'>;

export const limitKind = wordOf(limitKinds);

/** The size, in the contract's fields. */
export interface LimitSize {
  readonly count?: string;
  readonly amountUsd?: string;
  readonly period?: string;
}

/** The size of a new limit. Money is in nano-dollars. */
export function limitSize(ofBudget: boolean, { count, amountUsd, period }: LimitSize) {
  return ofBudget
    ? { count: notOfBudgets(count), amount_usd: usdAmount(amountUsd), period: budgetPeriod(period ?? '') }
    : { count: limitCount(count), amount_usd: notOfRates(amountUsd), period: notOfRates(period) };
}

/**
 * A change of an existing limit; absent fields do not change.
 * @param present the limit's period; null if it is no budget
 */
export function limitResize(present: BudgetPeriod | null, { count, amountUsd, period }: LimitSize) {
  if (present === null) {
    const ofBudgets = { amount_usd: notOfRates(amountUsd), period: notOfRates(period) };
    return { count: optional(limitCount, count), ...ofBudgets };
  }
  return {
    count: notOfBudgets(count),
    amount_usd: optional(usdAmount, amountUsd),
    period: unchanged(period === undefined || period === budgetPeriods.names[present]),
  };
}

/** In nano-dollars. */
export function usdAmount(text: string | undefined): Field<number> {
  const nano = nanoOfUsd(text ?? '');
  return nano !== undefined && nano > 0 && nano <= budgetUsdMax * nanoPerUsd
    ? valid(nano)
    : invalid(`must be USD as a decimal string above 0, at most ${budgetUsdMax} and with at most nine decimals`);
}

/** The name of a budget's window: when it starts, or "total". */
export function windowName(text: string): Field<string> {
  return isWindowName(text)
    ? valid(text)
    : invalid('must be when the window starts, as YYYY-MM-DD or YYYY-MM-DDTHH:MMZ in UTC, or total');
}

/**
 * A limit's kind, subject and period never change, because counters and the ledger depend on them. A request may repeat
 * the present value.
 */
export function unchanged(same: boolean): Field<undefined> {
  return same ? valid(undefined) : invalid('cannot be changed: delete the limit and create another');
}

const budgetPeriod = wordOf(budgetPeriods);

const countWithin = within(1, limitCountMax);

/** Reads a 64-bit integer from the contract's decimal string. */
function limitCount(text: string | undefined): Field<number> {
  return countWithin(text === undefined ? Number.NaN : Number(text));
}

export function notOfRates(value: unknown): Field<undefined> {
  return value === undefined ? valid(undefined) : invalid('goes with a budget only');
}

function notOfBudgets(value: unknown): Field<undefined> {
  return value === undefined ? valid(undefined) : invalid('does not go with a budget: it has amount_usd');
}
