// A JSON number that JavaScript would write differently than it was written: too long for a double, or spelled in
// another way (`1.0`, `1e3`, `-0`). It is sent out character by character as it came in. Arithmetic and comparison use
// the nearest double. `typeof` and `===` do not recognize it as a number, so use the functions of this file.

export class ExactNumber {
  /** In the syntax of RFC 8259. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The nearest double; Infinity if it is larger than all doubles. */
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

/** A number in a parsed text. It is a plain number if JavaScript writes it the same way. */
export type JsonNumber = number | ExactNumber;

export function isNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** The number as a double; undefined for any other value. */
export function plainNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? value.valueOf() : undefined;
}

/** Whether the number as written is whole, and not only after rounding. */
export function isWhole(value: JsonNumber): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  const { digits, exponent } = decimalOf(value.source);
  return digits === '' || exponent >= 0;
}

/** The number unchanged, unless it is larger than `max`. */
export function atMost(value: JsonNumber, max: number): JsonNumber {
  return Number(value) > max ? max : value;
}

/**
 * All digits of a whole number, without fraction or exponent: `-1.50e3` → `-1500`.
 * @param max maximum of digits; an exponent may stand for more digits than fit in memory
 * @returns undefined for a number that is not whole or has more digits
 */
export function wholeDigits(value: JsonNumber, max: number): string | undefined {
  const { sign, digits, exponent } = decimalOf(String(value));
  if (digits === '') return '0';
  return exponent >= 0 && digits.length + exponent <= max ? sign + digits + '0'.repeat(exponent) : undefined;
}

/** sign digits × 10^exponent. The digits begin and end with a digit other than 0; zero has no digits. */
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
  // A loop, because a regular expression that looks for zeros at the end takes quadratic time in their number.
  let [start, end] = [0, written.length];
  while (start < end && written[start] === '0') start++;
  while (end > start && written[end - 1] === '0') end--;
  const exponent = Number(power) - behind.length + written.length - end;
  return { sign, digits: written.slice(start, end), exponent };
}

declare global {
  interface JSON {
    /**
     * ECMAScript, "JSON.parse source text access": JSON.stringify writes the text unchanged.
     * @throws SyntaxError if the text is not a JSON scalar
     */
    rawJSON(text: string): object;
  }
}
