// Scans complete texts with matchers, step by step: between two steps other work can run, and the caller may stop. The
// steps give the same result as one pass. It runs here or in a worker; input and output are plain values.
import { wholeCharacters } from './characters.ts';
import { escapeBegun } from './escapes.ts';
import { contextMax, FoldedText, fold } from './fold.ts';
import type { Finding, Matcher } from './matcher.ts';

export interface Scanned {
  /** Ordered by text, then by matcher, then by position. */
  readonly hits: readonly Hit[];
  /** Indexes of the matchers that threw. */
  readonly failed: readonly number[];
  /** Indexes of the matchers that have not seen all texts, for lack of time or room. */
  readonly unavailable?: readonly number[];
}

export interface Hit extends Finding {
  /** Indexes of the text and the matcher. */
  readonly text: number;
  readonly matcher: number;
}

/** Maximum duration of a step on the most expensive text; five milliseconds if the last steps were fast. */
export const pieceNs = 2_000_000;
const quickPieceNs = 5_000_000;
/** UTF-16 units. In a shorter piece the overhead costs more than the text. */
const pieceMin = 256;
const pieceMax = 64 * 1024;
/** Folded texts up to this length are kept for the next matcher. */
const foldedMax = 16 * 1024;

export interface ScanSource {
  readonly matchers: readonly Matcher[];
  readonly texts: readonly string[];
  /** UTF-16 units: see guardrails/matcher.ts. */
  readonly window: number;
  /** Indexes of the matchers in the order in which they run. Default: their own order. */
  readonly order?: readonly number[];
}

/** An error of a matcher affects only that matcher. */
export class TextScan {
  readonly #source: ScanSource;
  readonly #order: readonly number[];
  readonly #hits: Hit[][];
  readonly #failed: number[] = [];
  /** The folded short texts; the first matcher creates them. */
  readonly #folded: (FoldedText | undefined)[] = [];
  /** The current position: index in the order, text, and part of a long text. */
  #turn = 0;
  #text = 0;
  #part: TextPart | undefined;
  /** Set by the caller that measures time: whether the text is not among the most expensive ones. */
  isQuick = true;

  constructor(source: ScanSource) {
    this.#source = source;
    this.#order = source.order ?? [...source.matchers.keys()];
    this.#hits = source.texts.map(() => []);
    if (source.texts.length === 0) this.#turn = this.#order.length;
  }

  get isDone(): boolean {
    return this.#turn === this.#order.length;
  }

  /**
   * Time that the next step may spend on text that earlier steps have already seen. High if a match has begun and does
   * not end.
   */
  get pendingNs(): number {
    return (this.#part?.pendingLength ?? 0) * this.#cost;
  }

  /** Inspects one piece of one text with one matcher. */
  step(): void {
    const index = this.#order[this.#turn];
    const matcher = index === undefined ? undefined : this.#source.matchers[index];
    if (index === undefined || matcher === undefined) return;
    try {
      if (this.#inspect(index, matcher)) this.#proceed(this.#text + 1);
    } catch {
      this.#failed.push(index);
      this.#proceed(Number.POSITIVE_INFINITY);
    }
  }

  /** The matches so far, including those in a text that a matcher has not seen to its end. */
  result(): Scanned {
    const failed = this.#failed;
    const unavailable = this.#order.slice(this.#turn);
    const lists = failed.length === 0 ? this.#hits : this.#hits.map((hits) => without(hits, failed));
    for (const hits of lists) if (this.#source.order !== undefined) sortByMatcher(hits);
    const hits = lists.length === 1 ? (lists[0] ?? []) : lists.flat();
    return unavailable.length === 0 ? { hits, failed } : { hits, failed, unavailable };
  }

  /** @returns whether the matcher has seen all of the text */
  #inspect(index: number, matcher: Matcher): boolean {
    const { texts, window } = this.#source;
    const raw = texts[this.#text] ?? '';
    const length = this.#pieceLength();
    if (this.#part === undefined && raw.length <= length) {
      const text = { raw, folded: this.#foldedText(raw), isEnd: true };
      this.#note(index, matcher.inspect(text, 0, window).findings, 0);
      return true;
    }
    this.#part ??= new TextPart(raw, raw.length > foldedMax ? undefined : this.#foldedText(raw));
    const part = this.#part;
    this.#note(index, part.inspect(matcher, window, length), part.offset);
    part.forget();
    return part.isDone;
  }

  #note(matcher: number, findings: readonly Finding[], offset: number): void {
    const hits = this.#hits[this.#text];
    for (const { start, end, label } of findings)
      hits?.push({ text: this.#text, matcher, start: start + offset, end: end + offset, label });
  }

  #proceed(text: number): void {
    this.#part = undefined;
    this.#text = text;
    if (text < this.#source.texts.length) return;
    this.#text = 0;
    this.#turn++;
  }

  #foldedText(raw: string): FoldedText {
    if (raw.length > foldedMax || this.#order.length === 1) return fold(raw);
    const folded = this.#folded[this.#text] ?? fold(raw);
    this.#folded[this.#text] = folded;
    return folded;
  }

  /** The cost of the current matcher. */
  get #cost(): number {
    const index = this.#order[this.#turn];
    return Math.max(1, (index === undefined ? undefined : this.#source.matchers[index]?.cost) ?? 1);
  }

  #pieceLength(): number {
    return Math.max(pieceMin, Math.min(pieceMax, Math.floor((this.isQuick ? quickPieceNs : pieceNs) / this.#cost)));
  }
}

/** A long text that passes through one matcher. */
class TextPart {
  readonly #raw: string;
  /** The folded text from {@link TextPart.#offset} on, if the text was folded as a whole. */
  #rest: FoldedText | undefined;
  /** The current part: the context that matchers may look at, then the undecided text. */
  #folded = fold('');
  /** Length of the text that was removed before {@link TextPart.#folded}. */
  #offset = 0;
  /** Position in the folded part. */
  #from = 0;

  /** @param folded undefined: the text is folded piece by piece */
  constructor(raw: string, folded: FoldedText | undefined) {
    this.#raw = raw;
    this.#rest = folded;
  }

  get offset(): number {
    return this.#offset;
  }

  get isDone(): boolean {
    return this.#to === this.#raw.length;
  }

  get pendingLength(): number {
    return this.#folded.raw.length - this.#from;
  }

  get #to(): number {
    return this.#offset + this.#folded.raw.length;
  }

  /**
   * Inspects the pending text again together with the next piece. The piece at least doubles the pending text, so that
   * the total is linear.
   * @param length minimum length of the next piece
   * @returns matches, relative to `offset`
   */
  inspect(matcher: Matcher, window: number, length: number): readonly Finding[] {
    const begin = this.#to;
    const end = begin + Math.max(length, this.pendingLength);
    const to = this.#wholeTo(begin, Math.min(this.#raw.length, end));
    this.#folded = this.#longer(begin, to);
    const isEnd = to === this.#raw.length;
    const text = { raw: this.#folded.raw, folded: this.#folded, isEnd, isPart: !isEnd };
    const { findings, decided } = matcher.inspect(text, this.#from, window);
    this.#from = Math.max(decided, findings.at(-1)?.end ?? 0);
    return findings;
  }

  /** Removes the decided text except for the context of what follows. */
  forget(): void {
    const dropped = wholeCharacters(this.#folded.raw, Math.max(0, this.#from - contextMax));
    if (dropped === 0 || this.isDone) return;
    this.#folded = this.#folded.from(dropped);
    this.#rest = this.#rest?.from(dropped);
    this.#offset += dropped;
    this.#from -= dropped;
  }

  /** Avoids a cut inside a surrogate pair or an escape; pieces are longer than both. */
  #wholeTo(begin: number, end: number): number {
    if (end === this.#raw.length) return end;
    return begin + escapeBegun(this.#raw.slice(begin, wholeCharacters(this.#raw, end)));
  }

  /** Most texts fold to themselves; they are not joined from their pieces. */
  #longer(begin: number, to: number): FoldedText {
    if (this.#rest !== undefined) return this.#rest.upTo(to - this.#offset);
    const piece = fold(this.#raw.slice(begin, to));
    if (!isItself(piece) || !isItself(this.#folded)) return this.#folded.with(piece);
    const raw = this.#raw.slice(this.#offset, to);
    return new FoldedText(raw, raw, undefined);
  }
}

/** Both are the same string. */
function isItself({ raw, text }: FoldedText): boolean {
  return text === raw;
}

function without(hits: readonly Hit[], matchers: readonly number[]): Hit[] {
  return hits.filter(({ matcher }) => !matchers.includes(matcher));
}

/** Each matcher's matches are already in the order of their positions. */
function sortByMatcher(hits: Hit[]): void {
  if (hits.some(({ matcher }, at) => matcher < (hits[at - 1]?.matcher ?? 0)))
    hits.sort((a, b) => a.matcher - b.matcher || a.start - b.start);
}

/** Scans everything in one pass. For short texts and cheap matchers. */
export function scan(matchers: readonly Matcher[], texts: readonly string[], window: number): Scanned {
  const scanning = new TextScan({ matchers, texts, window });
  while (!scanning.isDone) scanning.step();
  return scanning.result();
}
