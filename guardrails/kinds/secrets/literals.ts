// Many literals looked for at once. A table of what three characters one may begin with tells where none does, which is nearly
// everywhere: prose is read at two nanoseconds a character, however many literals there are.
import type { EscapeRuns } from '../../escape-runs.ts';
import { CharacterSet } from './alphabets.ts';
import { names } from './assignment.ts';
import { type Form, leadMax } from './form.ts';

interface Folded {
  readonly literal: string;
  readonly ignoreCase: boolean;
}

export interface Standing {
  readonly exact: string | undefined;
  readonly folded: string | undefined;
}

type Kind = keyof Standing;

export interface LiteralPlace {
  readonly at: number;
  readonly standing: Standing;
}

const none: readonly Folded[] = [];
/** Units of a text that are looked at in one go, and room for them. */
const piece = 16 * 1024;
const room = Buffer.alloc(piece + 3);
const units = new Uint8Array(room.buffer, room.byteOffset, room.length);

export class Literals {
  /** Units of the longest one. */
  readonly longest: number;
  /** A bit for each three units of ASCII. */
  readonly #begins = new Int32Array(0x10000);
  /** By the first two units in small letters, the longest first: of those at one place all others are beginnings of it. */
  readonly #buckets = new Map<number, readonly Folded[]>();
  readonly #firsts = { exact: new Uint8Array(0x80), folded: new Uint8Array(0x80) } as const;

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
  }

  /** All that stand from `from` to before `to`, in their order. */
  placesIn(text: string, from: number, to: number = text.length): LiteralPlace[] {
    const places: LiteralPlace[] = [];
    for (let begin = from; begin < to; begin += piece)
      this.#notePlaces(text, begin, Math.min(to, begin + piece), places);
    return places;
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
  mayBegin(text: string, at: number, kind: Kind): boolean {
    const first = text.charCodeAt(at);
    const length = text.length - at;
    if (this.#firsts[kind][first] !== 1) return false;
    if (length === 1) return true;
    const [second, third] = [text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    if (length > 2 && !this.#isBeginning(threeOf(first, second, third))) return false;
    for (const own of this.#buckets.get(pairAt(text, at)) ?? none)
      if (
        own.ignoreCase === (kind === 'folded') &&
        own.literal.length > length &&
        isAt(own, text, at, length)
      )
        return true;
    return false;
  }

  #isBeginning(three: number): boolean {
    return (((this.#begins[three >>> 5] ?? 0) >>> (three & 31)) & 1) === 1;
  }

  #notePlaces(text: string, begin: number, end: number, places: LiteralPlace[]): void {
    // Bytes are read quicker than units of a string, which may be part of another one; of a unit no more is looked at.
    const length = room.write(text.slice(begin, end + 2), 'latin1');
    // Of the last two units of a text only a literal of two can stand there: any third is right.
    units[length] = 0;
    const size = Math.min(end - begin, length - 1);
    for (let at = this.#next(0, size); at < size; at = this.#next(at + 1, size)) {
      const standing = this.at(text, begin + at);
      if (standing !== undefined) places.push({ at: begin + at, standing });
    }
  }

  /** @returns where the next one may stand among the units that are looked at; `size`: none does */
  #next(from: number, size: number): number {
    const begins = this.#begins;
    const bytes = units;
    let three = threeOf(0, bytes[from] ?? 0, bytes[from + 1] ?? 0);
    for (let at = from; at < size; at++) {
      three = ((three << 7) | ((bytes[at + 2] ?? 0) & 0x7f)) & 0x1fffff;
      if ((((begins[three >>> 5] ?? 0) >>> (three & 31)) & 1) === 1) return at;
    }
    return size;
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
      this.#firsts[ignoreCase ? 'folded' : 'exact'][first] = 1;
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

function stands(own: Folded, text: string, at: number): boolean {
  return at + own.literal.length <= text.length && isAt(own, text, at, own.literal.length);
}

/** The first so many units of it. */
function isAt({ literal, ignoreCase }: Folded, text: string, at: number, length: number): boolean {
  for (let index = 0; index < length; index++) {
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

interface TwoReadings {
  /** As it is written. */
  readonly written: string;
  /** The length of the text whose escapes are read, and where literals are in it. */
  readonly readLength: number;
  readonly read: readonly LiteralPlace[];
  readonly runs: EscapeRuns;
  /** In the written text; places before it are left out. */
  readonly from: number;
}

/**
 * Where literals are in a text that is read in two ways: where no escape is near, both readings have them at once, so only what is close
 * to escapes is searched again. The same as {@link Literals.placesIn} gives of the written text.
 */
export function placesInWritten(literals: Literals, readings: TwoReadings): readonly LiteralPlace[] {
  const { written, readLength, read, runs, from } = readings;
  const places: LiteralPlace[] = [];
  let turn = 0;
  let searched = from;
  // A shorter gap is searched sooner than passed over.
  for (const gap of runs.gaps(readLength, 3 * literals.longest)) {
    const moved = gap.written - gap.begin;
    // From here on a literal may go on in the escape behind the gap.
    const near = gap.end + moved - (gap.isLast ? 0 : literals.longest - 1);
    places.push(...literals.placesIn(written, searched, gap.written));
    const first = Math.max(from, gap.written) - moved;
    for (let place = read[turn]; place !== undefined && place.at + moved < near; place = read[++turn])
      if (place.at >= first) places.push({ at: place.at + moved, standing: place.standing });
    searched = Math.max(searched, near);
  }
  places.push(...literals.placesIn(written, searched));
  return places;
}

/** Forms by their literals, made once for the forms that are shipped and once for each check that brings its own. */
export interface IndexOfForms {
  /** Anchors of forms as they are, names of assignments in any case of letters. */
  readonly literals: Literals;
  /** Those that may begin where an anchor stands. */
  formsAt(anchor: string): readonly Form[];
  /** Of leads and the anchors behind them: a run of these at the end of a text may become a secret. */
  readonly leading: CharacterSet;
  /** The longest such run that is not decided. */
  readonly leadingMax: number;
}

export function indexOf(forms: readonly Form[]): IndexOfForms {
  const all = [...new Set(forms.flatMap((form) => form.anchors))];
  const byAnchor = new Map(
    all.map((anchor) => [anchor, forms.filter((form) => form.anchors.some((own) => anchor.startsWith(own)))]),
  );
  const literals = new Literals(all, names);
  return {
    literals,
    formsAt: (anchor) => byAnchor.get(anchor) ?? [],
    leading: new CharacterSet('A-Za-z0-9_~.+:/-'),
    leadingMax: leadMax + literals.longest,
  };
}
