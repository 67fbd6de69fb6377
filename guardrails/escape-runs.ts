// Which places of a text correspond where it differs from another one in a few runs alone: of what a text says once its escapes are
// read, and the same text as it is written. Between the runs both are the same, unit by unit.

/** Numbers of one run: where it begins and ends in the text that is read, and in the written one. */
const size = 4;

/** Of a text that is read: from `begin` to before `end`. */
export interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** What stands between two runs and is the same in both texts. */
export interface Gap extends Stretch {
  /** Where it begins in the written text. */
  readonly written: number;
  /** No run follows. */
  readonly isLast: boolean;
}

export class EscapeRuns {
  /** The first one is empty: it stands where the texts begin. */
  readonly #edges: readonly number[];

  /** @param edges of each run: begin and end in the text that is read, begin and end in the written one; in their order */
  constructor(edges: readonly number[], writtenBegin = 0) {
    this.#edges = [0, 0, writtenBegin, writtenBegin].concat(edges);
  }

  /** Where a unit stands in the written text, of an escape where it begins there; less than 0 where that has been dropped. */
  writtenAt(at: number): number {
    return this.#written(at, this.#runAt(at));
  }

  /** The first unit that begins where one of the written text does, or behind it: of an escape the first one at its begin alone. */
  readAt(written: number): number {
    const run = this.#lastRun(written, 2);
    const [begin = 0, end = 0, writtenBegin = 0, writtenEnd = 0] = this.#edges.slice(run, run + size);
    if (written <= writtenBegin) return begin + written - writtenBegin;
    return end + Math.max(0, written - writtenEnd);
  }

  /** Where the last run ends. */
  get readEnd(): number {
    return this.#edges.at(-3) ?? 0;
  }

  /** The same in the written text. */
  get writtenEnd(): number {
    return this.#edges.at(-1) ?? 0;
  }

  /**
   * In their order, the one before the first run too.
   * @param length of the text that is read
   * @param min units of a gap: shorter ones are left out
   */
  gaps(length: number, min: number): readonly Gap[] {
    const edges = this.#edges;
    const gaps: Gap[] = [];
    for (let run = 0; run < edges.length; run += size) {
      const [begin, end] = [edges[run + 1] ?? 0, edges[run + size] ?? length];
      if (end - begin < min) continue;
      gaps.push({ begin, end, written: edges[run + 3] ?? 0, isLast: run + size === edges.length });
    }
    return gaps;
  }

  /** Where runs are near: from so many units before each of them to as many behind it, without overlaps; perhaps beyond the text. */
  around(reach: number): readonly Stretch[] {
    const edges = this.#edges;
    const stretches: { begin: number; end: number }[] = [];
    for (let run = size; run < edges.length; run += size) {
      const begin = Math.max(0, (edges[run] ?? 0) - reach);
      const end = (edges[run + 1] ?? 0) + reach;
      const last = stretches.at(-1);
      if (last !== undefined && begin <= last.end) last.end = end;
      else stretches.push({ begin, end });
    }
    return stretches;
  }

  /** @param more of a text that follows, of which the written one begins at 0; undefined: the two are the same */
  with(more: EscapeRuns | undefined, length: number, writtenLength: number): EscapeRuns {
    if (more === undefined) return this;
    const edges = this.#edges.slice(size);
    const own = more.#edges;
    for (let at = size; at < own.length; at++)
      edges.push((own[at] ?? 0) + (at % size < 2 ? length : writtenLength));
    return new EscapeRuns(edges, this.#edges[2]);
  }

  /**
   * @param kept of the text that is read, the first unit that stays
   * @param writtenKept of the written one
   * @returns undefined where the two are the same from there on
   */
  from(kept: number, writtenKept: number): EscapeRuns | undefined {
    const first = this.#runAt(kept);
    const begin = this.#written(kept, first) - writtenKept;
    const rest = this.#edges.slice(this.#endOf(first) > kept ? first : first + size);
    if (rest.length === 0 && begin === 0) return undefined;
    const moved = rest.map((edge, at) => (at % size < 2 ? Math.max(0, edge - kept) : edge - writtenKept));
    return new EscapeRuns(moved, begin);
  }

  /** @param writtenEnd of the written text that stays; in no run. @returns undefined where the two are the same */
  upTo(writtenEnd: number): EscapeRuns | undefined {
    const [, , writtenBegin = 0] = this.#edges;
    let end = this.#edges.length;
    while (end > size && (this.#edges[end - 1] ?? 0) > writtenEnd) end -= size;
    return end === size && writtenBegin === 0
      ? undefined
      : new EscapeRuns(this.#edges.slice(size, end), writtenBegin);
  }

  #written(at: number, run: number): number {
    const end = this.#endOf(run);
    return at < end ? (this.#edges[run + 2] ?? 0) : (this.#edges[run + 3] ?? 0) + at - end;
  }

  #endOf(run: number): number {
    return this.#edges[run + 1] ?? 0;
  }

  /** The last run that begins at a place or before it. */
  #runAt(at: number): number {
    return this.#lastRun(at, 0);
  }

  /** @param edge 0: in the text that is read; 2: in the written one */
  #lastRun(at: number, edge: 0 | 2): number {
    let low = 0;
    for (let high = this.#edges.length / size; low + 1 < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#edges[middle * size + edge] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low * size;
  }
}
