// Formats responses for people: aligned columns, or one field per line. Text from a server is shown without control
// characters, because a name must not move the cursor.
import { isObject } from '../common/json.ts';
import type { ModelMatch__Output } from '../proto/generated/gateway/v1/ModelMatch.ts';
import { enumNames, enumWord, type FieldType, fieldsOf, isMessage } from '../proto/json/contract.ts';
import { fieldWords } from './enum-names.ts';
import { fieldAt, getField } from './request.ts';
import { groupText } from './route-targets.ts';

const nothing = '-';
const gap = '  ';

/**
 * @param type type of the rows, a message of the contract
 * @param columns paths by header; "?path" is omitted if no row has it
 */
export function renderTable(type: string, columns: Readonly<Record<string, string>>, rows: readonly object[]): string {
  const shown = Object.entries(columns).flatMap(([header, path]) => {
    const plain = path.replace('?', '');
    const field = fieldAt(type, plain);
    const cells = rows.map((row) => cell(field, getField(row, plain)));
    if (path.startsWith('?') && cells.every((text) => text === nothing)) return [];
    return [{ cells: [header, ...cells], right: isNumber(field, plain) }];
  });
  const widths = shown.map(({ cells }) => Math.max(...cells.map((text) => text.length)));
  const lines = [...Array(rows.length + 1).keys()].map((line) =>
    shown
      .map(({ cells, right }, column) => pad(cells[line] ?? '', widths[column] ?? 0, right))
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** One line for each field that has a value. */
export function renderFields(type: string, value: object): string {
  const lines = fieldLines(type, value, '');
  const width = Math.max(0, ...lines.map(([label]) => label.length));
  return lines.map(([label, text]) => `${label.padEnd(width)}${gap}${text}\n`).join('');
}

function fieldLines(type: string, value: object, under: string): (readonly [string, string])[] {
  return shownFields(type, value).flatMap(([name, field]) => {
    const item = getField(value, name);
    if (item === undefined || item === null) return [];
    const path = under === '' ? name : `${under}.${name}`;
    if (field.type === 'ModelMatch' && field.rule === 'repeated' && Array.isArray(item))
      return item.map((one: object) => [fieldWords(under), renderMatch(one)] as const);
    if (field.type === 'ModelMatch' && isObject(item)) return [[fieldWords(path), renderMatch(item)] as const];
    if (field.type === 'RouteGroup' && Array.isArray(item))
      return item.map((one: object, index) => [`group ${index + 1}`, printable(groupText(one))] as const);
    if (isMessage(field.type) && field.rule !== 'repeated' && field.keyType === undefined && isObject(item))
      return fieldLines(field.type, item, path);
    return [[fieldWords(path), cell(field, item)] as const];
  });
}

/**
 * Shows the status in place of `active`, which is part of it: "active yes" for a revoked key would look like a
 * contradiction. Servers of earlier versions send no status.
 */
function shownFields(type: string, value: object): readonly (readonly [string, FieldType])[] {
  const { status, ...others } = fieldsOf(type);
  if (status === undefined || others.active === undefined || /_UNSPECIFIED$|^$/.test(statusOf(value)))
    return Object.entries(fieldsOf(type));
  return Object.entries(others).map((entry) => (entry[0] === 'active' ? ['status', status] : entry));
}

function statusOf(value: object): string {
  return String(getField(value, 'status') ?? '');
}

/** @param match a ModelMatch of the contract */
export function renderMatch(match: object): string {
  const {
    selector = '',
    matched = 0,
    known = 0,
    models = [],
    open = false,
    nearest = [],
  } = match as Partial<ModelMatch__Output>;
  return printable(matchText({ selector, matched, known, models, open, nearest }));
}

function cell(field: FieldType, value: unknown): string {
  if (value === undefined || value === null || value === '') return nothing;
  if (Array.isArray(value) && field.type === 'RouteGroup') return printable(value.map(groupText).join('; then '));
  if (Array.isArray(value)) return value.length === 0 ? nothing : value.map((one) => item(field, one)).join(', ');
  if (field.keyType !== undefined && isObject(value)) return pairs(Object.entries(value)) || nothing;
  return item(field, value);
}

function item({ type }: FieldType, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (enumNames(type) !== undefined) return enumWord(type, String(value));
  if (isMessage(type) && isObject(value)) {
    const fields = Object.entries(fieldsOf(type)).filter(([name]) => value[name] !== undefined && value[name] !== null);
    return fields.map(([name, field]) => cell(field, value[name])).join(' ');
  }
  return printable(String(value));
}

/** Quotes a value that could be read as the next pair. */
function pairs(entries: readonly (readonly [string, unknown])[]): string {
  return entries
    .map(([name, value]) => {
      const text = String(value);
      return printable(`${name}=${/^[^\s,="]+$/.test(text) ? text : JSON.stringify(text)}`);
    })
    .join(' ');
}

export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

function isNumber({ type }: FieldType, path: string): boolean {
  return /^u?int|^double/.test(type) || /Usd$/.test(path);
}

function pad(text: string, width: number, right: boolean): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

/** As many names as fit on a line. */
const namesMax = 6;

/**
 * "<selector> selects 3 of 444 models: …", on one line. Without control characters a selector can be copied as a user
 * would type it.
 */
function matchText({ selector, matched, known, models, open, nearest }: ModelMatch__Output): string {
  const reported = models.slice(0, namesMax);
  const more = matched - reported.length;
  const names = reported.length === 0 ? '' : `: ${reported.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const near = nearest.length === 0 ? '' : `; the nearest: ${nearest.join(', ')}`;
  const unlisted = open ? '; and names that cannot be listed' : '';
  return `${selector} selects ${matched} of ${known} models${names}${near}${unlisted}`;
}
