// Reads fields of the vendors' JSON strictly. A field that differs from the vendor's documentation ends the import,
// because a wrong amount is worse than none.
import { isObject, type JsonObject } from '../../common/json.ts';
import { type Decimal, parseDecimal } from './decimal.ts';
import { broken, type VendorApi } from './vendor-api.ts';

type Of = Pick<VendorApi, 'vendor'>;

export function objects(of: Of, value: unknown, name: string): readonly JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw broken(of, `has no list "${name}"`);
}

/** Absent and null become an empty text. */
export function text(of: Of, object: JsonObject, name: string): string {
  const value = object[name] ?? '';
  if (typeof value === 'string') return value;
  throw broken(of, `has no text in "${name}"`);
}

/** Expects numbers as texts, as parseExactNumbers returns them. Absent and null become 0. */
export function count(of: Of, object: JsonObject, name: string): number {
  const value = object[name] ?? '0';
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw broken(of, `has no count in "${name}"`);
}

export function decimal(of: Of, object: JsonObject, name: string): Decimal {
  const value = object[name];
  const read = typeof value === 'string' ? parseDecimal(value) : undefined;
  if (read !== undefined) return read;
  throw broken(of, `has no amount in "${name}"`);
}

/** Omits references with an empty value: vendors send null for a value that they do not report. */
export function present<Kind extends string>(
  pairs: readonly (readonly [Kind, string])[],
): readonly (readonly [Kind, string])[] {
  return pairs.filter(([, value]) => value !== '');
}
