// Checks of a JSON value against what the vendor's schema takes, refusing in its words. A check returns or throws a Refusal.
import { badField } from './refusal.ts';

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
    if (value.length < min) {
      const message = `Invalid '${path}': empty string. Expected a string with minimum length ${min}, but got an empty string instead.`;
      throw badField(path, message, 'empty_string');
    }
    if (value.length > max) {
      const message = `Invalid '${path}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`;
      throw badField(path, message, 'string_above_max_length');
    }
    if (pattern && !pattern.test(value)) {
      const message = `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`;
      throw badField(path, message, 'invalid_value');
    }
  };
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) throw wrongType(path, 'an integer', value);
    inRange(value as number, path, { kind: 'integer', min, max });
  };
}

export function decimal(min: number, max: number): Check {
  return (value, path) => {
    if (typeof value !== 'number') throw wrongType(path, 'a decimal', value);
    inRange(value, path, { kind: 'decimal', min, max });
  };
}

export function oneOf(...values: readonly string[]): Check {
  return (value, path) => {
    if (typeof value !== 'string') throw wrongType(path, `one of ${listed(values, 'or')}`, value);
    if (!values.includes(value)) throw unsupportedValue(path, value, values);
  };
}

export function arrayOf(check: Check, limits: { min?: number; max?: number } = {}): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrongType(path, 'an array of objects', value);
    const { min = 0, max = Infinity } = limits;
    if (value.length < min) {
      const message = `Invalid '${path}': empty array. Expected an array with minimum length ${min}, but got an empty array instead.`;
      throw badField(path, message, 'empty_array');
    }
    if (value.length > max) {
      const message = `Invalid '${path}': array too long. Expected an array with maximum length ${max}, but got an array with length ${value.length} instead.`;
      throw badField(path, message, 'array_above_max_length');
    }
    value.forEach((item, index) => void check(item, `${path}[${index}]`));
  };
}

/** A string, or an array as the check wants it. */
export function stringOr(array: Check): Check {
  return (value, path) => {
    if (typeof value === 'string') return;
    if (!Array.isArray(value)) throw wrongType(path, 'one of a string or array of objects', value);
    array(value, path);
  };
}

/** Exactly these fields; the required ones first, so that their absence is told before what is wrong with others. */
export function object(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    const at = (key: string) => (path === '' ? key : `${path}.${key}`);
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(required, key) || Object.hasOwn(optional, key)) continue;
      throw badField(at(key), `Unknown parameter: '${at(key)}'.`, 'unknown_parameter');
    }
    for (const [key, check] of Object.entries(required)) {
      if (!Object.hasOwn(value, key)) {
        throw badField(at(key), `Missing required parameter: '${at(key)}'.`, 'missing_required_parameter');
      }
      check(value[key], at(key));
    }
    for (const [key, check] of Object.entries(optional)) {
      if (Object.hasOwn(value, key)) check(value[key], at(key));
    }
  };
}

/** An object whose field `tag` names which check applies. */
export function tagged(tag: string, variants: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    const field = `${path}.${tag}`;
    const name = value[tag];
    if (name === undefined) {
      throw badField(field, `Missing required parameter: '${field}'.`, 'missing_required_parameter');
    }
    oneOf(...Object.keys(variants))(name, field);
    variants[name as string]?.(value, path);
  };
}

export function wrongType(path: string, expected: string, value: unknown) {
  const message = `Invalid type for '${path}': expected ${expected}, but got ${kindOf(value)} instead.`;
  return badField(path, message, 'invalid_type');
}

export function unsupportedValue(path: string, value: string, values: readonly string[]) {
  const message = `Invalid value: '${value}'. Supported values are: ${listed(values, 'and')}.`;
  return badField(path, message, 'invalid_value');
}

function inRange(
  value: number,
  path: string,
  range: { kind: 'integer' | 'decimal'; min: number; max: number },
): void {
  const { kind, min, max } = range;
  if (value < min) {
    const message = `Invalid '${path}': ${kind} below minimum value. Expected a value >= ${min}, but got ${value} instead.`;
    throw badField(path, message, `${kind}_below_min_value`);
  }
  if (value > max) {
    const message = `Invalid '${path}': ${kind} above maximum value. Expected a value <= ${max}, but got ${value} instead.`;
    throw badField(path, message, `${kind}_above_max_value`);
  }
}

function listed(values: readonly string[], word: 'and' | 'or'): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(` ${word} `);
  return `${quoted.slice(0, -1).join(', ')}, ${word} ${quoted.at(-1)}`;
}

function kindOf(value: unknown): string {
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
