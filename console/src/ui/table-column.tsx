// What a table shows, whatever renders it.
import type { ReactNode } from 'react';

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

export interface DataTableProps<T extends object> {
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  readonly empty: ReactNode;
  readonly onOpen?: (row: T) => void;
}

/** A text that does not fit is cut; the pointer shows all of it. */
export function contentOf(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <span title={content}>{content}</span> : content;
}
