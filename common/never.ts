// The end of an exhaustive decision: a new word of a closed set is a type error where it is decided upon, and should one come all
// the same, from a table that was cast, it is refused loudly and not taken for another.

/** @param value what no case was left for; shown in the error, so a word and never a secret */
export function never(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
