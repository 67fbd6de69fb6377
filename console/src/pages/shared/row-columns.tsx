// Columns that act on a row: a switch, and the menu at its end.
import type { MethodName, RequestOf } from '../../api/call.ts';
import { type Action, Actions } from '../../ui/menu.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { ChangeToggle } from './change-toggle.tsx';

/** @param nameOf for screen readers */
export function actionsColumn<Row>(
  nameOf: (row: Row) => string,
  actionsOf: (row: Row) => readonly Action[],
): TableColumn<Row> {
  return {
    id: 'actions',
    title: 'Actions',
    width: 90,
    minWidth: 80,
    render: (row) => <Actions label={`Actions for ${nameOf(row)}`} actions={actionsOf(row)} />,
  };
}

export interface SwitchOptions<Row, M extends MethodName> extends Pick<TableColumn<Row>, 'id' | 'title' | 'width'> {
  readonly method: M;
  readonly isOn: (row: Row) => boolean;
  readonly requestFor: (row: Row, isOn: boolean) => RequestOf<M>;
}

/** For screen readers, the switch has the row's name and the column's id. */
export function switchColumn<Row extends { readonly name: string }, M extends MethodName>(
  options: SwitchOptions<Row, M>,
): TableColumn<Row> {
  const { method, isOn, requestFor, ...column } = options;
  return {
    ...column,
    render: (row) => (
      <ChangeToggle
        label={`${row.name} ${column.id}`}
        method={method}
        isSelected={isOn(row)}
        requestFor={(next) => requestFor(row, next)}
      >
        {isOn(row) ? 'on' : 'off'}
      </ChangeToggle>
    ),
  };
}
