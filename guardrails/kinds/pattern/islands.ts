// Where a text that is read says something else than it does as written: what matches elsewhere matches in both, at the same place.
import { wholeCharacters } from '../../characters.ts';
import type { EscapeRuns, Stretch } from '../../escape-runs.ts';
import type { Expressions, Span } from './expressions.ts';
import { Search } from './search.ts';

/** Of the expressions that are searched; what stands at one unit before a match and behind it may decide. */
interface Searched {
  readonly expressions: Expressions;
  readonly window: number;
}

/** Parts of the text, each with all that matches depend on which an escape has a part in. */
export class Islands {
  readonly #text: string;
  readonly #searched: Searched;
  readonly #stretches: readonly Stretch[];

  /** @param from no match begins before */
  constructor(text: string, runs: EscapeRuns, from: number, searched: Searched) {
    this.#text = text;
    this.#searched = searched;
    const reach = searched.expressions.longest + 2;
    this.#stretches = runs.around(reach).filter((stretch) => this.#lastOf(stretch) >= from);
  }

  /** Expressions that may be found there, by their places. */
  found(): readonly number[] {
    if (this.#stretches.length === 0) return [];
    // Where two of them meet more may match, and is not found then.
    const text = this.#stretches.map(({ begin, end }) => this.#text.slice(begin, end)).join('');
    return this.#searched.expressions.foundIn(text);
  }

  /** Of one expression. */
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

  /** Where the first match may begin: a unit before it is looked at, and the characters are whole. */
  #firstOf({ begin }: Stretch): number {
    return begin === 0 ? 0 : wholeCharacters(this.#text, begin + 2);
  }

  /** Where the last match may begin: behind it there is all that it may take, and one unit more. */
  #lastOf({ end }: Stretch): number {
    return end >= this.#text.length ? this.#text.length : end - this.#searched.expressions.longest - 2;
  }
}
