// Reads JSON from text columns by its shape. A row that another version or a person wrote in another shape is refused;
// the error names table, column and id, but not the value.
import { aList, aString, readShape, type Shape, ShapeError } from '../../common/json-shape.ts';
import type { Schema } from './schema.ts';

export class StoredJsonError extends Error {
  override readonly name = 'StoredJsonError';
}

/** Makes a reader of one column of a table. The reader throws StoredJsonError. */
export function jsonColumn<Table extends keyof Schema, Column extends keyof Schema[Table] & string, T>(
  table: Table,
  column: Column,
  shape: Shape<T>,
) {
  /** @param id for a row without an id, or if it was not read */
  return (row: Readonly<Record<Column, string>> & { readonly id?: string }, id = row.id): T =>
    readColumn(row[column], shape, `${table}.${column} of ${id}`);
}

/**
 * @param location table, column and id, for the error
 * @throws StoredJsonError
 */
export function readColumn<T>(text: string, shape: Shape<T>, location: string): T {
  try {
    return readShape(text, shape);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new StoredJsonError(`${location}: ${error.message}`);
  }
}

export const strings = aList(aString);
