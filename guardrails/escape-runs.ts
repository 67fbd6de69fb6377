// Which places of a text correspond where it differs from another one in a few runs alone: of a text and what it says once its escapes
// are read. Between the runs both are the same, unit by unit.

/** Numbers of one run: where it begins and ends in the text that is read, and in the raw one. */
const size = 4;

export class EscapeRuns {
  /** The first one is empty: it stands where the texts begin. */
  readonly #edges: readonly number[];

  /** @param edges of each run: begin and end in the text that is read, begin and end in the raw one; in their order */
  constructor(edges: readonly number[], rawBegin = 0) {
    this.#edges = [0, 0, rawBegin, rawBegin, ...edges];
  }

  /** Where in the raw text the character begins that a unit comes of; -1 where that has been dropped. */
  rawAt(at: number): number {
    return Math.max(-1, this.#raw(at, this.#runAt(at)));
  }

  /** @param more of a text that follows, of which the raw one begins at 0; undefined: the two are the same */
  with(more: EscapeRuns | undefined, textLength: number, rawLength: number): EscapeRuns {
    const [, , rawBegin = 0] = this.#edges;
    const moved = (more === undefined ? [] : more.#edges).map(
      (edge, at) => edge + (at % size < 2 ? textLength : rawLength),
    );
    return new EscapeRuns([...this.#edges.slice(size), ...moved.slice(size)], rawBegin);
  }

  /**
   * @param kept of the text that is read, the first unit that stays
   * @param dropped of the raw one
   * @returns undefined where the two are the same from there on
   */
  from(kept: number, dropped: number): EscapeRuns | undefined {
    const first = this.#runAt(kept);
    const begin = this.#raw(kept, first) - dropped;
    const rest = this.#edges.slice(this.#endOf(first) > kept ? first : first + size);
    if (rest.length === 0 && begin === 0) return undefined;
    const moved = rest.map((edge, at) => (at % size < 2 ? Math.max(0, edge - kept) : edge - dropped));
    return new EscapeRuns(moved, begin);
  }

  #raw(at: number, run: number): number {
    const end = this.#endOf(run);
    const [rawBegin = 0, rawEnd = 0] = [this.#edges[run + 2], this.#edges[run + 3]];
    return at < end ? rawBegin : rawEnd + at - end;
  }

  #endOf(run: number): number {
    return this.#edges[run + 1] ?? 0;
  }

  /** The last run that begins at a place or before it. */
  #runAt(at: number): number {
    let low = 0;
    for (let high = this.#edges.length / size; low + 1 < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#edges[middle * size] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low * size;
  }
}
