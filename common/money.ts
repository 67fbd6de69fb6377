// Money: USD as a decimal string at the edges, integer nano-dollars inside, so that sums are exact.
export const nanoPerUsd = 1_000_000_000;

/** Maximum of a budget's window. 2^53 nano-dollars are slightly more. */
export const budgetUsdMax = 9_000_000;

const usdForm = /^(\d{1,7})(?:\.(\d{1,9}))?$/;

/** @returns nano-dollars; undefined if the text is not a decimal string of at most seven digits and nine decimals */
export function nanoOfUsd(text: string): number | undefined {
  const match = usdForm.exec(text);
  if (match === null) return undefined;
  const [, whole = '', decimals = ''] = match;
  return Number(whole) * nanoPerUsd + Number(decimals.padEnd(9, '0'));
}

/**
 * @param nano whole nano-dollars, possibly negative; sums over many windows may need a bigint.
 * @returns "12.5", without unnecessary decimals
 */
export function usdOfNano(nano: number | bigint): string {
  const sign = nano < 0 ? '-' : '';
  const digits = String(nano).replace('-', '').padStart(10, '0');
  const decimals = digits.slice(-9).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -9)}${decimals === '' ? '' : `.${decimals}`}`;
}
