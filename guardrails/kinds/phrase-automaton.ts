// Finds many phrases at once, unit by unit (Aho and Corasick, 1975). A state is the longest prefix of a phrase with
// which the text so far ends; 0 is none. No library, because a stream needs the state to decide how much text is held
// back, and the tried ones (modern-ahocorasick 3.3.0, @monyone/aho-corasick 1.1.11) do not report it, nor the positions
// of repeated blanks. With 10,000 phrases this is as fast as the faster of them.

export class PhraseAutomaton {
  /** Length of the longest phrase in units. */
  readonly longest: number;
  /** Maximum number of phrases with which a text can end at one position. */
  readonly endingsMax: number;
  readonly #trie: Trie;
  /** For each state: the next shorter state with which the same text ends. */
  readonly #shorter: Int32Array;
  /** For each state: the state itself if it is a whole phrase, otherwise the next shorter one that is. */
  readonly #phrases: Int32Array;
  /** Children of state 0 by ASCII unit, because most of the time a text is in state 0. */
  readonly #roots = new Int32Array(0x80);

  /**
   * @param phrases not empty, at most 65,535 units each
   * @param mayBegin whether a phrase may begin at a position inside another one; if not, no state begins there
   */
  constructor(phrases: Iterable<string>, mayBegin: (phrase: string, at: number) => boolean) {
    const sorted = [...new Set(phrases)].sort();
    this.longest = sorted.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#trie = trieOf(sorted);
    const { units, firstChildren, isPhrase, firstPhrases } = this.#trie;
    this.#shorter = new Int32Array(units.length);
    this.#phrases = new Int32Array(units.length);
    for (let child = 1; child < (firstChildren[1] ?? 0); child++) this.#roots[units[child] ?? 0] = child;
    const parents = parentsOf(this.#trie);
    const endings = new Uint16Array(units.length);
    for (let state = 1; state < units.length; state++) {
      const parent = parents[state] ?? 0;
      const unit = units[state] ?? 0;
      const phrase = sorted[firstPhrases[state] ?? 0] ?? '';
      let shorter = parent === 0 ? 0 : this.next(this.shorter(parent), unit) || this.first(unit);
      while (shorter !== 0 && !mayBegin(phrase, this.depth(state) - this.depth(shorter)))
        shorter = this.shorter(shorter);
      this.#shorter[state] = shorter;
      this.#phrases[state] = isPhrase[state] === 1 ? state : this.phrase(shorter);
      endings[state] = (endings[shorter] ?? 0) + (isPhrase[state] ?? 0);
    }
    this.endingsMax = endings.reduce((most, count) => Math.max(most, count), 0);
  }

  /** The next state if no phrase has begun yet. */
  first(unit: number): number {
    return unit < 0x80 ? (this.#roots[unit] ?? 0) : this.#child(0, unit);
  }

  /** The next state among those that have begun before this unit. */
  next(state: number, unit: number): number {
    for (let at = state; at !== 0; at = this.#shorter[at] ?? 0) {
      const child = this.#child(at, unit);
      if (child !== 0) return child;
    }
    return 0;
  }

  /** Length of the prefix that a state represents. */
  depth(state: number): number {
    return this.#trie.depths[state] ?? 0;
  }

  /** The longest whole phrase with which the text ends in this state, as a state; 0: none. */
  phrase(state: number): number {
    return this.#phrases[state] ?? 0;
  }

  shorter(state: number): number {
    return this.#shorter[state] ?? 0;
  }

  #child(state: number, unit: number): number {
    const { units, firstChildren } = this.#trie;
    const end = firstChildren[state + 1] ?? 0;
    let low = firstChildren[state] ?? 0;
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((units[middle] ?? 0) < unit) low = middle + 1;
      else high = middle;
    }
    return low < end && units[low] === unit ? low : 0;
  }
}

/**
 * States are numbered breadth first, so that the children of a state are consecutive and in the order of their units.
 */
interface Trie {
  /** For each state: the unit that leads to it. */
  readonly units: Uint16Array;
  readonly depths: Uint16Array;
  readonly isPhrase: Uint8Array;
  /** For each state: the index of its first child. The children end where those of the next state begin. */
  readonly firstChildren: Int32Array;
  /** For each state: the first of the phrases that start with it. */
  readonly firstPhrases: Int32Array;
}

function parentsOf({ units, firstChildren }: Trie): Int32Array {
  const parents = new Int32Array(units.length);
  for (let state = 0; state < units.length; state++)
    parents.fill(state, firstChildren[state], firstChildren[state + 1]);
  return parents;
}

/** @param phrases sorted, without duplicates */
function trieOf(phrases: readonly string[]): Trie {
  const statesMax = phrases.reduce((sum, { length }) => sum + length, 1);
  const units = new Uint16Array(statesMax);
  const depths = new Uint16Array(statesMax);
  const isPhrase = new Uint8Array(statesMax);
  const firstChildren = new Int32Array(statesMax + 1);
  const firstPhrases = new Int32Array(statesMax);
  /** For each state: the end (exclusive) of the phrases that start with it. */
  const to = new Int32Array(statesMax);
  to[0] = phrases.length;
  let states = 1;
  for (let state = 0; state < states; state++) {
    const depth = depths[state] ?? 0;
    const end = to[state] ?? 0;
    let at = firstPhrases[state] ?? 0;
    firstChildren[state] = states;
    if (phrases[at]?.length === depth) {
      isPhrase[state] = 1;
      at++;
    }
    for (; at < end; states++) {
      const unit = phrases[at]?.charCodeAt(depth) ?? 0;
      units[states] = unit;
      depths[states] = depth + 1;
      firstPhrases[states] = at;
      while (at < end && phrases[at]?.charCodeAt(depth) === unit) at++;
      to[states] = at;
    }
  }
  firstChildren[states] = states;
  return {
    units: units.slice(0, states),
    depths: depths.slice(0, states),
    isPhrase: isPhrase.slice(0, states),
    firstChildren: firstChildren.slice(0, states + 1),
    firstPhrases: firstPhrases.slice(0, states),
  };
}
