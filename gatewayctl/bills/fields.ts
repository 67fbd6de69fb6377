// Fields of the vendors' JSON, read strictly: what has another form than the vendor's page says ends the import, because a figure that is
// read wrongly is worse than none.
import { isObject, type JsonObject } from '../../common/json.ts';
import { type Decimal, parseDecimal } from './decimal.ts';
import { broken, type VendorApi } from './vendor-api.ts';

type Of = Pick<VendorApi, 'vendor'>;

export function objects(of: Of, value: unknown, name: string): readonly JsonObject[] {
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw broken(of, `has no list "${name}"`);
}

/** Absent and null are empty. */
export function text(of: Of, object: JsonObject, name: string): string {
  const value = object[name] ?? '';
  if (typeof value === 'string') return value;
  throw broken(of, `has no text in "${name}"`);
}

/** Numbers come as they were written. Absent and null are nothing. */
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

/** References that are there: vendors give null where they do not tell. */
export function present<Kind extends string>(
  pairs: readonly (readonly [Kind, string])[],
): readonly (readonly [Kind, string])[] {
  return pairs.filter(([, value]) => value !== '');
}
