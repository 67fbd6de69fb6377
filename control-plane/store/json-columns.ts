// JSON in columns of text, read by its shape: a row that another version or a hand has written otherwise is refused by table, column
// and id, and its value is in no error.
import { aList, aString, readShape, type Shape, ShapeError } from '../../common/json-shape.ts';
import type { Schema } from './schema.ts';

export class StoredJsonError extends Error {
  override readonly name = 'StoredJsonError';
}

/** Reads one column of a table. @throws StoredJsonError */
export function jsonColumn<Table extends keyof Schema, Column extends keyof Schema[Table] & string, T>(
  table: Table,
  column: Column,
  shape: Shape<T>,
) {
  /** @param id where the row has none, or it was not read */
  return (row: Readonly<Record<Column, string>> & { readonly id?: string }, id = row.id): T =>
    readColumn(row[column], shape, `${table}.${column} of ${id}`);
}

/** @param place table, column and id, for the error @throws StoredJsonError */
export function readColumn<T>(text: string, shape: Shape<T>, place: string): T {
  try {
    return readShape(text, shape);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new StoredJsonError(`${place}: ${error.message}`);
  }
}

export const strings = aList(aString);
