// Reads the responses of services strictly: a misread response would pass a text, or edit the wrong location.
import { plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { NoResponseError, type Span } from './adapter.ts';

export function objectOf(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new NoResponseError(`${what} is no object`);
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NoResponseError(`${what} is no list`);
}

/** An absent list is empty. */
export function objectsIn(value: unknown, what: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  return listOf(value, what).map((item) => objectOf(item, `an item of ${what}`));
}

export function stringOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new NoResponseError(`${what} is no text`);
}

export function booleanOf(value: unknown, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new NoResponseError(`${what} is neither true nor false`);
}

export function numberOf(value: unknown, what: string): number {
  // A 64-bit integer is sent as a string.
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : plainNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw new NoResponseError(`${what} is no number`);
}

/** `pii/us_social_security_number` → `PII_US_SOCIAL_SECURITY_NUMBER`. A name without letters becomes OTHER. */
export function labelOf(name: string): string {
  const label = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^[^A-Z]+/, '')
    .slice(0, 64)
    .replace(/_$/, '');
  return label === '' ? 'OTHER' : label;
}

/** Maps positions in code points, which Python and others use, to UTF-16 units. Undefined outside the text. */
export function codePointOffsets(text: string): (codePoints: number) => number | undefined {
  if (!/[\ud800-\udfff]/.test(text)) return (at) => (at <= text.length ? at : undefined);
  const units: number[] = [];
  let at = 0;
  for (const character of text) {
    units.push(at);
    at += character.length;
  }
  units.push(at);
  return (codePoint) => units[codePoint];
}

/** @throws NoResponseError if the text has no such position */
export function spanOf(start: unknown, end: unknown, unitsAt: (codePoint: number) => number | undefined): Span {
  const [from, to] = [numberOf(start, 'a start'), numberOf(end, 'an end')];
  const [first, last] = [unitsAt(from), unitsAt(to)];
  if (first === undefined || last === undefined || last <= first)
    throw new NoResponseError('a span is outside the text');
  return { start: first, end: last };
}
