// Amounts in the decimal forms that vendors write: summed exactly, rounded once.
import { describe, expect, it } from 'vitest';
import { dividedBy, parseDecimal, times, usdText, wholeOf } from '../../../../gatewayctl/bills/decimal.ts';

const read = (text: string) => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
};

describe('a decimal', () => {
  it.each([
    ['0', '0'],
    ['1', '1'],
    ['0.1', '0.1'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-2.50', '-2.5'],
    ['+3', '3'],
    ['1.2e-05', '0.000012'],
    ['1.5E3', '1500'],
    ['12345678.000000001', '12345678.000000001'],
    // Halves are rounded away from zero, at the ninth decimal.
    ['0.0000000005', '0.000000001'],
    ['-0.0000000005', '-0.000000001'],
    ['0.00000000049', '0'],
    ['-0.00000000049', '0'],
    ['7.1e-7', '0.00000071'],
  ])('%s is %s USD', (text, usd) => {
    expect(usdText(read(text))).toBe(usd);
  });

  it.each(['', '.', '-', '1,5', '1e', 'NaN', '0x1', '1 2', '1e9999', 'Infinity'])('%j is refused', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('loses nothing in a sum of many small amounts', () => {
    const part = read('0.0000000001');
    let sum = 0n;
    for (let n = 0; n < 100_000; n++) sum += part;
    expect(usdText(sum)).toBe('0.00001');
  });

  it('is multiplied and divided exactly', () => {
    expect(wholeOf(times(read('123.4565'), 1000))).toBe(123_457);
    expect(usdText(dividedBy(read('11'), read('1.1')))).toBe('10');
  });
});
