// The interface of guardrail kinds that inspect text locally. A matcher is synchronous, pure and linear in the length
// of the text, whatever the text contains.
import type { Folded } from './fold.ts';

/** A match, from `start` to before `end`, in UTF-16 units of the raw text. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** The type of the match, for placeholders and counts: "EMAIL", "AWS_ACCESS_KEY". `^[A-Z][A-Z0-9_]*$` */
  readonly label: string;
  /**
   * Begin of the text by which it was found, if that is before `start`. An inspection that starts after the anchor does
   * not find it.
   */
  readonly anchor?: number;
}

export interface Inspected {
  /** In the order of their starts, without overlaps, none starting before `from`. */
  readonly findings: readonly Finding[];
  /**
   * Everything that starts before this position is decided: later text cannot change it, and all matches start before
   * it. At least `from`; the length of the text if the text has ended. It is less than one window before the end of the
   * text, except for text that continues a match, such as the body of a private key after its first line.
   */
  readonly decided: number;
}

export interface Matcher {
  /**
   * Inspects `text` from `from` on. The text before is context (whether a word begins there) and is not searched again.
   * Inspecting a text in pieces gives the same result as at once: append the pieces, and pass the last `decided` as
   * `from`, or the end of the last match if that is later. `from` is 0 only at the begin of the text; later, some
   * released text is kept as context.
   * @param window while the text has not ended, no match is longer than this
   */
  inspect(text: InspectedText, from: number, window: number): Inspected;
  /**
   * Nanoseconds per character of the most expensive text. For fixed kinds it was measured once on a quiet machine; for
   * patterns it is computed from counted steps. The same on every machine, however busy. It determines how much text is
   * inspected in one step.
   */
  readonly cost: number;
  /** The same for prose; it determines where a text is inspected. Default: a tenth of the cost. */
  readonly likelyCost?: number;
}

/** Nanoseconds of one automaton step. A matcher takes several steps per character. */
export const stepNs = 20;
/**
 * Maximum of steps for 1,024 characters, about ten milliseconds. A check whose matcher may take more is refused when it
 * is saved.
 */
export const stepsPerKibMax = 512_000;
/** The same maximum as a matcher's cost. */
export const costMax = (stepsPerKibMax * stepNs) / 1024;

export interface InspectedText {
  /** Not cut inside a surrogate pair. */
  readonly raw: string;
  /** Without invisible characters, accents and widths; letter case stays. Computed once for all matchers. */
  readonly folded: Folded;
  /** Whether no text follows. */
  readonly isEnd: boolean;
  /**
   * Whether the following text is available and will be inspected, and no text is released before. Matches longer than
   * the window are not given up then, so that parts give the same result as the whole, whatever the length of the
   * matches. `decided` may stay behind by any length. Never together with isEnd.
   */
  readonly isPart?: boolean;
}
