// What matchers find in texts that are there as a whole, piece by piece: between two pieces others have their turn, and whoever scans
// may stop. The pieces give what the whole gives. Done here or in a worker: it takes and gives plain values.
import { wholeCharacters } from './characters.ts';
import { escapeBegun } from './escapes.ts';
import { contextMax, FoldedText, fold } from './fold.ts';
import type { Finding, Matcher } from './matcher.ts';

export interface Scanned {
  /** By text, then by matcher, then by place. */
  readonly hits: readonly Hit[];
  /** Matchers that threw, by their index. */
  readonly failed: readonly number[];
  /** Matchers that have not seen all texts, for want of time or room, by their index. */
  readonly unavailable?: readonly number[];
}

export interface Hit extends Finding {
  /** Which text, and which matcher. */
  readonly text: number;
  readonly matcher: number;
}

/** A piece takes no longer than this, of the text that costs most; five milliseconds where the last ones have been quick. */
export const pieceNs = 2_000_000;
const quickPieceNs = 5_000_000;
/** UTF-16 units: looking at a shorter piece costs more than the text in it. */
const pieceMin = 256;
const pieceMax = 64 * 1024;
/** Folded texts are kept for the next matcher up to this length. */
const foldedMax = 16 * 1024;

export interface ScanSource {
  readonly matchers: readonly Matcher[];
  readonly texts: readonly string[];
  /** UTF-16 units: see guardrails/matcher.ts. */
  readonly window: number;
  /** Of matchers, by their index: which goes first. Default: as they come. */
  readonly order?: readonly number[];
}

/** Whatever a matcher throws is its own failure and no other's. */
export class TextScan {
  readonly #source: ScanSource;
  readonly #order: readonly number[];
  readonly #hits: Hit[][];
  readonly #failed: number[] = [];
  /** Of short texts; the first matcher folds them. */
  readonly #folded: (FoldedText | undefined)[] = [];
  /** Where it stands: the place in the order, the text, and the part of a long text. */
  #turn = 0;
  #text = 0;
  #part: TextPart | undefined;
  /** The text is none of those that cost most, as far as it is known: whoever takes the time says so. */
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

  /** What the next step may take for what earlier ones have seen already: much, where something has begun and does not end. */
  get pendingNs(): number {
    return (this.#part?.pendingLength ?? 0) * this.#cost;
  }

  /** Looks at one piece of one text with one matcher. */
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

  /** What is found so far. What some matchers have found of a text that they have not seen to its end counts too. */
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

  /** Of the matcher whose turn it is. */
  get #cost(): number {
    const index = this.#order[this.#turn];
    return Math.max(1, (index === undefined ? undefined : this.#source.matchers[index]?.cost) ?? 1);
  }

  #pieceLength(): number {
    return Math.max(
      pieceMin,
      Math.min(pieceMax, Math.floor((this.isQuick ? quickPieceNs : pieceNs) / this.#cost)),
    );
  }
}

/** A long text on its way through one matcher. */
class TextPart {
  readonly #raw: string;
  /** From {@link TextPart.#offset} on, where it is folded as a whole. */
  #rest: FoldedText | undefined;
  /** Of what has been inspected as much as matchers look back at, then what is not decided. */
  #folded = fold('');
  /** Of the text, what has been taken away before {@link TextPart.#folded}. */
  #offset = 0;
  /** In the folded part. */
  #from = 0;

  /** @param folded undefined: it is folded piece by piece */
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
   * What is pending is looked at again: twice as much of it each time, so that all of it takes linear time.
   * @param length of the next piece, at least @returns findings, from `offset` on
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

  /** What is decided, but for the context of what follows. */
  forget(): void {
    const dropped = wholeCharacters(this.#folded.raw, Math.max(0, this.#from - contextMax));
    if (dropped === 0 || this.isDone) return;
    this.#folded = this.#folded.from(dropped);
    this.#rest = this.#rest?.from(dropped);
    this.#offset += dropped;
    this.#from -= dropped;
  }

  /** Neither within a pair nor within an escape; pieces are longer than both. */
  #wholeTo(begin: number, end: number): number {
    if (end === this.#raw.length) return end;
    return begin + escapeBegun(this.#raw.slice(begin, wholeCharacters(this.#raw, end)));
  }

  /** Most texts fold to themselves, and are not put together out of their pieces. */
  #longer(begin: number, to: number): FoldedText {
    if (this.#rest !== undefined) return this.#rest.upTo(to - this.#offset);
    const piece = fold(this.#raw.slice(begin, to));
    if (!isItself(piece) || !isItself(this.#folded)) return this.#folded.with(piece);
    const raw = this.#raw.slice(this.#offset, to);
    return new FoldedText(raw, raw, undefined);
  }
}

/** The very same string in both. */
function isItself({ raw, text }: FoldedText): boolean {
  return text === raw;
}

function without(hits: readonly Hit[], matchers: readonly number[]): Hit[] {
  return hits.filter(({ matcher }) => !matchers.includes(matcher));
}

/** Each matcher's are in the order of their places. */
function sortByMatcher(hits: Hit[]): void {
  if (hits.some(({ matcher }, at) => matcher < (hits[at - 1]?.matcher ?? 0)))
    hits.sort((a, b) => a.matcher - b.matcher || a.start - b.start);
}

/** All of it in one go: for what is short, or cheap. */
export function scan(matchers: readonly Matcher[], texts: readonly string[], window: number): Scanned {
  const scanning = new TextScan({ matchers, texts, window });
  while (!scanning.isDone) scanning.step();
  return scanning.result();
}
