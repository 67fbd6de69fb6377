// A table of many rows, of which only those that are seen are in the document. The component library's table makes an
// object of every cell of every row, and takes a tenth of a second for a scroll among ten thousand rows; here a scroll
// costs the rows that come into view, however many there are.
// biome-ignore-all lint/a11y/useSemanticElements: rows are blocks here, and a browser takes the role of a tr that is none
// biome-ignore-all lint/a11y/useFocusableInteractive: one row at a time is in the order of the tab key, and no header is
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the table has the keys of its rows
import { type CSSProperties, type KeyboardEvent, type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import classes from '../styles/table.module.css';
import { contentOf, type DataTableProps, type TableColumn } from './table-column.tsx';

const rowHeight = 37;
/** Of the container, whose height a style sheet limits to 640 pixels, and some rows above and below. */
const rowsShown = 18;
const rowsBeside = 6;

export function LongTable<T extends object>({ label, columns, rows, idOf, onOpen }: DataTableProps<T>) {
  const container = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [active, setActive] = useState(0);
  const moved = useRef(false);
  const current = Math.min(active, rows.length - 1);
  // A key moves the focus to a row that may not have been in the document before.
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    container.current?.querySelector<HTMLElement>(`[aria-rowindex="${current + 2}"]`)?.focus({ preventScroll: true });
  }, [current]);
  const onScroll = () => setFirst(Math.floor((container.current?.scrollTop ?? 0) / rowHeight));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!isOfRow(event)) return;
    const [row, next] = [rows[current], nextRow(event.key, current, rows.length)];
    if (event.key === 'Enter' && row !== undefined) onOpen?.(row);
    if (next === undefined) return;
    event.preventDefault();
    moved.current = next !== current;
    if (container.current !== null) reveal(container.current, next);
    setActive(next);
  };
  const shown = indexesFrom(first, current, rows.length);
  return (
    <div
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className={`${classes.container} ${classes.virtual}`}
      style={layoutOf(columns)}
      ref={container}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={`${classes.header} ${classes.longGroup}`}>
        <div role="row" aria-rowindex={1} className={classes.longRow}>
          {columns.map(({ id, title, isNumber }) => (
            <div key={id} role="columnheader" className={lookOf(isNumber)}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={classes.longGroup} style={{ height: rows.length * rowHeight }}>
        {shown.map((index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <LongRow
              key={idOf(row)}
              row={row}
              index={index}
              columns={columns}
              isActive={index === current}
              onOpen={onOpen}
              onFocus={setActive}
            />
          );
        })}
      </div>
    </div>
  );
}

interface LongRowProps<T> {
  readonly row: T;
  readonly index: number;
  readonly columns: readonly TableColumn<T>[];
  /** The one row that the tab key reaches. */
  readonly isActive: boolean;
  readonly onOpen: ((row: T) => void) | undefined;
  readonly onFocus: (index: number) => void;
}

function PlainLongRow<T extends object>({ row, index, columns, isActive, onOpen, onFocus }: LongRowProps<T>) {
  const hasHeader = columns.some(({ isRowHeader }) => isRowHeader);
  const roleOf = (column: TableColumn<T>) =>
    (hasHeader ? column.isRowHeader : column === columns[0]) ? 'rowheader' : 'gridcell';
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isActive ? 0 : -1}
      className={`${classes.tr} ${classes.longRow} ${onOpen === undefined ? '' : classes.opens}`}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
      onFocus={() => onFocus(index)}
      onClick={(event) => {
        if (!isOfControl(event)) onOpen?.(row);
      }}
    >
      {columns.map((column) => (
        <div key={column.id} role={roleOf(column)} className={lookOf(column.isNumber)}>
          {contentOf(column.render(row))}
        </div>
      ))}
    </div>
  );
}

/** A row that stays in view is not made anew. Its callbacks do the same as before, though they are others. */
const LongRow = memo(
  PlainLongRow,
  (a, b) => a.row === b.row && a.index === b.index && a.columns === b.columns && a.isActive === b.isActive,
) as typeof PlainLongRow;

/** A key for the table, not for a control in a cell, or for what that opened elsewhere in the document. */
function isOfRow({ target, currentTarget }: KeyboardEvent<HTMLElement>): boolean {
  return target instanceof HTMLElement && target.role === 'row' && currentTarget.contains(target);
}

function isOfControl({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  if (!(target instanceof HTMLElement) || !currentTarget.contains(target)) return true;
  return target.closest('a, button, input, label') !== null;
}

function lookOf(isNumber = false): string {
  return `${classes.cell} ${isNumber ? classes.number : ''}`;
}

/** Rows near the view, and the active one, which keeps the focus while it is scrolled away. */
function indexesFrom(first: number, active: number, rows: number): readonly number[] {
  const from = Math.max(0, first - rowsBeside);
  const to = Math.min(rows, first + rowsShown + rowsBeside);
  const near = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  return near.includes(active) || active < 0 ? near : [...near, active];
}

/** The row that a key leads to; undefined for other keys. */
function nextRow(key: string, current: number, rows: number): number | undefined {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: rowsShown - 2, PageUp: 2 - rowsShown, Home: -rows, End: rows };
  if (!Object.hasOwn(steps, key)) return undefined;
  return Math.max(0, Math.min(rows - 1, current + steps[key as keyof typeof steps]));
}

/** Scrolls as little as is needed. */
function reveal(container: HTMLElement, index: number): void {
  const [top, room] = [index * rowHeight, container.clientHeight - 2 * rowHeight];
  container.scrollTop = Math.min(top, Math.max(container.scrollTop, top - room));
}

/** The widths of the columns, for all rows. */
function layoutOf<T>(columns: readonly TableColumn<T>[]): CSSProperties {
  const least = ({ width, minWidth }: TableColumn<T>) => minWidth ?? (typeof width === 'number' ? width : 110);
  const tracks = columns.map((column) =>
    typeof column.width === 'number' ? `${column.width}px` : `minmax(${least(column)}px, ${column.width ?? '1fr'})`,
  );
  const properties: Record<`--${string}`, string> = {
    '--columns': tracks.join(' '),
    '--width': `${columns.reduce((sum, column) => sum + least(column), 0)}px`,
  };
  return properties;
}
