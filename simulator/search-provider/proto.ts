// JSON as the vendor's protocol buffers accept it. Each message is a table of fields, and is read into its normal form.
// Names are in lowerCamelCase or snake_case, null is absent, numbers may be text, enum names may have any case, and a
// single value counts as a list of one.
import { FieldFault, isObject, type Json, wrongType } from '../checks.ts';
import { invalidArgument } from './refusal.ts';

/**
 * Reads a value into its normal form.
 * @param path as the vendor names it, in snake_case; empty for the whole body
 * @throws FieldFault of kind `unknown`, with the message's path and the unknown name as value; or of kind `type`, which
 *   expects the name of a proto type
 */
export type Reader<T> = (value: unknown, path: string) => T;

type Fields = Readonly<Record<string, Reader<unknown>>>;

export type Message<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Reader<infer T> ? T : never;
};

/** @param oneof a named group of fields; a message has at most one of them */
export function message<F extends Fields>(
  type: string,
  fields: F,
  oneof?: { readonly name: string; readonly of: readonly (keyof F & string)[] },
): Reader<Message<F>> {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, type, value);
    const read: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const name = key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      const reader = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (reader === undefined) throw new FieldFault(path, { kind: 'unknown' }, key);
      if (item === null) continue;
      if (oneof?.of.includes(name) && oneof.of.some((other) => other !== name && other in read)) {
        const what = `oneof field '${oneof.name}' is already set. Cannot set '${snakeCase(name)}'`;
        throw invalidArgument(`Invalid value at '${path}' (oneof), ${what}`, path);
      }
      read[name] = reader(item, join(path, snakeCase(name)));
    }
    // Each field was read by the table from which the type is derived.
    return read as Message<F>;
  };
}

export function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path) =>
    Array.isArray(value) ? value.map((item, index) => reader(item, `${path}[${index}]`)) : [reader(value, path)];
}

export function mapOf<T>(reader: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'Map', value);
    const entries = Object.entries(value).map(
      ([key, item], index) => [key, reader(item, `${path}[${index}].value`)] as const,
    );
    return Object.fromEntries(entries);
  };
}

/** @param names in the order of their numbers, from 0: a number means the name at its index */
export function enumeration<const N extends string>(type: string, names: readonly N[]): Reader<N> {
  return (value, path) => {
    const wanted = typeof value === 'string' ? value.toUpperCase().replaceAll('-', '_') : undefined;
    const found = typeof value === 'number' ? names[value] : names.find((name) => name === wanted);
    if (found === undefined) throw wrongType(path, type, value);
    return found;
  };
}

export const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw wrongType(path, 'TYPE_STRING', value);
  return value;
};

export const flag: Reader<boolean> = (value, path) => {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw wrongType(path, 'TYPE_BOOL', value);
};

export const float: Reader<number> = (value, path) => {
  const number = numberIn(value);
  if (number === undefined) throw wrongType(path, 'TYPE_FLOAT', value);
  return number;
};

export const int32 = integer('TYPE_INT32', 2 ** 31);
export const int64 = integer('TYPE_INT64', 2 ** 63);

/** Base64 in either alphabet, padded or not; returned as received. */
export const bytes: Reader<string> = (value, path) => {
  const isBase64 = typeof value === 'string' && /^([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(value);
  if (!isBase64 || value.replace(/=+$/, '').length % 4 === 1) throw wrongType(path, 'TYPE_BYTES', value);
  return value;
};

export const struct: Reader<Json> = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'google.protobuf.Struct', value);
  return value;
};

export const anyValue: Reader<unknown> = (value) => value;

/** The name in the proto file: `maxOutputTokens` is `max_output_tokens`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function integer(type: string, limit: number): Reader<number> {
  return (value, path) => {
    const number = numberIn(value);
    if (number === undefined || !Number.isInteger(number) || number < -limit || number >= limit) {
      throw wrongType(path, type, value);
    }
    return number;
  };
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return undefined;
  return Number(value);
}
