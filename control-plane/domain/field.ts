// Reading one field of a request: a value, or what is wrong with it. Pure; rpc/checked.ts gathers many of them.

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

/** What is wrong with a part of a field. @param path of the part, such as ".globs[2]" */
export function problemsAt(path: string, part: Field<unknown>): readonly Problem[] {
  return 'problems' in part ? part.problems.map((one) => ({ ...one, at: `${path}${one.at}` })) : [];
}

/** Each of a list, in its order; what is wrong is told of every one, at "[2]". */
export function each<Written, T>(
  read: (one: Written) => Field<T>,
  list: readonly Written[],
): Field<readonly T[]> {
  const fields = list.map((one) => read(one));
  const problems = fields.flatMap((field, index) => problemsAt(`[${index}]`, field));
  return problems.length > 0
    ? { problems }
    : valid(fields.flatMap((field) => ('value' in field ? [field.value] : [])));
}

type Values<Fields extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never;
};

/** The values of all, or what is wrong with each. @param fields by their path, such as ".kind" */
export function all<const Fields extends Readonly<Record<string, Field<unknown>>>>(
  fields: Fields,
): Field<Values<Fields>> {
  const problems: Problem[] = [];
  const values: Record<string, unknown> = {};
  for (const [path, field] of Object.entries(fields)) {
    if ('value' in field) values[path] = field.value;
    else problems.push(...problemsAt(path, field));
  }
  return problems.length > 0 ? { problems } : valid(values as Values<Fields>);
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
