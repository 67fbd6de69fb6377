// A table per enum of the contract, with one row per name and the word for it in code. Both planes use it in both
// directions. Its type comes from the contract, so a name without a row does not compile.

/** A row for each name of an enum, except the unspecified value that every enum has. */
export type WordsFor<Name extends string> = Readonly<Record<Exclude<Name, `${string}_UNSPECIFIED`>, string>>;

export interface EnumWords<Table extends Readonly<Record<string, string>>> {
  /** The words by the contract's name. */
  readonly rows: Table;
  /** The contract's names by word. */
  readonly names: { readonly [Name in keyof Table as Table[Name]]: Name };
  /** In the order of the table. */
  readonly words: readonly Table[keyof Table][];
  /** @returns undefined for a name that this version does not have */
  wordOf(name: unknown): Table[keyof Table] | undefined;
}

/** The closed set of words of a table. */
export type WordOf<Words> = Words extends EnumWords<infer Table> ? Table[keyof Table] : never;

/** The rows of a table. */
export type TableOf<Words> = Words extends EnumWords<infer Table> ? Table : never;

/** @param table with `as const satisfies WordsFor<…>`, so that a missing row is a type error */
export function enumWords<const Table extends Readonly<Record<string, string>>>(table: Table): EnumWords<Table> {
  const names = Object.keys(table) as readonly (keyof Table & string)[];
  const words = new Map<unknown, Table[keyof Table]>(names.map((name) => [name, table[name]]));
  return {
    rows: table,
    names: Object.fromEntries(names.map((name) => [table[name], name])) as EnumWords<Table>['names'],
    words: [...words.values()],
    wordOf: (name) => words.get(name),
  };
}
