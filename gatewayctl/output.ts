// The forms of output: a table for people, and JSON, YAML, CSV or names for programs. YAML is loaded when it is used.
import { type Cell, csvLine } from '../common/csv.ts';
import { isObject } from '../common/json.ts';
import { fieldsOf, isMessage, originalName } from '../proto/json/contract.ts';
import { usageMistake } from './failure.ts';
import type { Io } from './io.ts';
import type { OutputForm } from './output-form.ts';
import { getField } from './request.ts';
import { printable } from './table.ts';

/** What is known of a structured result. */
export interface Structure {
  /** Columns of CSV, as paths in a row; absent: the fields that occur, in the order of their occurrence. */
  readonly columns?: readonly string[];
  /** Paths in a row whose first value is its name, before `name` and `id`. */
  readonly names?: readonly string[];
}

export interface Output {
  readonly io: Pick<Io, 'out'>;
  readonly form: OutputForm;
}

/** Prints a value in a form for programs; a table that was requested has been printed otherwise. @throws Failure */
export async function printStructured(value: object, { io, form }: Output, structure: Structure = {}): Promise<void> {
  await io.out(await structuredText(value, form, structure));
}

/** @throws Failure for a value without a name in the form `name` */
export async function structuredText(value: object, form: OutputForm, structure: Structure): Promise<string> {
  switch (form) {
    case 'table':
    case 'json':
      return `${JSON.stringify(value, null, 2)}\n`;
    case 'yaml':
      return (await import('./yaml.ts')).toYaml(value);
    case 'csv':
      return csvOf(rowsOf(value), structure.columns);
    case 'name':
      return namesOf(rowsOf(value), structure.names ?? []);
  }
}

/** Paths of a message's fields, for columns of CSV. Lists, maps and what contains them are single columns. */
export function columnsOf(message: string, under = ''): readonly string[] {
  return Object.entries(fieldsOf(message)).flatMap(([name, field]) => {
    const path = under === '' ? name : `${under}.${name}`;
    const isNested = isMessage(field.type) && field.rule !== 'repeated' && field.keyType === undefined;
    return isNested && path.split('.').length < nestingMax ? columnsOf(field.type, path) : [path];
  });
}

const nestingMax = 4;

type Row = Readonly<Record<string, unknown>>;

/** The rows of a list, otherwise the value as the only one: a list is an object with one list of objects. */
function rowsOf(value: object): readonly Row[] {
  const lists = Object.values(value).filter((one): one is readonly unknown[] => Array.isArray(one));
  const [only, ...others] = lists;
  const isList = only !== undefined && others.length === 0 && only.every(isObject);
  const rest = Object.entries(value).filter(([, one]) => one !== only);
  const isPage = rest.every(([name]) => name === 'nextPageToken' || name === 'match');
  return isList && isPage ? only.filter(isObject) : [{ ...value }];
}

function csvOf(rows: readonly Row[], columns: readonly string[] | undefined): string {
  const header = columns ?? [...new Set(rows.flatMap((row) => leavesOf(row, '')))];
  const lines = rows.map((row) => csvLine(header.map((path) => cellOf(getField(row, path)))));
  return [csvLine(header.map((path) => originalName(path).replaceAll('.', '_'))), ...lines].join('');
}

/** Paths of the values in a row. */
function leavesOf(row: Row, under: string): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const path = under === '' ? name : `${under}.${name}`;
    return isObject(value) ? leavesOf(value, path) : [path];
  });
}

/** Lists and maps are JSON, as in the export of usage. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** One a line. */
function namesOf(rows: readonly Row[], paths: readonly string[]): string {
  return rows.map((row) => `${nameOf(row, paths)}\n`).join('');
}

function nameOf(row: Row, paths: readonly string[]): string {
  const inside = leavesOf(row, '').filter((path) => /\.(name|id)$/.test(path));
  const found = ['name', ...paths, 'id', ...inside].map((path) => getField(row, path)).find(isNamed);
  if (found === undefined) throw usageMistake('this has no name to print; choose another form for -o');
  return printable(String(found));
}

function isNamed(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
