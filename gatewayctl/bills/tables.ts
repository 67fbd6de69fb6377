// Exports of clouds as rows with named cells, whatever the file format: CSV, JSON lines or a JSON array, gzipped or
// not, or Parquet. Column names are compared in the form `line_item_usage_type`, because exports spell them in several
// ways.
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text as wholeText } from 'node:stream/consumers';
import { isObject } from '../../common/json.ts';
import { Failure, usageMistake } from '../failure.ts';
import type { Io } from '../io.ts';
import { readCsv } from './csv.ts';
import { parseExactNumbers } from './decimal.ts';
import { linesOf, nameOf, textOfFile } from './given-text.ts';

export interface TableRow {
  /** Empty if the row has no such cell. */
  cell(name: string): string;
}

export interface Table {
  readonly rows: AsyncIterable<TableRow>;
}

/** @param columns the columns to read from a Parquet file. @throws Failure if a file cannot be read */
export function readTables(files: readonly string[], columns: readonly string[], io: Io): Table {
  return { rows: allRows(files, columns, io) };
}

async function* allRows(files: readonly string[], columns: readonly string[], io: Io) {
  for (const file of files) yield* rowsOf(file, columns, io);
}

/** `lineItem/UsageType`, `lineItemUsageType`, `line item usage type` → `line_item_usage_type`. */
export function plainName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

async function* rowsOf(file: string, columns: readonly string[], io: Io): AsyncGenerator<TableRow> {
  if (file !== '-' && (await firstBytes(file)).toString('latin1') === 'PAR1') {
    const { readParquet } = await import('./parquet.ts');
    for await (const row of readParquet(file, new Set(columns))) yield fromObject(row);
    return;
  }
  const chunks = textOfFile(file, io);
  const { value: first = '' } = await chunks.next();
  const all = joined(first, chunks);
  if (first.startsWith('PAR1')) throw usageMistake('Parquet is read from a file, not from standard input');
  if (/^\s*\[/.test(first)) yield* jsonArray(file, all);
  else if (/^\s*\{/.test(first)) yield* jsonLines(file, all);
  else yield* csvRows(file, all);
}

async function firstBytes(file: string): Promise<Buffer> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw usageMistake(`the file ${file} cannot be read (${code})`);
  }
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* csvRows(file: string, chunks: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let names: ReadonlyMap<string, number> | undefined;
  let width = 0;
  for await (const record of readCsv(chunks)) {
    if (names === undefined) {
      names = columnsOf(record);
      width = record.length;
      continue;
    }
    const columns = names;
    // A shorter record was cut, and its last cell too.
    if (record.length !== width) {
      const which = record.length > width ? 'more' : 'fewer';
      throw new Failure('usage', `${nameOf(file)}: a row has ${which} cells than there are names`);
    }
    yield { cell: (name) => record[columns.get(name) ?? -1] ?? '' };
  }
}

/** Names of tags may be equal after normalization; the first one counts. */
function columnsOf(header: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  for (const [index, name] of header.entries()) if (!columns.has(plainName(name))) columns.set(plainName(name), index);
  return columns;
}

const arrayCharactersMax = 256 * 1024 * 1024;

async function* jsonArray(file: string, chunks: AsyncIterable<string>): AsyncGenerator<TableRow> {
  const whole = await wholeText(Readable.from(bounded(file, chunks)));
  const rows = parseExact(file, whole);
  if (!Array.isArray(rows)) throw new Failure('usage', `${nameOf(file)} is no list of rows`);
  for (const row of rows) yield fromJson(file, row);
}

async function* jsonLines(file: string, chunks: AsyncIterable<string>): AsyncGenerator<TableRow> {
  for await (const line of linesOf(file, chunks)) if (line.trim() !== '') yield fromJson(file, parseExact(file, line));
}

async function* bounded(file: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > arrayCharactersMax)
      throw new Failure('usage', `${nameOf(file)}: an array this large is read as lines: one object a line`);
    yield chunk;
  }
}

/** Numbers stay as they were written. */
export function parseExact(file: string, text: string): unknown {
  try {
    return parseExactNumbers(text);
  } catch {
    throw new Failure('usage', `${nameOf(file)} contains a row that is not JSON`);
  }
}

function fromJson(file: string, row: unknown): TableRow {
  if (!isObject(row)) throw new Failure('usage', `${nameOf(file)} contains a row that is not an object`);
  return fromObject(row);
}

/** A nested field gets the outer name as prefix; lists stay JSON. */
function fromObject(row: Readonly<Record<string, unknown>>): TableRow {
  const cells = new Map<string, string>();
  const add = (under: string, object: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(object)) {
      const path = plainName(under === '' ? name : `${under}_${name}`);
      if (isObject(value) && !(value instanceof Date)) add(path, value);
      else cells.set(path, cellText(value));
    }
  };
  add('', row);
  return { cell: (name) => cells.get(name) ?? '' };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}
