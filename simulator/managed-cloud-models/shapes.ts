// Checks of values that the vendor's API model has and JSON lacks: unions, blobs, free documents.
import { type Check, FieldFault, isObject, string, wrongType } from '../checks.ts';
import { servicePath } from './faults.ts';
import { invalid, unreadable } from './refusal.ts';

/** An object with exactly one of these members. */
export function union(name: string, members: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value)) throw wrongType(path, 'an object', value);
    const keys = Object.keys(value);
    const known = keys.filter((key) => Object.hasOwn(members, key));
    const [key, ...more] = known;
    if (key === undefined || more.length > 0) {
      const names = Object.keys(members).join(', ');
      throw invalid(`The ${name} object at ${servicePath(path)} must set one of the following keys: ${names}.`);
    }
    const stray = keys.find((one) => one !== key);
    if (stray !== undefined) throw new FieldFault(`${path}.${stray}`, { kind: 'unknown' }, value[stray]);
    members[key]?.(value[key], `${path}.${key}`);
  };
}

/** Any JSON object, such as a schema or the input of a tool. */
export const jsonObject: Check = (value, path) => {
  if (isObject(value)) return;
  throw invalid(
    `The format of the value at ${servicePath(path)} is invalid. Provide a json object for the field and try again.`,
  );
};

/** Base64 with padding. */
export const blob: Check = (value, path) => {
  string({ min: 1 })(value, path);
  const text = value as string;
  // Searches for a wrong character: unlike a match of megabytes, that search needs no backtracking state.
  if (text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/(?<=[^=])={1,2}$/, ''))) return;
  throw unreadable('Unable to decode a value as base64');
};

/**
 * Removes members that are null, because the vendor ignores them. Free documents are unchanged.
 * @returns a copy
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([key, member]) => [key, freeDocuments.has(key) ? member : withoutNulls(member)]);
  return Object.fromEntries(entries);
}

const freeDocuments: ReadonlySet<string> = new Set(['json', 'input', 'additionalModelRequestFields']);
