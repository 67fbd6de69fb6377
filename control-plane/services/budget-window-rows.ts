// One window of a budget as the API shows it: its rows in the ledger, if it has any, beside the budget's amount.
import { type BudgetCalendar, type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import type { BudgetWindow } from '../../proto/generated/gateway/v1/BudgetWindow.ts';
import { forecastBases, type LimitSubjectKind } from '../../proto/words/access.ts';
import { timeText } from '../domain/shared-fields.ts';
import { calendarOf, raisedIn, raisesOf } from '../store/budget-columns.ts';
import type { Forecast } from './budget-forecast.ts';

export interface WindowRow {
  readonly id: string;
  readonly period: BudgetPeriod;
  readonly subject_kind: LimitSubjectKind;
  readonly subject_id: string;
  /** Null for all models. */
  readonly model: string | null;
  /** Without raises. */
  readonly amount: number;
  readonly created_at: number;
  readonly calendar: string | null;
  readonly soft: 0 | 1;
  readonly raises: string | null;
  readonly window: string;
  /** Null if nothing was acquired or used yet. */
  readonly spent: number | null;
  readonly leased: number | null;
  readonly unsettled: number | null;
  /** Of a budget for each value: whose window it is. */
  readonly counter?: string;
  /** The present name of the owner that `counter` is the id of. */
  readonly counterName?: string | undefined;
  /** Its name in the ledger. */
  readonly counterId?: string;
  /** How many values it has, if the window is that of its highest spending. */
  readonly counters?: number;
}

/** When a window of this name ends, in milliseconds since 1970; undefined for a window without an end. */
export function windowEndOf(calendar: BudgetCalendar, window: string): number | undefined {
  const start = windowStart(window);
  return start === undefined ? undefined : windowEnd(calendar, start);
}

/** Nano-dollars that raises add to the amount in the window. */
export function raisedOf(row: Omit<WindowRow, 'spent' | 'leased' | 'unsettled'>, now: number): number {
  return raisedIn({ period: calendarOf(row), raises: raisesOf(row) }, row.window, now);
}

export function windowMessage(row: WindowRow, now: number, forecast?: Forecast) {
  const { id: limitId, window, soft, counter, counterName, counters, ...windowRow } = row;
  const raised = raisedOf(row, now);
  const amount = row.amount + raised;
  const {
    spent,
    leased,
    unsettled: unconfirmed,
  } = {
    spent: windowRow.spent ?? 0,
    leased: windowRow.leased ?? 0,
    unsettled: windowRow.unsettled ?? 0,
  };
  const end = windowEndOf(calendarOf(row), window);
  return {
    limitId,
    window,
    ...(end === undefined ? {} : { endsAt: timeText(end) }),
    amountUsd: usdOfNano(amount),
    spentUsd: usdOfNano(spent),
    leasedUsd: usdOfNano(leased),
    unsettledUsd: usdOfNano(unconfirmed),
    freeUsd: usdOfNano(amount - spent - leased - unconfirmed),
    ...(raised > 0 && { raisedUsd: usdOfNano(raised) }),
    ...(soft === 1 && { soft: true }),
    ...(counter !== undefined && { counter }),
    ...(counterName !== undefined && { counterName }),
    ...(counters !== undefined && { counters }),
    ...(forecast && { forecastUsd: usdOfNano(forecast.spent), forecastBasis: forecastBases.names[forecast.basis] }),
  } satisfies BudgetWindow;
}
