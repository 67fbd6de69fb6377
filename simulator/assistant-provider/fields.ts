// Checks of fields as this vendor makes them, and its error texts. The `type` of a union becomes a step of the field's
// path.
import { type Check, FieldFault, isObject, wrongType } from '../checks.ts';
import { badRequest, type Refusal } from './refusal.ts';

/** An object whose `type` selects the check and becomes a step of the path, as in `source.base64.data`. */
export function union(variants: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    if (value.type === undefined) throw new FieldFault(`${path}.type`, { kind: 'missing' }, undefined);
    tagged(variants, value.type, path)(value, `${path}.${String(value.type)}`);
  };
}

/** The variant of this name. */
export function tagged(variants: Readonly<Record<string, Check>>, tag: unknown, path: string): Check {
  const check = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
  if (check !== undefined) return check;
  const known = Object.keys(variants)
    .sort()
    .map((name) => `'${name}'`)
    .join(', ');
  throw badRequest(
    `${vendorPath(path)}: Input tag '${String(tag)}' found using 'type' does not match any of the expected tags: ${known}`,
  );
}

/** One of these words. Every other value, of any type, gets the same error. */
export function choice(...values: readonly string[]): Check {
  return (value, path) => {
    if (typeof value === 'string' && values.includes(value)) return;
    throw new FieldFault(path, { kind: 'value', values }, value);
  };
}

/** A number from 0 to 1. */
export const share: Check = (value, path) => {
  if (typeof value !== 'number') throw wrongType(path, 'a decimal', value);
  if (value < 0 || value > 1) throw badRequest(`${vendorPath(path)}: range: 0..1`);
};

/** An object; the vendor's error text calls it a shape. */
export function shape(check: Check): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'a shape', value);
    check(value, path);
  };
}

/** Writes a path as `messages.0.content`. */
export function vendorPath(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1');
}

export function refusalOf(found: FieldFault): Refusal {
  return badRequest(`${vendorPath(found.path)}: ${wordsFor(found)}`);
}

function wordsFor({ fault }: FieldFault): string {
  switch (fault.kind) {
    case 'missing':
      return 'Field required';
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'type':
      return expectations[fault.expected] ?? 'Input does not match the expected shape.';
    case 'value':
      return `Input should be ${listed(fault.values)}`;
    case 'pattern':
      return `String should match pattern '${fault.pattern.source}'`;
    case 'below':
      return `Input should be greater than or equal to ${fault.bound}`;
    case 'above':
      return `Input should be less than or equal to ${fault.bound}`;
    case 'short':
      return fault.of === 'string'
        ? `String should have at least ${counted(fault.bound, 'character')}`
        : `List should have at least ${counted(fault.bound, 'item')} after validation, not ${fault.length}`;
    case 'long':
      return fault.of === 'string'
        ? `String should have at most ${counted(fault.bound, 'character')}`
        : `List should have at most ${counted(fault.bound, 'item')} after validation, not ${fault.length}`;
  }
}

const expectations: Readonly<Record<string, string>> = {
  'a boolean': 'Input should be a valid boolean',
  'a decimal': 'Input should be a valid number',
  'a string': 'Input should be a valid string',
  'an array of objects': 'Input should be a valid array',
  'an integer': 'Input should be a valid integer',
  'an object': 'Input should be an object',
  'one of a string or array of objects': 'Input should be a valid array',
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `'a', 'b' or 'c'` */
function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
