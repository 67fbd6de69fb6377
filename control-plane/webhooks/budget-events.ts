// What receivers get of budgets: the bodies of requests; docs/webhooks.md says what the fields mean. Fields may be added, none is
// taken away. Sums are as the books stood when the body was written.
import { type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { NoticeKind } from '../store/notice-tables.ts';

/** A budget's window in which something has happened. */
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
  /** Of a threshold. */
  readonly percent: number | null;
  /** Nano-dollars, as all sums: of the budget when it happened. */
  readonly amount: number;
  readonly spent: number;
  readonly leased: number;
  readonly unsettled: number;
  /** Of proxies that are silent: how many hold something, and when the first of them was last heard, in milliseconds. */
  readonly silent: { readonly proxies: number; readonly since: number } | undefined;
}

export interface BudgetEvent {
  readonly type: `budget.${string}`;
  readonly timestamp: string;
  readonly data: object;
}

/** The audit log's names of them. */
export const noticeActions = {
  threshold: 'Budgets.ReachThreshold',
  exceeded: 'Budgets.Exceed',
  unsettled: 'Budgets.LeaveUnsettled',
} as const satisfies Record<NoticeKind, string>;

/** @param now by the database's clock, milliseconds */
export function budgetEvent(news: BudgetNews, now: number): BudgetEvent {
  const { type, data } = typed(news, now);
  const { period, window_start: window } = news;
  return {
    type,
    timestamp: new Date(news.noted_at).toISOString(),
    data: {
      organizationId: news.organization_id,
      limitId: news.budget_id,
      level: { kind: news.subject_kind, id: news.subject_id },
      model: news.model,
      period,
      window,
      endsAt: endOf(window, period),
      ...data,
    },
  };
}

/** What the audit event says. */
export function auditView(news: BudgetNews, now: number): object {
  const { window_start: window } = news;
  switch (news.kind) {
    case 'threshold':
      return { percent: news.percent, window, spentUsd: usd(news.spent), amountUsd: usd(news.amount) };
    case 'exceeded':
    case 'unsettled':
      return { window, ...typed(news, now).data };
  }
}

function typed(news: BudgetNews, now: number): { readonly type: BudgetEvent['type']; readonly data: object } {
  const { percent, amount, spent, leased, unsettled, silent } = news;
  const sums = { amountUsd: usd(amount), spentUsd: usd(spent) };
  switch (news.kind) {
    case 'threshold':
      return { type: 'budget.threshold_reached', data: { percent, ...sums } };
    case 'exceeded': {
      const held = { leasedUsd: usd(leased), unsettledUsd: usd(unsettled) };
      return { type: 'budget.exceeded', data: { ...sums, ...held } };
    }
    case 'unsettled': {
      const { proxies = 0, since = now } = silent ?? {};
      const ageSeconds = Math.max(0, Math.round((now - since) / 1000));
      const age = { proxies, silentSince: new Date(since).toISOString(), ageSeconds };
      return { type: 'budget.unsettled', data: { ...sums, unsettledUsd: usd(unsettled), ...age } };
    }
  }
}

const usd = usdOfNano;

function endOf(window: string, period: BudgetPeriod | null): string | null {
  const start = windowStart(window);
  const end = start === undefined || period === null ? undefined : windowEnd(period, start);
  return end === undefined ? null : new Date(end).toISOString();
}
