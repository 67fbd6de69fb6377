// Amounts as vendors write them, such as "1.2e-05". They are summed exactly and rounded once, to nano-dollars, when a
// row is complete.

/** In units of 10^-18. */
export type Decimal = bigint;

const decimals = 18;
const form = /^([+-]?)(\d{0,30})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Digits after the eighteenth decimal are cut off. @returns undefined if the text is not a number */
export function parseDecimal(text: string): Decimal | undefined {
  const [whole, sign, before = '', after = '', exponent = '0'] = form.exec(text.trim()) ?? [];
  if (whole === undefined || before.length + after.length === 0) return undefined;
  const shift = decimals + Number(exponent) - after.length;
  const digits = BigInt(before + after);
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -value : value;
}

/** USD with at most nine decimals, rounded half away from zero, as the contract requires. */
export function usdText(value: Decimal): string {
  const sign = value < 0n ? '-' : '';
  const nano = ((value < 0n ? -value : value) + unit / 2n) / unit;
  const digits = nano.toString().padStart(10, '0');
  const decimals = digits.slice(-9).replace(/0+$/, '');
  const text = `${digits.slice(0, -9)}${decimals === '' ? '' : `.${decimals}`}`;
  return nano === 0n ? '0' : `${sign}${text}`;
}

const unit = 10n ** BigInt(decimals - 9);

/** A count, such as of tokens, rounded to a whole number. */
export function wholeOf(value: Decimal): number {
  const one = 10n ** BigInt(decimals);
  return Number((value + one / 2n) / one);
}

/** Multiplies by a whole number. */
export function times(value: Decimal, factor: number): Decimal {
  return value * BigInt(factor);
}

/** Divides by another decimal, such as a rate. @throws RangeError for a division by zero */
export function dividedBy(value: Decimal, divisor: Decimal): Decimal {
  return (value * 10n ** BigInt(decimals)) / divisor;
}

/**
 * Parses JSON and keeps numbers as texts, so that amounts keep all their digits.
 * @throws SyntaxError
 */
export function parseExactNumbers(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? context.source : value,
  );
}
