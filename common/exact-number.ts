// A JSON number that JavaScript would not write back as it was written: too long for a double, or spelled in another way (`1.0`, `1e3`,
// `-0`). It goes out letter by letter as it came. Whoever computes or compares gets the nearest double; `typeof` and `===` do not see it
// as a number, so they are asked through this file.

export class ExactNumber {
  /** As RFC 8259 writes numbers. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The nearest double; Infinity beyond them all. */
  valueOf(): number {
    return Number(this.source);
  }

  toString(): string {
    return this.source;
  }

  toJSON(): object {
    return JSON.rawJSON(this.source);
  }
}

/** A number of a parsed text: plain where it is written as JavaScript writes it. */
export type JsonNumber = number | ExactNumber;

export function isNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** The number as a double; undefined for what is no number. */
export function plainNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? value.valueOf() : undefined;
}

/** Whether it is whole as it is written, not only when rounded. */
export function isWhole(value: JsonNumber): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  const { digits, exponent } = decimalOf(value.source);
  return digits === '' || exponent >= 0;
}

/** The number itself, letter by letter, unless it is larger. */
export function atMost(value: JsonNumber, max: number): JsonNumber {
  return Number(value) > max ? max : value;
}

/**
 * All digits of a whole number, without fraction or exponent: `-1.50e3` → `-1500`.
 * @param max of digits; an exponent may stand for more of them than there is memory
 * @returns undefined for a number that is not whole or has more digits
 */
export function wholeDigits(value: JsonNumber, max: number): string | undefined {
  const { sign, digits, exponent } = decimalOf(String(value));
  if (digits === '') return '0';
  return exponent >= 0 && digits.length + exponent <= max ? sign + digits + '0'.repeat(exponent) : undefined;
}

/** sign digits × 10^exponent; the digits begin and end with another one than 0, and are none of zero. */
interface Decimal {
  readonly sign: '' | '-';
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(source: string): Decimal {
  const sign = source.startsWith('-') ? '-' : '';
  const [mantissa = '', power = '0'] = source.slice(sign.length).split(/[eE]/);
  const [before = '', behind = ''] = mantissa.split('.');
  const written = before + behind;
  // By hand: a regular expression that looks for zeros at the end takes time by the square of their number.
  let [start, end] = [0, written.length];
  while (start < end && written[start] === '0') start++;
  while (end > start && written[end - 1] === '0') end--;
  const exponent = Number(power) - behind.length + written.length - end;
  return { sign, digits: written.slice(start, end), exponent };
}

declare global {
  interface JSON {
    /** ECMAScript, "JSON.parse source text access": written by JSON.stringify as it is. @throws SyntaxError for no JSON scalar */
    rawJSON(text: string): object;
  }
}
