// Reading one field of a request: a value, or what is wrong with it. Pure; services/checked.ts gathers many of them.

/** `at` is the path below the field, such as ".globs[2]" or "". */
export interface Problem {
  readonly at: string;
  readonly description: string;
}

export type Field<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

export function valid<T>(value: T): Field<T> {
  return { value };
}

export function invalid(description: string, at = ''): { readonly problems: readonly Problem[] } {
  return { problems: [{ at, description }] };
}

export function isValid(field: Field<unknown>): boolean {
  return 'value' in field;
}

/** Absent is undefined; proto-loader gives null for an absent message. */
export function optional<Text, T>(
  read: (text: Text) => Field<T>,
  text: Text | null | undefined,
): Field<T | undefined> {
  return text === undefined || text === null ? valid(undefined) : read(text);
}

/** "" clears what is there: null. */
export function clearable<T>(
  read: (text: string) => Field<T>,
  text: string | undefined,
): Field<T | null | undefined> {
  return text === '' ? valid(null) : optional(read, text);
}
