// Times in people's words, at one instant: Wednesday, 4 March 2026, 10:30 UTC.
import { describe, expect, it } from 'vitest';
import { periodOf, startOf } from '../../../gatewayctl/time-words.ts';

const now = Date.parse('2026-03-04T10:30:00Z');
const midnight = (day: string) => `2026-${day}T00:00:00.000Z`;

describe('a period', () => {
  it.each([
    ['today', { from: midnight('03-04') }],
    ['yesterday', { from: midnight('03-03'), to: midnight('03-04') }],
    ['this-week', { from: midnight('03-02') }],
    ['week', { from: midnight('02-23'), to: midnight('03-02') }],
    ['this-month', { from: midnight('03-01') }],
    ['month', { from: midnight('02-01'), to: midnight('03-01') }],
    ['90m', { from: '2026-03-04T09:00:00.000Z' }],
    ['7d', { from: '2026-02-25T10:30:00.000Z' }],
  ])('%s', (text, period) => {
    expect(periodOf(text, now)).toEqual(period);
  });

  it('before the first day of a year, and on a Sunday, is the right one', () => {
    const sunday = Date.parse('2026-01-04T23:59:59Z');
    expect(periodOf('month', sunday)).toEqual({ from: '2025-12-01T00:00:00.000Z', to: midnight('01-01') });
    expect(periodOf('this-week', sunday)).toEqual({ from: '2025-12-29T00:00:00.000Z' });
  });

  it.each(['tomorrow', '', '1', 'toString'])('"%s" is refused with the words that there are', (text) => {
    expect(() => periodOf(text, now)).toThrow('or one of today, yesterday, week, month');
  });
});

it('an instant is the start of a period or date, or is unchanged', () => {
  expect(startOf('yesterday', now)).toBe(midnight('03-03'));
  expect(startOf('1h', now)).toBe('2026-03-04T09:30:00.000Z');
  expect(startOf('2026-01-31', now)).toBe('2026-01-31T00:00:00Z');
  expect(startOf('2026-01-31T12:00:00+02:00', now)).toBe('2026-01-31T12:00:00+02:00');
});
