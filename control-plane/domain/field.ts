// Reads one field of a request: the result is a value or the problems with it. Pure; rpc/checked.ts collects many
// fields.

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

/** The problems of a part of a field. @param path of the part, such as ".globs[2]" */
export function problemsAt(path: string, part: Field<unknown>): readonly Problem[] {
  return 'problems' in part ? part.problems.map((one) => ({ ...one, at: `${path}${one.at}` })) : [];
}

/** Reads every item of a list in order. It reports the problems of every item, at "[2]". */
export function each<Written, T>(read: (one: Written) => Field<T>, list: readonly Written[]): Field<readonly T[]> {
  const fields = list.map((one) => read(one));
  const problems = fields.flatMap((field, index) => problemsAt(`[${index}]`, field));
  return problems.length > 0 ? { problems } : valid(fields.flatMap((field) => ('value' in field ? [field.value] : [])));
}

type Values<Fields extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never;
};

/** The values of all fields, or the problems of each. @param fields by their path, such as ".kind" */
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

/** An absent field is undefined; proto-loader returns null for an absent message. */
export function optional<Text, T>(read: (text: Text) => Field<T>, text: Text | null | undefined): Field<T | undefined> {
  return text === undefined || text === null ? valid(undefined) : read(text);
}

/** "" clears the present value: the result is null. */
export function clearable<T>(read: (text: string) => Field<T>, text: string | undefined): Field<T | null | undefined> {
  return text === '' ? valid(null) : optional(read, text);
}
