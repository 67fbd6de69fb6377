// The parts of a text where decoding escapes changes the text. Matches elsewhere are the same in both texts, at the
// same position.
import { wholeCharacters } from '../../characters.ts';
import type { EscapeRuns, Stretch } from '../../escape-runs.ts';
import type { Expressions, Span } from './expressions.ts';
import { Search } from './search.ts';

/** The expressions to search. One unit before and one after a match may decide whether it matches. */
interface Searched {
  readonly expressions: Expressions;
  readonly window: number;
}

/** Parts of the text, each with everything that can affect a match that involves an escape. */
export class Islands {
  readonly #text: string;
  readonly #searched: Searched;
  readonly #stretches: readonly Stretch[];

  /** @param from no match begins before this */
  constructor(text: string, runs: EscapeRuns, from: number, searched: Searched) {
    this.#text = text;
    this.#searched = searched;
    const reach = searched.expressions.longest + 2;
    this.#stretches = runs.around(reach).filter((stretch) => this.#lastOf(stretch) >= from);
  }

  /** Indexes of the expressions that may match in these parts. */
  found(): readonly number[] {
    if (this.#stretches.length === 0) return [];
    // At the borders of the concatenated parts further expressions may seem to match; the actual search rules them out.
    const text = this.#stretches.map(({ begin, end }) => this.#text.slice(begin, end)).join('');
    return this.#searched.expressions.foundIn(text);
  }

  /** Searches with one expression. */
  search(index: number): Pick<Search, 'next'> {
    const { expressions, window } = this.#searched;
    const stretches = this.#stretches.values();
    let stretch = stretches.next();
    let search: Search | undefined;
    const next = (at: number): Span | undefined => {
      for (; !stretch.done; stretch = stretches.next(), search = undefined) {
        const { begin, end } = stretch.value;
        const [first, last] = [Math.max(at, this.#firstOf(stretch.value)), this.#lastOf(stretch.value)];
        if (first > last) continue;
        search ??= new Search(expressions, index, { raw: this.#text.slice(begin, end), isEnd: true, window });
        const found = search.next(first - begin);
        if (found !== undefined && found.start + begin <= last)
          return { start: found.start + begin, end: found.end + begin };
      }
      return undefined;
    };
    return { next };
  }

  /** The earliest begin of a match: one unit before it is context, and characters must be whole. */
  #firstOf({ begin }: Stretch): number {
    return begin === 0 ? 0 : wholeCharacters(this.#text, begin + 2);
  }

  /** The latest begin of a match: the longest match and one more unit must fit after it. */
  #lastOf({ end }: Stretch): number {
    return end >= this.#text.length ? this.#text.length : end - this.#searched.expressions.longest - 2;
  }
}
