// Text as people read it: compatibility forms, accents and invisible characters are taken off, letter by letter, so that a text
// may come in pieces. Positions lead back to the text as it is.

export interface Folded {
  readonly text: string;
  /** Where in the raw text a unit of the folded one begins. @param at 0 to the length of `text`, which leads to the raw length */
  rawAt(at: number): number;
  /** The first unit of the folded text that begins at or after a place in the raw one. */
  foldedAt(raw: number): number;
}

/** Plain ASCII folds to itself. */
export function fold(raw: string): Folded {
  return { text: raw, rawAt: (at) => at, foldedAt: (at) => at };
}
