// One window of a budget as the API shows it: its rows in the ledger, if it has any, beside the budget's amount.
import { type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import type { BudgetWindow } from '../../proto/generated/gateway/v1/BudgetWindow.ts';
import { timeText } from '../domain/shared-fields.ts';

export interface WindowRow {
  readonly id: string;
  readonly period: BudgetPeriod;
  readonly amount: number;
  readonly window: string;
  /** Null if nothing was acquired or used yet. */
  readonly spent: number | null;
  readonly leased: number | null;
  readonly unsettled: number | null;
}

export function windowMessage({ id: limitId, period, amount, window, ...windowRow }: WindowRow) {
  const {
    spent,
    leased,
    unsettled: unconfirmed,
  } = {
    spent: windowRow.spent ?? 0,
    leased: windowRow.leased ?? 0,
    unsettled: windowRow.unsettled ?? 0,
  };
  const start = windowStart(window);
  const end = start === undefined ? undefined : windowEnd(period, start);
  return {
    limitId,
    window,
    ...(end === undefined ? {} : { endsAt: timeText(end) }),
    amountUsd: usdOfNano(amount),
    spentUsd: usdOfNano(spent),
    leasedUsd: usdOfNano(leased),
    unsettledUsd: usdOfNano(unconfirmed),
    freeUsd: usdOfNano(amount - spent - leased - unconfirmed),
  } satisfies BudgetWindow;
}
