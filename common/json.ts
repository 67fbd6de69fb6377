// JSON from outside: parsed without throwing, and classified by shape.
import { ExactNumber } from './exact-number.ts';
import { hasEscapedName, readNamesAsWritten } from './json-names.ts';

export type JsonObject = { [name: string]: unknown };

/** Undefined if the text is not JSON. It does not throw, because an error message must not contain the text. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasEscapedName(text) ? readNamesAsWritten(text) : value;
  } catch {
    return undefined;
  }
}

/** The objects of a list; empty if the value is not a list. */
export function objectsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether an object of a list satisfies the condition; false if the value is not a list. */
export function someObject(list: unknown, isSo: (one: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((one: unknown) => isObject(one) && isSo(one));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
