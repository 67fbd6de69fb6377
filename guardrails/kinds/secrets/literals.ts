// Searches for many literals at once. A table of the first three characters shows where no literal begins, which is
// nearly everywhere: prose is read at two nanoseconds a character, however many literals there are.
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

export interface LiteralPosition {
  readonly at: number;
  readonly standing: Standing;
}

const none: readonly Folded[] = [];
/** Units that are examined in one step, and the buffer for them. */
const piece = 16 * 1024;
const room = Buffer.alloc(piece + 3);
const units = new Uint8Array(room.buffer, room.byteOffset, room.length);

export class Literals {
  /** Length of the longest literal in units. */
  readonly longest: number;
  /** One bit for each combination of three ASCII units. */
  readonly #begins = new Int32Array(0x10000);
  /**
   * By the first two units in lower case, the longest first. Where the longest literal matches, all others that match
   * are prefixes of it.
   */
  readonly #buckets = new Map<number, readonly Folded[]>();
  readonly #firsts = { exact: new Uint8Array(0x80), folded: new Uint8Array(0x80) } as const;

  /**
   * @param exact ASCII literals of at least two characters, found in this letter case
   * @param folded lower-case ASCII literals of at least two characters, found in any letter case
   */
  constructor(exact: readonly string[], folded: readonly string[]) {
    const all = [
      ...[...new Set(exact)].map((literal) => ({ literal, ignoreCase: false })),
      ...[...new Set(folded)].map((literal) => ({ literal, ignoreCase: true })),
    ].sort((a, b) => b.literal.length - a.literal.length);
    this.longest = all[0]?.literal.length ?? 0;
    for (const [pair, own] of Map.groupBy(all, ({ literal }) => pairAt(literal, 0))) this.#buckets.set(pair, own);
    for (const one of all) this.#note(one);
  }

  /** All literals that begin from `from` to before `to`, in order. */
  positionsIn(text: string, from: number, to: number = text.length): LiteralPosition[] {
    const positions: LiteralPosition[] = [];
    for (let begin = from; begin < to; begin += piece)
      this.#notePositions(text, begin, Math.min(to, begin + piece), positions);
    return positions;
  }

  /** The longest literals at a position. @returns undefined if there is none */
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

  /** Whether the text from `at` to its end is an incomplete beginning of a literal. */
  mayBegin(text: string, at: number, kind: Kind): boolean {
    const first = text.charCodeAt(at);
    const length = text.length - at;
    if (this.#firsts[kind][first] !== 1) return false;
    if (length === 1) return true;
    const [second, third] = [text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    if (length > 2 && !this.#isBeginning(threeOf(first, second, third))) return false;
    for (const own of this.#buckets.get(pairAt(text, at)) ?? none)
      if (own.ignoreCase === (kind === 'folded') && own.literal.length > length && isAt(own, text, at, length))
        return true;
    return false;
  }

  #isBeginning(three: number): boolean {
    return (((this.#begins[three >>> 5] ?? 0) >>> (three & 31)) & 1) === 1;
  }

  #notePositions(text: string, begin: number, end: number, positions: LiteralPosition[]): void {
    // Bytes are faster to read than units of a string, which may be part of another string. A byte contains as much of
    // a unit as is needed.
    const length = room.write(text.slice(begin, end + 2), 'latin1');
    // At the last two units of a text only a literal of two units fits, so any third unit will do.
    units[length] = 0;
    const size = Math.min(end - begin, length - 1);
    for (let at = this.#next(0, size); at < size; at = this.#next(at + 1, size)) {
      const standing = this.at(text, begin + at);
      if (standing !== undefined) positions.push({ at: begin + at, standing });
    }
  }

  /** @returns the next position in the buffer where a literal may begin; `size` if there is none */
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

/** Units that may follow a literal of two. */
const everyUnit = Array.from({ length: 0x80 }, (_, code) => code);

/** Seven bits of each unit. For a non-ASCII unit this is inexact; the second check rules it out. */
function threeOf(first: number, second: number, third: number): number {
  return ((first & 0x7f) << 14) | ((second & 0x7f) << 7) | (third & 0x7f);
}

function pairAt(text: string, at: number): number {
  return (lowerCase(text.charCodeAt(at)) << 16) | lowerCase(text.charCodeAt(at + 1));
}

function stands(own: Folded, text: string, at: number): boolean {
  return at + own.literal.length <= text.length && isAt(own, text, at, own.literal.length);
}

/** Whether the first `length` units of the literal match. */
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
  /** The text as written. */
  readonly written: string;
  /** Length of the decoded text, and the literals in it. */
  readonly readLength: number;
  readonly read: readonly LiteralPosition[];
  readonly runs: EscapeRuns;
  /** Position in the written text; earlier literals are omitted. */
  readonly from: number;
}

/**
 * Finds the literals of the written text from those of the decoded text. Away from escapes both contain the same
 * literals, so only the text near escapes is searched again. Same result as {@link Literals.placesIn} for the written
 * text.
 */
export function positionsInWritten(literals: Literals, readings: TwoReadings): readonly LiteralPosition[] {
  const { written, readLength, read, runs, from } = readings;
  const positions: LiteralPosition[] = [];
  let turn = 0;
  let searched = from;
  // A shorter gap is faster to search than to skip.
  for (const gap of runs.gaps(readLength, 3 * literals.longest)) {
    const moved = gap.written - gap.begin;
    // From here on a literal may extend into the escape after the gap.
    const near = gap.end + moved - (gap.isLast ? 0 : literals.longest - 1);
    positions.push(...literals.positionsIn(written, searched, gap.written));
    const first = Math.max(from, gap.written) - moved;
    for (let position = read[turn]; position !== undefined && position.at + moved < near; position = read[++turn])
      if (position.at >= first) positions.push({ at: position.at + moved, standing: position.standing });
    searched = Math.max(searched, near);
  }
  positions.push(...literals.positionsIn(written, searched));
  return positions;
}

/** Forms by their literals. Built once for the built-in forms, and once for each check with its own forms. */
export interface IndexOfForms {
  /** Anchors of forms in exact case, names of assignments in any case. */
  readonly literals: Literals;
  /** The forms that may begin at an anchor. */
  formsAt(anchor: string): readonly Form[];
  /** Characters of leads and of the anchors after them. A run of these at the end of a text may become a secret. */
  readonly leading: CharacterSet;
  /** Length of the longest such run that is undecided. */
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
