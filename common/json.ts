// JSON from the outside: parsed without throwing, and told apart by shape.
import { ExactNumber } from './exact-number.ts';
import { hasEscapedName, readNamesAsWritten } from './json-names.ts';

export type JsonObject = { [name: string]: unknown };

/** Undefined where the text is no JSON: its content must not get into an error's message. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasEscapedName(text) ? readNamesAsWritten(text) : value;
  } catch {
    return undefined;
  }
}

/** The objects of a list; none where it is no list. */
export function objectsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether one of the objects of a list is so; false where it is no list. */
export function someObject(list: unknown, isSo: (one: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((one: unknown) => isObject(one) && isSo(one));
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
