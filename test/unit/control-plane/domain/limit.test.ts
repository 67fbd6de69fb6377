// The size of a limit: a budget has an amount of money for a period, any other limit has a count. Also the names of
// windows.
import { describe, expect, it } from 'vitest';
import { limitResize, limitSize, usdAmount, windowName } from '../../../../control-plane/domain/limit.ts';

const problem = expect.objectContaining({ problems: expect.anything() });

describe('an amount of USD', () => {
  it.each([
    ['0.000000001', 1],
    ['1', 1_000_000_000],
    ['12.50', 12_500_000_000],
    ['9000000', 9_000_000_000_000_000],
  ])('%s is read as %i nano-dollars', (text, value) => {
    expect(usdAmount(text)).toEqual({ value });
  });

  it.each([
    ...[undefined, '', '0', '0.0', '-1', '+1', ' 1', '1.', '.5', '1e3', '1,5', '0x1', 'NaN'],
    ...['0.0000000001', '9000000.000000001', '9999999.999999999', '10000000', '١'],
  ])('%s is refused', (text) => {
    expect(usdAmount(text)).toEqual(problem);
  });
});

describe('the size of a limit', () => {
  const money = { amountUsd: '5', period: 'BUDGET_PERIOD_WEEK' };
  const nothing = { value: undefined };

  it('is an amount of money for a budget and a count for other limits', () => {
    expect(limitSize(true, money)).toEqual({
      ...{ count: nothing, amount_usd: { value: 5_000_000_000 }, period: { value: 'week' } },
    });
    const none = { amount_usd: nothing, period: nothing };
    expect(limitSize(false, { count: '5' })).toEqual({ count: { value: 5 }, ...none });
  });

  it('is refused when it is of the other kind', () => {
    expect(limitSize(true, { ...money, count: '5' }).count).toEqual(problem);
    const { amount_usd, period } = limitSize(false, { ...money, count: '5' });
    expect([amount_usd, period]).toEqual([problem, problem]);
  });

  it('is required when the limit is created, and optional in a later update', () => {
    expect(Object.values(limitSize(true, {}))).toEqual([nothing, problem, problem]);
    expect(Object.values(limitSize(false, {}))).toEqual([problem, nothing, nothing]);
    for (const present of ['week', null] as const) {
      expect(Object.values(limitResize(present, {}))).toEqual([nothing, nothing, nothing]);
    }
  });

  it('can change its amount, but not its period', () => {
    const changed = { count: nothing, amount_usd: { value: 5_000_000_000 }, period: nothing };
    expect(limitResize('week', money)).toEqual(changed);
    expect(limitResize('day', money).period).toEqual(problem);
    expect(limitResize('week', { count: '5' }).count).toEqual(problem);
    expect(limitResize(null, money)).toMatchObject({ amount_usd: problem, period: problem });
  });
});

describe('the name of a window', () => {
  it.each(['2026-11-20', '2028-02-29', 'total'])('can be %s', (value) => {
    expect(windowName(value)).toEqual({ value });
  });

  it.each(['', 'Total', '2026-02-29', '2026-11-20T00:00:00Z', '2026-11-2', '20261120'])('cannot be %j', (text) => {
    expect(windowName(text)).toEqual(problem);
  });
});
