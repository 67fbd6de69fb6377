// JSON from the outside: parsed without throwing, and told apart by shape.
import { ExactNumber } from './exact-number.ts';

export type JsonObject = { [name: string]: unknown };

/** Undefined where the text is no JSON: its content must not get into an error's message. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
