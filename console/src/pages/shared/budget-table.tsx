// The current windows of budgets: what is spent, and what the forecast for their end is.
import type { BudgetWindow } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { dateTime, money, nothing, percent } from '../../ui/format.ts';
import { Bar } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';

/** 0 to 1 and above. Unconfirmed money counts as spent. */
function usedPart({ spentUsd, unsettledUsd, amountUsd }: BudgetWindow): number {
  return (Number(spentUsd) + Number(unsettledUsd)) / Number(amountUsd);
}

/** Whether the forecast is above the amount. */
function willExceed({ forecastUsd, amountUsd }: BudgetWindow): boolean {
  return forecastUsd !== undefined && Number(forecastUsd) > Number(amountUsd);
}

function Forecast({ window }: { readonly window: BudgetWindow }) {
  if (window.forecastUsd === undefined) return <>{nothing}</>;
  return (
    <>
      {money(window.forecastUsd)} {willExceed(window) ? <Badge tone="warn">above</Badge> : null}
    </>
  );
}

export const budgetColumns: readonly TableColumn<BudgetWindow>[] = [
  {
    id: 'budget',
    title: 'Budget',
    render: ({ limitName, counter, counterName = counter }) =>
      `${limitName}${counterName === undefined ? '' : `: ${counterName}`}`,
    width: '3fr',
    minWidth: 240,
  },
  {
    id: 'used',
    title: 'Used',
    render: (window) => <Bar part={usedPart(window)} label={`${percent(usedPart(window))} used`} />,
    minWidth: 110,
  },
  { id: 'percent', title: '%', render: (window) => percent(usedPart(window)), isNumber: true, width: 80 },
  { id: 'spent', title: 'Spent', render: ({ spentUsd }) => money(spentUsd), isNumber: true, width: 110 },
  { id: 'amount', title: 'Amount', render: ({ amountUsd }) => money(amountUsd), isNumber: true, width: 110 },
  { id: 'forecast', title: 'Forecast', render: (window) => <Forecast window={window} />, isNumber: true, width: 140 },
  { id: 'ends', title: 'Window ends', render: ({ endsAt }) => dateTime(endsAt), width: 200 },
];

export function budgetId({ limitId, window, counter = '' }: BudgetWindow): string {
  return `${limitId} ${window} ${counter}`;
}

export function NoBudgets() {
  return (
    <Empty title="No budget has a window yet">
      A window begins with the first request that a budget counts. Budgets are made in Settings, Limits.
    </Empty>
  );
}

/** The most used first. */
export function BudgetTable() {
  const { organizationId } = useCaller();
  const request = { organizationId, forecast: true, pageSize: 200 };
  const list = useList('Budgets.ListWindows', request, (page) => page.windows);
  const rows = list.rows.toSorted((a, b) => usedPart(b) - usedPart(a));
  return (
    <ListTable label="Budgets" columns={budgetColumns} list={{ ...list, rows }} idOf={budgetId} empty={<NoBudgets />} />
  );
}
