// Conversions between columns of rows and fields of messages.
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import { aList, aRecord, aString } from '../../common/json-shape.ts';
import type { ModelAlias } from '../domain/model-aliases.ts';
import type { WrittenSelector } from '../domain/model-selector.ts';
import { jsonColumn, readColumn, strings } from '../store/json-columns.ts';

export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** The column of a list of allowed models. */
export function globsText(selectors: readonly WrittenSelector[]): string {
  return JSON.stringify(selectors.map(({ stored }) => stored));
}

type GlobsTable = 'ai_systems' | 'organizations' | 'people' | 'virtual_keys';

interface GlobsRow {
  readonly id?: string;
  readonly allowed_models: string;
}

/** The selectors in their canonical form, in which they match. */
export function globsOf(table: GlobsTable, row: GlobsRow): string[] {
  return [...new Set(storedGlobs(table, row).map(canonicalSelector))];
}

/** The selectors for proxies. Proxies resolve the names that they know, and older ones compare the stored name. */
export function globsRecord(table: GlobsTable, row: GlobsRow): string[] {
  return storedGlobs(table, row).map(storedSelector);
}

function storedGlobs(table: GlobsTable, { id, allowed_models }: GlobsRow): readonly string[] {
  return readColumn(allowed_models, strings, `${table}.allowed_models of ${id}`);
}

/** The column of an organization's own names for models. */
export const aliasesOf = jsonColumn(
  'organizations',
  'model_aliases',
  aList(aRecord<ModelAlias>({ name: aString, model: aString })),
);

/** The column of the names of an organization's tags. */
export const tagNamesOf = jsonColumn('organizations', 'tag_names', strings);

/** Whether a change would change nothing. Columns are text, numbers and null. */
export function isSame<Row extends object>(before: Row, columns: Partial<Row>): boolean {
  return Object.entries(columns).every(([column, value]) => before[column as keyof Row] === value);
}
