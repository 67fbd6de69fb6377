// The interface of personal data types with digits: tests whether a number begins at a position. A match depends only
// on up to 32 units before it and `reachMax` units after its first digit, so that a text may arrive in pieces.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The begin of a group of digits in folded text. */
export interface Position {
  readonly text: string;
  /** The first digit of the group. */
  readonly at: number;
  /** No match starts before this. */
  readonly from: number;
  /** No match extends beyond this. */
  readonly to: number;
  /** Number of digits from here on that follow one another with only separators between them. */
  readonly digits: number;
  /** The text before a number, as far as it may affect the decision. */
  before(start: number): string;
}

export interface NumberType {
  readonly label: string;
  find(position: Position): Span | undefined;
}

/** Maximum length of a number from its first digit on. */
export const reachMax = 80;

/** Between groups of digits. */
export const blank = ' \\u00a0\\u2007\\u2009\\u202f';
export const dash = '\\-\\u2010-\\u2015\\u2212';

/** Letters of scripts that separate words with blanks. Letters of other scripts may be directly beside a number. */
const letter = 'A-Za-z\\u0370-\\u06ff';

/** In a pattern: asserts that no longer word or number ends here. */
export const startsHere = `(?<![0-9_${letter}])(?<![0-9${letter}][.#${dash}])`;
/** In a pattern: asserts that no longer word or number continues here. */
export const endsHere = `(?![0-9_${letter}])(?![.${dash}][0-9${letter}])`;

/** Compiles a pattern that is matched at one position at a time; backtracking is bounded by the pattern itself. */
export function pattern(source: string, flags = ''): RegExp {
  return new RegExp(`${startsHere}(?:${source})${endsHere}`, `y${flags}`);
}

/** @returns the end of the match at `start`, if the match lies within the bounds of `place` */
export function matchAt(sticky: RegExp, position: Position, start: number): number | undefined {
  if (start < position.from) return undefined;
  sticky.lastIndex = start;
  if (!sticky.test(position.text) || sticky.lastIndex > position.to) return undefined;
  return sticky.lastIndex;
}

export function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) < 123;
}

const separators = new RegExp(`[${blank}${dash}./]`, 'g');

export function withoutSeparators(number: string): string {
  return number.replace(separators, '');
}
