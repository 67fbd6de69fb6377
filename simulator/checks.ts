// Checks of a JSON value against a vendor's schema. A check returns or throws a FieldFault; the vendor's folder turns
// it into the vendor's error text.

/** The kinds of error of a field. Bounds are inclusive. */
export type Fault =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'type'; readonly expected: string }
  | { readonly kind: 'value'; readonly values: readonly string[] }
  | { readonly kind: 'pattern'; readonly pattern: RegExp }
  | { readonly kind: 'below' | 'above'; readonly number: 'integer' | 'decimal'; readonly bound: number }
  | {
      readonly kind: 'short' | 'long';
      readonly of: 'string' | 'array';
      readonly bound: number;
      readonly length: number;
    };

export class FieldFault extends Error {
  /** A path such as `messages[0].content`; empty for the whole body. */
  readonly path: string;
  readonly fault: Fault;
  readonly value: unknown;

  constructor(path: string, fault: Fault, value: unknown) {
    super(`${path}: ${fault.kind}`);
    this.name = 'FieldFault';
    this.path = path;
    this.fault = fault;
    this.value = value;
  }
}

export type Check = (value: unknown, path: string) => void;
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const anything: Check = () => {};

export const boolean: Check = (value, path) => {
  if (typeof value !== 'boolean') throw wrongType(path, 'a boolean', value);
};

export const anyObject: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
};

export function nullable(check: Check): Check {
  return (value, path) => {
    if (value !== null) check(value, path);
  };
}

export function string(limits: { min?: number; max?: number; pattern?: RegExp } = {}): Check {
  return (value, path) => {
    if (typeof value !== 'string') throw wrongType(path, 'a string', value);
    const { min = 0, max = Infinity, pattern } = limits;
    checkLength(value, path, { of: 'string', min, max });
    if (pattern && !pattern.test(value)) throw new FieldFault(path, { kind: 'pattern', pattern }, value);
  };
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) throw wrongType(path, 'an integer', value);
    inRange(value as number, path, { number: 'integer', min, max });
  };
}

export function decimal(min: number, max: number): Check {
  return (value, path) => {
    if (typeof value !== 'number') throw wrongType(path, 'a decimal', value);
    inRange(value, path, { number: 'decimal', min, max });
  };
}

export function oneOf(...values: readonly string[]): Check {
  return (value, path) => {
    if (typeof value !== 'string') throw wrongType(path, `one of ${listed(values)}`, value);
    if (!values.includes(value)) throw new FieldFault(path, { kind: 'value', values }, value);
  };
}

export function arrayOf(check: Check, limits: { min?: number; max?: number } = {}): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrongType(path, 'an array of objects', value);
    const { min = 0, max = Infinity } = limits;
    checkLength(value, path, { of: 'array', min, max });
    value.forEach((item, index) => void check(item, `${path}[${index}]`));
  };
}

/** A string, or an array that passes the check. */
export function stringOr(array: Check): Check {
  return (value, path) => {
    if (typeof value === 'string') return;
    if (!Array.isArray(value)) throw wrongType(path, 'one of a string or array of objects', value);
    array(value, path);
  };
}

/**
 * An object with exactly these fields. Required fields are checked first, so a missing one is reported before other
 * errors.
 */
export function object(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    const at = (key: string) => (path === '' ? key : `${path}.${key}`);
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(required, key) || Object.hasOwn(optional, key)) continue;
      throw new FieldFault(at(key), { kind: 'unknown' }, value[key]);
    }
    for (const [key, check] of Object.entries(required)) {
      if (!Object.hasOwn(value, key)) {
        throw new FieldFault(at(key), { kind: 'missing' }, undefined);
      }
      check(value[key], at(key));
    }
    for (const [key, check] of Object.entries(optional)) {
      if (Object.hasOwn(value, key)) check(value[key], at(key));
    }
  };
}

/** Some checks of a table, for a service that accepts fewer parameters than another. */
export function picked<Name extends string>(
  checks: Readonly<Record<Name, Check>>,
  names: readonly Name[],
): Readonly<Record<string, Check>> {
  return Object.fromEntries(names.map((name) => [name, checks[name]]));
}

/** An object whose field `tag` selects the check. */
export function tagged(tag: string, variants: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    const field = `${path}.${tag}`;
    const name = value[tag];
    if (name === undefined) throw new FieldFault(field, { kind: 'missing' }, undefined);
    oneOf(...Object.keys(variants))(name, field);
    variants[name as string]?.(value, path);
  };
}

export function wrongType(path: string, expected: string, value: unknown): FieldFault {
  return new FieldFault(path, { kind: 'type', expected }, value);
}

function checkLength(
  value: string | readonly unknown[],
  path: string,
  { of, min, max }: { of: 'string' | 'array'; min: number; max: number },
): void {
  const { length } = value;
  if (length < min) throw new FieldFault(path, { kind: 'short', of, bound: min, length }, value);
  if (length > max) throw new FieldFault(path, { kind: 'long', of, bound: max, length }, value);
}

function inRange(
  value: number,
  path: string,
  { number, min, max }: { number: 'integer' | 'decimal'; min: number; max: number },
): void {
  if (value < min) throw new FieldFault(path, { kind: 'below', number, bound: min }, value);
  if (value > max) throw new FieldFault(path, { kind: 'above', number, bound: max }, value);
}

/** Such as `'a', 'b', or 'c'`. */
export function listed(values: readonly string[], word: 'and' | 'or' = 'or'): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(` ${word} `);
  return `${quoted.slice(0, -1).join(', ')}, ${word} ${quoted.at(-1)}`;
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a decimal number';
    case 'object':
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}
