// Finds the next match of one expression. RE2 takes linear time for one call; finding all matches needs a call for
// each, and each could read to the end of the text. Therefore each call gets at most twice the text that it needs,
// which keeps the total linear.
import { characterLength, wholeCharacters } from '../../characters.ts';
import type { Expressions, Span } from './expressions.ts';

export interface Searched {
  readonly raw: string;
  readonly isEnd: boolean;
  readonly window: number;
}

export class Search {
  readonly #expressions: Expressions;
  readonly #index: number;
  readonly #text: Searched;
  #found: Span | undefined;
  #isDone = false;
  /**
   * A match exists up to this position. The search length is rounded, so that this check does not run for every match.
   */
  #foundTo = 0;

  constructor(expressions: Expressions, index: number, text: Searched) {
    this.#expressions = expressions;
    this.#index = index;
    this.#text = text;
  }

  /** @param at never smaller than in earlier calls */
  next(at: number): Span | undefined {
    if (!this.#isDone && (this.#found === undefined || this.#found.start < at)) {
      this.#found = this.#text.isEnd ? this.#nextOfWhole(at) : this.#nextInWindow(at);
      this.#isDone = this.#found === undefined;
    }
    return this.#found;
  }

  /**
   * A match counts once it ends a window before the end of the text that the engine has seen, because unseen text
   * almost never extends it then.
   */
  #nextOfWhole(from: number): Span | undefined {
    const { raw, window } = this.#text;
    for (let length = 2 * window; ; length *= 2) {
      const to = this.#reach(from + length);
      const found = this.#find(from, to);
      if (to === raw.length || (found !== undefined && found.end <= to - window)) return found;
    }
  }

  /**
   * For an incomplete text: finds nothing that is longer than the window. Where a match would be, its part within the
   * window is found.
   */
  #nextInWindow(at: number): Span | undefined {
    const { raw, window } = this.#text;
    let from = at;
    while (from < raw.length) {
      const to = this.#reach(from + 2 * window);
      const found = this.#find(from, to);
      const isWhole = to === raw.length;
      if (found === undefined && isWhole) return undefined;
      if (found === undefined) from = wholeCharacters(raw, to - window + 1);
      else if (found.end - found.start <= window && (isWhole || this.#isSettled(found, to))) return found;
      else if (found.start > from) from = found.start;
      else {
        const part = this.#find(from, wholeCharacters(raw, from + window));
        if (part?.start === from) return part;
        from += characterLength(raw, from);
      }
    }
    return undefined;
  }

  /** Whether no text after `to` could change the match. */
  #isSettled({ start, end }: Span, to: number): boolean {
    const { longest } = this.#expressions;
    return longest < this.#text.window ? start + longest < to : end < to;
  }

  #reach(to: number): number {
    const { raw, window } = this.#text;
    return wholeCharacters(raw, Math.min(raw.length, Math.ceil(to / window) * window));
  }

  #find(from: number, to: number): Span | undefined {
    // RE2 looks back at most one unit. With it, RE2 also sees that the text does not begin here.
    const before = from === 0 ? 0 : 1;
    const text = this.#text.raw.slice(from - before, to);
    if (to > this.#foundTo) {
      if (!this.#expressions.foundIn(text).includes(this.#index)) return undefined;
      this.#foundTo = to;
    }
    const found = this.#expressions.find(this.#index, text, before);
    return found && { start: found.start + from - before, end: found.end + from - before };
  }
}
