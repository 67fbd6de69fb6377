// Maps positions between two texts that differ only in a few runs: a text with its escapes decoded, and the same text
// as written. Between the runs both texts are identical, unit by unit.

/** Numbers per run: begin and end in the decoded text, begin and end in the written one. */
const size = 4;

/** Part of the decoded text, from `begin` to before `end`. */
export interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** The part between two runs, which is identical in both texts. */
export interface Gap extends Stretch {
  /** Where it begins in the written text. */
  readonly written: number;
  /** Whether no run follows. */
  readonly isLast: boolean;
}

export class EscapeRuns {
  /** Starts with an empty run at the beginning of both texts. */
  readonly #edges: readonly number[];

  /** @param edges for each run in order: begin and end in the decoded text, begin and end in the written one */
  constructor(edges: readonly number[], writtenBegin = 0) {
    this.#edges = [0, 0, writtenBegin, writtenBegin].concat(edges);
  }

  /**
   * The position of a unit in the written text. Inside an escape it is the begin of the escape; negative if that part
   * was dropped.
   */
  writtenAt(at: number): number {
    return this.#written(at, this.#runAt(at));
  }

  /**
   * The first decoded unit that begins at this written position or after it. The unit of an escape counts only at the
   * begin of the escape.
   */
  readAt(written: number): number {
    const run = this.#lastRun(written, 2);
    const [begin = 0, end = 0, writtenBegin = 0, writtenEnd = 0] = this.#edges.slice(run, run + size);
    if (written <= writtenBegin) return begin + written - writtenBegin;
    return end + Math.max(0, written - writtenEnd);
  }

  /** End of the last run in the decoded text. */
  get readEnd(): number {
    return this.#edges.at(-3) ?? 0;
  }

  /** End of the last run in the written text. */
  get writtenEnd(): number {
    return this.#edges.at(-1) ?? 0;
  }

  /**
   * The gaps in order, including the one before the first run.
   * @param length length of the decoded text
   * @param min minimum of units; shorter gaps are omitted
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

  /**
   * The stretches near runs: `reach` units before and after each run, merged where they overlap. They may extend beyond
   * the text.
   */
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

  /** @param more runs of the text that follows, whose written text begins at 0; undefined if it has no differences */
  with(more: EscapeRuns | undefined, length: number, writtenLength: number): EscapeRuns {
    if (more === undefined) return this;
    const edges = this.#edges.slice(size);
    const own = more.#edges;
    for (let at = size; at < own.length; at++) edges.push((own[at] ?? 0) + (at % size < 2 ? length : writtenLength));
    return new EscapeRuns(edges, this.#edges[2]);
  }

  /**
   * @param kept first decoded unit that stays
   * @param writtenKept first written unit that stays
   * @returns undefined if both texts are identical from there on
   */
  from(kept: number, writtenKept: number): EscapeRuns | undefined {
    const first = this.#runAt(kept);
    const begin = this.#written(kept, first) - writtenKept;
    const rest = this.#edges.slice(this.#endOf(first) > kept ? first : first + size);
    if (rest.length === 0 && begin === 0) return undefined;
    const moved = rest.map((edge, at) => (at % size < 2 ? Math.max(0, edge - kept) : edge - writtenKept));
    return new EscapeRuns(moved, begin);
  }

  /**
   * @param writtenEnd end of the written text that stays; not inside a run
   * @returns undefined if both texts are identical up to there
   */
  upTo(writtenEnd: number): EscapeRuns | undefined {
    const [, , writtenBegin = 0] = this.#edges;
    let end = this.#edges.length;
    while (end > size && (this.#edges[end - 1] ?? 0) > writtenEnd) end -= size;
    return end === size && writtenBegin === 0 ? undefined : new EscapeRuns(this.#edges.slice(size, end), writtenBegin);
  }

  #written(at: number, run: number): number {
    const end = this.#endOf(run);
    return at < end ? (this.#edges[run + 2] ?? 0) : (this.#edges[run + 3] ?? 0) + at - end;
  }

  #endOf(run: number): number {
    return this.#edges[run + 1] ?? 0;
  }

  /** The last run that begins at this position or before it. */
  #runAt(at: number): number {
    return this.#lastRun(at, 0);
  }

  /** @param edge 0: position in the decoded text; 2: in the written one */
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
