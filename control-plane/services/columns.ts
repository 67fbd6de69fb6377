// Between the columns of a row and the fields of a message.
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import type { WrittenSelector } from '../domain/model-selector.ts';

export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** Of a list of models that may be called. */
export function globsText(selectors: readonly WrittenSelector[]): string {
  return JSON.stringify(selectors.map(({ stored }) => stored));
}

/** As they count. */
export function globsOf(text: string): string[] {
  return [...new Set((JSON.parse(text) as string[]).map(canonicalSelector))];
}

/** As proxies are told of them: they fold what they know, and older ones match by the very name. */
export function globsRecord(text: string): string[] {
  return (JSON.parse(text) as string[]).map(storedSelector);
}

/** Whether a change would change nothing: columns are text, numbers and null. */
export function isSame<Row extends object>(before: Row, columns: Partial<Row>): boolean {
  return Object.entries(columns).every(([column, value]) => before[column as keyof Row] === value);
}
