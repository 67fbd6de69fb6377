// Tables with rows of any kind: keyboard, screen readers, an action for each row. Above a hundred rows only those that
// are seen are in the document.
import type { ReactNode } from 'react';
import { Cell, Column, ResizableTableContainer, Row, Table, TableBody, TableHeader } from 'react-aria-components/Table';
import { TableLayout, Virtualizer } from 'react-aria-components/Virtualizer';
import type { List } from '../api/queries.ts';
import classes from '../styles/table.module.css';
import { Button } from './button.tsx';
import { ErrorNote, Loading } from './notes.tsx';

export interface TableColumn<T> {
  readonly id: string;
  readonly title: string;
  readonly render: (row: T) => ReactNode;
  readonly isNumber?: boolean;
  /** Its part of the row's name for screen readers; the first column unless some say so. */
  readonly isRowHeader?: boolean;
  /** Pixels, or its part of what is left; absent: one part. */
  readonly width?: number | `${number}fr`;
  readonly minWidth?: number;
}

export interface DataTableProps<T> {
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  readonly empty: ReactNode;
  readonly onOpen?: (row: T) => void;
}

const virtualFrom = 100;
const rowHeight = 37;

export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, empty } = props;
  if (rows.length === 0) return <>{empty}</>;
  if (rows.length <= virtualFrom) {
    return (
      <ResizableTableContainer className={classes.container ?? ''}>
        <Rows {...props} />
      </ResizableTableContainer>
    );
  }
  return (
    <ResizableTableContainer className={`${classes.container} ${classes.virtual}`}>
      <Virtualizer layout={TableLayout} layoutOptions={{ rowHeight, headingHeight: rowHeight }}>
        <Rows {...props} />
      </Virtualizer>
    </ResizableTableContainer>
  );
}

function Rows<T>({ label, columns, rows, idOf, onOpen }: DataTableProps<T>) {
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

/** A text that does not fit is cut; the pointer shows all of it. */
function contentOf(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <span title={content}>{content}</span> : content;
}

export interface ListTableProps<T> extends Omit<DataTableProps<T>, 'rows'> {
  readonly list: List<T>;
}

/** A table of a list, with its loading, its error and its further pages. */
export function ListTable<T>({ list, ...props }: ListTableProps<T>) {
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
