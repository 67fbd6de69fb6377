// What a form of secret is: a literal that every one of them holds, and expressions around it. All expressions are anchored at a
// place (sticky), and each of their parts ends where the next begins, so that none reads a text twice: linear by construction.

export interface Form {
  readonly label: string;
  /** Text that stands in every secret of the form, in this case; what is looked for first. */
  readonly anchors: readonly string[];
  /** What stands directly before the anchor and belongs to it; at most 16 characters. Absent: no letter or digit stands there. */
  readonly before?: Before;
  /** From the beginning on. A group `secret`, where there is one, is what is found. Sticky, with indices. */
  readonly expression: RegExp;
  /** Matches from the beginning to the end of a text that goes on, if what follows may decide. Sticky. */
  readonly open: RegExp;
  /** Of a form that can be longer than a window: what of it is found by itself then. Sticky, with indices. */
  readonly lead?: RegExp;
  /** What the expression cannot say: checksums, and whether it looks like chance. */
  verify?(secret: string): boolean;
}

export interface Before {
  /** Ends with `$`: held against what stands before an anchor. */
  readonly expression: RegExp;
  /** Ends with `$`: the end of a text that goes on may be what stands before an anchor, or that and some of the anchor. */
  readonly open: RegExp;
}

/** The longest token without a form of its own; above those of all vendors, below a window. */
export const tokenMax = 400;

interface Token {
  readonly label: string;
  readonly anchors: readonly string[];
  /** As in brackets of a regular expression; one of them behind it, and it is none. */
  readonly characters: string;
  /** Characters that stand within it only. */
  readonly inner?: string;
  /** What follows the anchor, as an expression over the characters. */
  readonly rest: string;
  verify?(secret: string): boolean;
}

/** A token of one set of characters: it ends where another begins, and is open until then. */
export function token({ label, anchors, characters, inner = '', rest, verify }: Token): Form {
  const anchor = `(?:${anchors.map((text) => RegExp.escape(text)).join('|')})`;
  return {
    label,
    anchors,
    expression: new RegExp(`${anchor}${rest}(?![${characters}])`, 'dy'),
    open: new RegExp(`${anchor}[${inner}${characters}]{0,${tokenMax}}$`, 'y'),
    ...(verify && { verify }),
  };
}
