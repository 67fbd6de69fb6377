// Tables with rows of any kind: keyboard, screen readers, an action for each row. Above fifty rows only those that
// are seen are in the document.
import { Cell, Column, ResizableTableContainer, Row, Table, TableBody, TableHeader } from 'react-aria-components/Table';
import type { List } from '../api/queries.ts';
import classes from '../styles/table.module.css';
import { Button } from './button.tsx';
import { LongTable } from './long-table.tsx';
import { ErrorNote, Loading } from './notes.tsx';
import { contentOf, type DataTableProps, type TableColumn } from './table-column.tsx';

export type { TableColumn };

const longFrom = 50;

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { rows, empty } = props;
  if (rows.length === 0) return <>{empty}</>;
  if (rows.length > longFrom) return <LongTable {...props} />;
  return (
    <ResizableTableContainer className={classes.container ?? ''}>
      <Rows {...props} />
    </ResizableTableContainer>
  );
}

function Rows<T extends object>({ label, columns, rows, idOf, onOpen }: DataTableProps<T>) {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  const hasHeader = columns.some(({ isRowHeader }) => isRowHeader);
  const open = (key: string | number) => {
    const row = byId.get(String(key));
    if (row !== undefined) onOpen?.(row);
  };
  const look = (column: TableColumn<T>) => `${classes.cell} ${column.isNumber ? classes.number : ''}`;
  return (
    <Table aria-label={label} className={classes.table ?? ''} {...(onOpen === undefined ? {} : { onRowAction: open })}>
      <TableHeader className={classes.header ?? ''}>
        {columns.map((column) => (
          <Column
            key={column.id}
            id={column.id}
            isRowHeader={hasHeader ? (column.isRowHeader ?? false) : column === columns[0]}
            className={look(column)}
            defaultWidth={column.width ?? '1fr'}
            minWidth={column.minWidth ?? (typeof column.width === 'number' ? column.width : 110)}
          >
            {column.title}
          </Column>
        ))}
      </TableHeader>
      <TableBody>
        {rows.map((row) => (
          <Row key={idOf(row)} id={idOf(row)} className={`${classes.tr} ${onOpen === undefined ? '' : classes.opens}`}>
            {columns.map((column) => (
              <Cell key={column.id} className={look(column)}>
                {contentOf(column.render(row))}
              </Cell>
            ))}
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}

export interface ListTableProps<T extends object> extends Omit<DataTableProps<T>, 'rows'> {
  readonly list: List<T>;
}

/** A table of a list, with its loading, its error and its further pages. */
export function ListTable<T extends object>({ list, ...props }: ListTableProps<T>) {
  if (list.error !== null) return <ErrorNote error={list.error} />;
  if (list.isLoading) return <Loading />;
  return (
    <>
      <DataTable {...props} rows={list.rows} />
      {list.hasMore ? (
        <div className={classes.more}>
          <Button onPress={list.loadMore} isPending={list.isLoadingMore}>
            Show more
          </Button>
        </div>
      ) : null}
    </>
  );
}
