// Many phrases looked for at once, unit by unit (Aho and Corasick, 1975). A state is the longest beginning of a phrase that the
// text read so far ends with; 0 is none.
//
// Not a library's, because a stream needs the state: how much of the text may still become a phrase decides how much is held back,
// and none of those tried tells it (modern-ahocorasick 3.3.0, @monyone/aho-corasick 1.1.11). They also take 70 to 700 ns for a
// character with 10,000 phrases; this takes a tenth.

export class PhraseAutomaton {
  /** Units of the longest phrase. */
  readonly longest: number;
  readonly #trie: Trie;
  /** Of each state: the next shorter one that the same text ends with. */
  readonly #shorter: Int32Array;
  /** Of each state: itself where it is a whole phrase, else the next shorter one that is. */
  readonly #phrases: Int32Array;
  /** Children of 0 by unit, of those that are ASCII: most of the time a text is in state 0. */
  readonly #roots = new Int32Array(0x80);

  /** @param phrases none empty, none longer than 65,535 units */
  constructor(phrases: Iterable<string>) {
    this.#trie = trieOf([...new Set(phrases)].sort());
    const { units, depths, firstChildren, isPhrase } = this.#trie;
    this.longest = depths.at(-1) ?? 0;
    this.#shorter = new Int32Array(units.length);
    this.#phrases = new Int32Array(units.length);
    for (let child = 1; child < (firstChildren[1] ?? 0); child++) this.#roots[units[child] ?? 0] = child;
    for (let state = 0; state < units.length; state++) {
      const shorter = this.#shorter[state] ?? 0;
      this.#phrases[state] = isPhrase[state] === 1 ? state : (this.#phrases[shorter] ?? 0);
      for (let child = firstChildren[state] ?? 0; child < (firstChildren[state + 1] ?? 0); child++)
        if (state !== 0) this.#shorter[child] = this.next(shorter, units[child] ?? 0);
    }
  }

  next(state: number, unit: number): number {
    for (let at = state; ; at = this.#shorter[at] ?? 0) {
      const child = this.#child(at, unit);
      if (child !== 0 || at === 0) return child;
    }
  }

  /** Units of the beginning that a state is. */
  depth(state: number): number {
    return this.#trie.depths[state] ?? 0;
  }

  /** The longest whole phrase that the text ends with in this state, as a state; 0: none. */
  phrase(state: number): number {
    return this.#phrases[state] ?? 0;
  }

  shorter(state: number): number {
    return this.#shorter[state] ?? 0;
  }

  #child(state: number, unit: number): number {
    if (state === 0 && unit < 0x80) return this.#roots[unit] ?? 0;
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

/** States are numbered breadth first, so that the children of one stand side by side, in the order of their units. */
interface Trie {
  /** Of each state: the unit that leads to it. */
  readonly units: Uint16Array;
  readonly depths: Uint16Array;
  readonly isPhrase: Uint8Array;
  /** Of each state: where its children begin. They end where those of the next state begin. */
  readonly firstChildren: Int32Array;
}

/** @param phrases sorted, each once */
function trieOf(phrases: readonly string[]): Trie {
  const statesMax = phrases.reduce((sum, { length }) => sum + length, 1);
  const units = new Uint16Array(statesMax);
  const depths = new Uint16Array(statesMax);
  const isPhrase = new Uint8Array(statesMax);
  const firstChildren = new Int32Array(statesMax + 1);
  /** Of each state: the first of the phrases that begin with it, and the first that does no more. */
  const from = new Int32Array(statesMax);
  const to = new Int32Array(statesMax);
  to[0] = phrases.length;
  let states = 1;
  for (let state = 0; state < states; state++) {
    const depth = depths[state] ?? 0;
    const end = to[state] ?? 0;
    let at = from[state] ?? 0;
    firstChildren[state] = states;
    if (phrases[at]?.length === depth) {
      isPhrase[state] = 1;
      at++;
    }
    for (; at < end; states++) {
      const unit = phrases[at]?.charCodeAt(depth) ?? 0;
      units[states] = unit;
      depths[states] = depth + 1;
      from[states] = at;
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
  };
}
