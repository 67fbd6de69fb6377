// What finds things in text: the interface of the kinds that look at text alone. Synchronous and pure; linear in the text,
// whatever stands in it.
import type { Folded } from './fold.ts';

/** From `start` to before `end`, in UTF-16 units of the text as it is. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** What it is, for placeholders and counts: "EMAIL", "AWS_ACCESS_KEY". `^[A-Z][A-Z0-9_]*$` */
  readonly label: string;
  /** Where that begins by which it was found, where that is before it: whoever inspects from a later place does not find it. */
  readonly anchor?: number;
}

export interface Inspected {
  /** In the order of their starts, none overlapping another, none starting before `from`. */
  readonly findings: readonly Finding[];
  /**
   * What starts before this is decided: no text that follows changes it, and all findings start before it. At least `from`; the
   * length of the text where it has ended. It is less than the window behind the end of the text but for what goes on behind
   * a finding: the body of a private key behind its first line.
   */
  readonly decided: number;
}

export interface Matcher {
  /**
   * Inspects `text` from `from` on; what stands before it is context (whether a word begins there) and is not found again.
   * To inspect a text in pieces gives what it gives at once: pieces are appended, and `from` is the last `decided`, or the end of
   * the last finding where that is later. It is 0 only where the text begins: of what has left something is kept as context.
   * @param window no finding is longer than this where the text has not ended
   */
  inspect(text: InspectedText, from: number, window: number): Inspected;
  /**
   * Nanoseconds for a character of the text that costs it most: of fixed kinds as measured once on a quiet machine, of patterns by
   * counted steps. The same on every machine, however busy it is. How much of a text is inspected in one go goes by it.
   */
  readonly cost: number;
  /** The same for prose: where a text is inspected goes by it. Default: a tenth of the cost. */
  readonly likelyCost?: number;
}

/** What a matcher does with one character of text in its automaton takes some steps, of so many nanoseconds each. */
export const stepNs = 20;
/** Steps for 1,024 characters of text: a check whose matcher may take more is refused when it is written. About ten milliseconds. */
export const stepsPerKibMax = 512_000;
/** The same as a matcher's cost. */
export const costMax = (stepsPerKibMax * stepNs) / 1024;

export interface InspectedText {
  /** Not cut within a surrogate pair. */
  readonly raw: string;
  /** Without invisible characters, accents and widths; letter case as it is. Computed once for all matchers. */
  readonly folded: Folded;
  /** Nothing follows. */
  readonly isEnd: boolean;
  /**
   * What follows is there and will be inspected, and none of the text leaves before: nothing is given up where it is longer than the
   * window, so that a text in such parts gives what the whole gives, whatever its findings' length. `decided` may stay behind by any
   * length then. Never with isEnd.
   */
  readonly isPart?: boolean;
}
