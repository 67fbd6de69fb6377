// The events about budgets that receivers get: the bodies of requests; docs/webhooks.md explains the fields. Fields may
// be added, but none is removed. Sums are those of the ledger when the body was written.
import { type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { limitOfCounter, otherValues } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import { calendarOf } from '../store/budget-columns.ts';
import type { NoticeKind } from '../store/notice-tables.ts';

/** An event in a budget's window. */
export interface BudgetNews {
  readonly kind: NoticeKind;
  readonly budget_id: string;
  readonly organization_id: string;
  readonly window_start: string;
  readonly noted_at: number;
  readonly subject_kind: LimitSubjectKind;
  readonly subject_id: string;
  readonly model: string | null;
  readonly period: BudgetPeriod | null;
  readonly calendar: string | null;
  /** The share of a threshold. */
  readonly percent: number | null;
  /** The budget's amount when it happened, in nano-dollars like all sums. */
  readonly amount: number;
  readonly spent: number;
  readonly leased: number;
  readonly unsettled: number;
  /**
   * Silent proxies: how many have unconfirmed money, and when the first of them last sent a message, in milliseconds.
   */
  readonly silent: { readonly proxies: number; readonly since: number } | undefined;
  /** Of a budget for each value: the value, empty for the further ones; null of other budgets. */
  readonly value: string | null;
}

export interface BudgetEvent {
  readonly type: `budget.${string}`;
  readonly timestamp: string;
  readonly data: object;
}

/** The events' names in the audit log. */
export const noticeActions = {
  threshold: 'Budgets.ReachThreshold',
  exceeded: 'Budgets.Exceed',
  unsettled: 'Budgets.LeaveUnsettled',
} as const satisfies Record<NoticeKind, string>;

/** @param now by the database's clock, in milliseconds */
export function budgetEvent(news: BudgetNews, now: number): BudgetEvent {
  const { type, data } = typed(news, now);
  const { period, window_start: window } = news;
  return {
    type,
    timestamp: new Date(news.noted_at).toISOString(),
    data: {
      organizationId: news.organization_id,
      limitId: limitOfCounter(news.budget_id),
      level: { kind: news.subject_kind, id: news.subject_id },
      model: news.model,
      period,
      window,
      endsAt: endOf(news),
      ...counterOf(news),
      ...data,
    },
  };
}

/** The content of the audit event. */
export function auditView(news: BudgetNews, now: number): object {
  const { window_start: window } = news;
  switch (news.kind) {
    case 'threshold':
      return {
        ...{ percent: news.percent, window, spentUsd: usd(news.spent), amountUsd: usd(news.amount) },
        ...counterOf(news),
      };
    case 'exceeded':
    case 'unsettled':
      return { window, ...typed(news, now).data, ...counterOf(news) };
  }
}

/** Whose budget it is, of a budget for each value. */
function counterOf({ value }: BudgetNews): { readonly counter?: string } {
  return value === null ? {} : { counter: value === '' ? otherValues : value };
}

function typed(news: BudgetNews, now: number): { readonly type: BudgetEvent['type']; readonly data: object } {
  const { percent, amount, spent, leased, unsettled: unconfirmed, silent } = news;
  const sums = { amountUsd: usd(amount), spentUsd: usd(spent) };
  switch (news.kind) {
    case 'threshold':
      return { type: 'budget.threshold_reached', data: { percent, ...sums } };
    case 'exceeded': {
      const claimed = { leasedUsd: usd(leased), unsettledUsd: usd(unconfirmed) };
      return { type: 'budget.exceeded', data: { ...sums, ...claimed } };
    }
    case 'unsettled': {
      const { proxies = 0, since = now } = silent ?? {};
      const ageSeconds = Math.max(0, Math.round((now - since) / 1000));
      const age = { proxies, silentSince: new Date(since).toISOString(), ageSeconds };
      return { type: 'budget.unsettled', data: { ...sums, unsettledUsd: usd(unconfirmed), ...age } };
    }
  }
}

const usd = usdOfNano;

function endOf({ budget_id: id, window_start: window, period, calendar }: BudgetNews): string | null {
  const start = windowStart(window);
  const end =
    start === undefined || period === null ? undefined : windowEnd(calendarOf({ id, period, calendar }), start);
  return end === undefined ? null : new Date(end).toISOString();
}
