// Windows of budgets, and the days that name them.
import { expect, it } from 'vitest';
import { type BudgetPeriod, dayOf, totalWindow, windowOf } from '../../../common/budget-window.ts';

const time = (text: string) => Date.parse(text);

it.each<[BudgetPeriod, string, string]>([
  ['day', '2026-11-20T00:00:00.000Z', '2026-11-20'],
  ['day', '2026-11-20T23:59:59.999Z', '2026-11-20'],
  ['week', '2026-11-16T00:00:00.000Z', '2026-11-16'],
  ['week', '2026-11-22T23:59:59.999Z', '2026-11-16'],
  ['week', '2026-11-23T00:00:00.000Z', '2026-11-23'],
  ['month', '2026-11-01T00:00:00.000Z', '2026-11-01'],
  ['month', '2026-11-30T23:59:59.999Z', '2026-11-01'],
  ['month', '2026-12-01T00:00:00.000Z', '2026-12-01'],
  ['month', '2028-02-29T12:00:00.000Z', '2028-02-01'],
  ['total', '2026-11-20T12:00:00.000Z', totalWindow],
])('the %s window of %s is named %s', (period, at, window) => {
  expect(windowOf(period, time(at))).toBe(window);
});

it('the name of a window does not depend on earlier calls', () => {
  const [before, after] = [time('2026-11-30T23:59:59.999Z'), time('2026-12-01T00:00:00.000Z')];
  const names = [before, after, before, after].map((at) => [dayOf(at), windowOf('week', at), windowOf('month', at)]);
  const [first, second] = [
    ['2026-11-30', '2026-11-30', '2026-11-01'],
    ['2026-12-01', '2026-11-30', '2026-12-01'],
  ];
  expect(names).toEqual([first, second, first, second]);
});

it('names days before 1970 too, and refuses a time that is not a number', () => {
  expect(dayOf(-1)).toBe('1969-12-31');
  expect(() => dayOf(Number.NaN)).toThrow(RangeError);
});
