// What may stand where a number begins: the interface of the types of personal data that have digits. A finding depends on nothing
// but what stands up to 32 units before it and `reachMax` behind its first digit, so that a text may come in pieces.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a group of digits begins in folded text. */
export interface Place {
  readonly text: string;
  /** The first digit of the group. */
  readonly at: number;
  /** Nothing starts before this. */
  readonly from: number;
  /** Nothing goes on behind this. */
  readonly to: number;
  /** That follow one another from there, with no more than separators between them. */
  readonly digits: number;
  /** What stands before a number, as far as it may decide about it. */
  before(start: number): string;
}

export interface NumberType {
  readonly label: string;
  find(place: Place): Span | undefined;
}

/** No number is longer from its first digit on. */
export const reachMax = 80;

/** Between groups of digits. */
export const blank = ' \\u00a0\\u2007\\u2009\\u202f';
export const dash = '\\-\\u2010-\\u2015\\u2212';

/** Of scripts that part words by blanks: those of others may stand right beside a number. */
const letter = 'A-Za-z\\u0370-\\u06ff';

/** In a pattern: no longer word or number ends here. */
export const startsHere = `(?<![0-9_${letter}])(?<![0-9${letter}][.#${dash}])`;
/** In a pattern: no longer word or number goes on here. */
export const endsHere = `(?![0-9_${letter}])(?![.${dash}][0-9${letter}])`;

/** The pattern, held against one place at a time: it backtracks over nothing that it does not bound itself. */
export function pattern(source: string, flags = ''): RegExp {
  return new RegExp(`${startsHere}(?:${source})${endsHere}`, `y${flags}`);
}

/** @returns the end of what the pattern matches at `start`, if it lies within the place */
export function matchAt(sticky: RegExp, place: Place, start: number): number | undefined {
  if (start < place.from) return undefined;
  sticky.lastIndex = start;
  if (!sticky.test(place.text) || sticky.lastIndex > place.to) return undefined;
  return sticky.lastIndex;
}

export function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) < 123;
}

const separators = new RegExp(`[${blank}${dash}./]`, 'g');

export function withoutSeparators(number: string): string {
  return number.replace(separators, '');
}
