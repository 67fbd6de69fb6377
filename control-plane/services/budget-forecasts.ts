// The forecasts of windows as lists show them, by whichever of the two methods the budget's usage allows.
import { countsEarlier } from '../ledger/budget.ts';
import { calendarOf } from '../store/budget-columns.ts';
import { countingOf } from '../store/limit-counting.ts';
import { type Forecast, type ForecastQuestion, forecastWindows, isOfRoute, isSummedByHour } from './budget-forecast.ts';
import { forecastByOwnWindows, type OwnForecastQuestion } from './budget-own-forecast.ts';
import { type WindowRow, windowEndOf } from './budget-window-rows.ts';
import type { CountedRow } from './counter-rows.ts';
import type { ReadCall } from './method.ts';

/** The name of a row's budget in the ledger: the budget's id, or that of its counter. */
export function ledgerIdOf({ id, counterId }: WindowRow): string {
  return counterId ?? id;
}

/**
 * By `ledgerIdOf`. Windows without an end have none, nor has a budget for each value without any value yet.
 * @param current rows of current windows, of one organization or of the platform
 */
export async function forecastsOf(
  { db, now }: ReadCall,
  organizationId: string,
  current: readonly CountedRow[],
): Promise<ReadonlyMap<string, Forecast>> {
  const rows = current.filter((row) => countingOf(row)?.each === undefined || row.counterId !== undefined);
  const [summed, others] = [true, false].map((isSummed) =>
    rows.filter((row) => isSummedByHour({ ...row, subjectKind: row.subject_kind }) === isSummed),
  );
  const bySums = await forecastWindows({ db, organizationId, now }, (summed ?? []).flatMap(questionOf));
  const unread = (summed ?? []).filter((row) => !bySums.has(row.id));
  const byWindows = await forecastByOwnWindows({ db, now }, [...(others ?? []), ...unread].map(ownQuestionOf));
  return new Map([...bySums, ...byWindows]);
}

function questionOf(row: CountedRow): ForecastQuestion[] {
  const { id, period, model, subject_kind: subjectKind, subject_id: subjectId, spent, window } = row;
  const endsAt = windowEndOf(calendarOf(row), window);
  return endsAt === undefined ? [] : [{ id, period, model, subjectKind, subjectId, spent: spent ?? 0, endsAt }];
}

function ownQuestionOf(row: CountedRow): OwnForecastQuestion {
  const { window, spent, model, created_at: createdAt, subject_kind: subjectKind } = row;
  const calendar = calendarOf(row);
  const isOfModels = model === null || !isOfRoute(model);
  const earlier = isOfModels && countsEarlier({ period: calendar, counting: countingOf(row), subjectKind });
  const forgets = row.counterId !== undefined;
  return { ledgerId: ledgerIdOf(row), calendar, window, spent: spent ?? 0, since: earlier ? 0 : createdAt, forgets };
}
