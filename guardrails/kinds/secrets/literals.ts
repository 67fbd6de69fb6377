// Many literals looked for at once. A table of what three characters one may begin with tells where none does, which is nearly
// everywhere: prose is read at two nanoseconds a character, however many literals there are.

interface Folded {
  readonly literal: string;
  readonly ignoreCase: boolean;
}

export interface Standing {
  readonly exact: string | undefined;
  readonly folded: string | undefined;
}

const none: readonly Folded[] = [];

export class Literals {
  /** Units of the longest one. */
  readonly longest: number;
  /** A bit for each three units of ASCII. */
  readonly #begins = new Int32Array(0x10000);
  /** By the first two units in small letters, the longest first: of those at one place all others are beginnings of it. */
  readonly #buckets = new Map<number, readonly Folded[]>();
  readonly #firsts = new Uint8Array(0x80);
  readonly #pairs = new Uint8Array(0x4000);
  readonly #exactBeginnings: ReadonlySet<string>;
  readonly #foldedBeginnings: ReadonlySet<string>;

  /**
   * Of ASCII, each of at least two characters.
   * @param exact in this case of letters
   * @param folded in small letters, found in any
   */
  constructor(exact: readonly string[], folded: readonly string[]) {
    const all = [
      ...[...new Set(exact)].map((literal) => ({ literal, ignoreCase: false })),
      ...[...new Set(folded)].map((literal) => ({ literal, ignoreCase: true })),
    ].sort((a, b) => b.literal.length - a.literal.length);
    this.longest = all[0]?.literal.length ?? 0;
    for (const [pair, own] of Map.groupBy(all, ({ literal }) => pairAt(literal, 0)))
      this.#buckets.set(pair, own);
    for (const one of all) this.#note(one);
    this.#exactBeginnings = beginningsOf(exact);
    this.#foldedBeginnings = beginningsOf(folded);
  }

  /** @returns where the next one may stand; -1: none does */
  next(text: string, from: number): number {
    const begins = this.#begins;
    // Nothing is read behind the end: what is no number there would make all of this slow.
    const last = text.length - 2;
    if (from > last) return -1;
    let three = threeOf(0, text.charCodeAt(from), text.charCodeAt(from + 1));
    for (let at = from; at < last; at++) {
      three = ((three << 7) | (text.charCodeAt(at + 2) & 0x7f)) & 0x1fffff;
      if ((((begins[three >>> 5] ?? 0) >>> (three & 31)) & 1) === 1) return at;
    }
    // Of the last two units only a literal of two can stand there: any third is right.
    three = (three << 7) & 0x1fffff;
    return (((begins[three >>> 5] ?? 0) >>> (three & 31)) & 1) === 1 ? last : -1;
  }

  /** The longest ones that stand at a place. @returns undefined: none */
  at(text: string, at: number): Standing | undefined {
    const bucket = this.#buckets.get(pairAt(text, at)) ?? none;
    let exact: string | undefined;
    let folded: string | undefined;
    for (const own of bucket) {
      if ((own.ignoreCase ? folded : exact) !== undefined || !stands(own, text, at)) continue;
      if (own.ignoreCase) folded = own.literal;
      else exact = own.literal;
    }
    return exact === undefined && folded === undefined ? undefined : { exact, folded };
  }

  /** Whether the text from `at` on is the beginning of one, and less than all of it. */
  mayBegin(text: string, at: number, kind: 'exact' | 'folded'): boolean {
    const first = text.charCodeAt(at);
    if (this.#firsts[first] !== 1) return false;
    if (at + 1 < text.length && this.#pairs[(first << 7) | text.charCodeAt(at + 1)] !== 1) return false;
    const begun = text.slice(at);
    return kind === 'exact'
      ? this.#exactBeginnings.has(begun)
      : this.#foldedBeginnings.has(begun.toLowerCase());
  }

  #mark(three: number): void {
    this.#begins[three >>> 5] = (this.#begins[three >>> 5] ?? 0) | (1 << (three & 31));
  }

  #note({ literal, ignoreCase }: Folded): void {
    const units = (at: number) => {
      const code = literal.charCodeAt(at);
      if (Number.isNaN(code)) return everyUnit;
      return ignoreCase && isSmall(code) ? [code, code - 32] : [code];
    };
    for (const first of units(0)) {
      this.#firsts[first] = 1;
      for (const second of units(1)) this.#pairs[(first << 7) | second] = 1;
      for (const second of units(1)) for (const third of units(2)) this.#mark(threeOf(first, second, third));
    }
  }
}

/** What may stand behind a literal of two. */
const everyUnit = Array.from({ length: 0x80 }, (_, code) => code);

/** Of what is not ASCII seven bits: it is seen at the second look that it is none. */
function threeOf(first: number, second: number, third: number): number {
  return ((first & 0x7f) << 14) | ((second & 0x7f) << 7) | (third & 0x7f);
}

function pairAt(text: string, at: number): number {
  return (lowerCase(text.charCodeAt(at)) << 16) | lowerCase(text.charCodeAt(at + 1));
}

function stands({ literal, ignoreCase }: Folded, text: string, at: number): boolean {
  if (at + literal.length > text.length) return false;
  for (let index = 0; index < literal.length; index++) {
    const code = text.charCodeAt(at + index);
    if ((ignoreCase ? lowerCase(code) : code) !== literal.charCodeAt(index)) return false;
  }
  return true;
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function beginningsOf(literals: readonly string[]): ReadonlySet<string> {
  return new Set(
    literals.flatMap((literal) => Array.from(literal, (_, length) => literal.slice(0, length)).slice(1)),
  );
}
