// Windows of budgets by the clocks of a time zone: days of 23 and 25 hours, midnights that do not exist or come twice,
// and that windows neither overlap nor leave gaps.
import { describe, expect, it } from 'vitest';
import { type BudgetCalendar, isWindowName, windowEnd, windowOf, windowStart } from '../../../common/budget-window.ts';
import { isTimeZone, type LocalCalendar } from '../../../common/local-windows.ts';
import { Random } from '../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';

const time = (text: string) => Date.parse(text);
const hourMs = 3_600_000;

function local(period: LocalCalendar['period'], timeZone: string, more: Partial<LocalCalendar> = {}): LocalCalendar {
  return { period, timeZone, hour: 0, weekday: 1, dayOfMonth: 1, month: 1, ...more };
}

const berlin = 'Europe/Berlin';
const newYork = 'America/New_York';

it.each<[string, BudgetCalendar, string, string, string]>([
  ['an hour', 'hour', '2026-11-20T05:59:59.999Z', '2026-11-20T05:00Z', '2026-11-20T06:00Z'],
  ['a quarter', 'quarter', '2026-11-20T12:00:00Z', '2026-10-01', '2027-01-01T00:00Z'],
  ['the first day of a quarter', 'quarter', '2027-01-01T00:00:00Z', '2027-01-01', '2027-04-01T00:00Z'],
  ['a day in winter', local('day', berlin), '2026-11-20T22:59:59Z', '2026-11-19T23:00Z', '2026-11-20T23:00Z'],
  [
    'a day from six',
    local('day', newYork, { hour: 6 }),
    '2026-11-20T10:59:00Z',
    '2026-11-19T11:00Z',
    '2026-11-20T11:00Z',
  ],
  [
    'half an hour beside',
    local('day', 'Asia/Kolkata'),
    '2026-11-20T18:29:59Z',
    '2026-11-19T18:30Z',
    '2026-11-20T18:30Z',
  ],
  ['a week', local('week', berlin), '2026-11-22T22:59:59Z', '2026-11-15T23:00Z', '2026-11-22T23:00Z'],
  [
    'a week from Sunday',
    local('week', newYork, { weekday: 7 }),
    '2026-11-22T05:00:00Z',
    '2026-11-22T05:00Z',
    '2026-11-29T05:00Z',
  ],
  ['a month', local('month', newYork), '2026-12-01T04:59:59Z', '2026-11-01T04:00Z', '2026-12-01T05:00Z'],
  [
    'a month from the 15th',
    local('month', 'UTC', { dayOfMonth: 15 }),
    '2026-12-14T23:00:00Z',
    '2026-11-15T00:00Z',
    '2026-12-15T00:00Z',
  ],
  [
    'a quarter from February',
    local('quarter', 'UTC', { month: 2 }),
    '2027-01-31T23:00:00Z',
    '2026-11-01T00:00Z',
    '2027-02-01T00:00Z',
  ],
  ['23 hours', local('day', berlin), '2026-03-29T12:00:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
  ['25 hours', local('day', berlin), '2026-10-25T12:00:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
  // The clocks go from 2:00 to 3:00.
  [
    'a start that is skipped',
    local('day', berlin, { hour: 2 }),
    '2026-03-29T12:00:00Z',
    '2026-03-29T01:00Z',
    '2026-03-30T00:00Z',
  ],
  // The clocks go from 3:00 back to 2:00, and show 2:00 twice.
  [
    'a start that comes twice',
    local('day', berlin, { hour: 2 }),
    '2026-10-25T12:00:00Z',
    '2026-10-25T00:00Z',
    '2026-10-26T01:00Z',
  ],
  // The clocks go from 24:00 to 1:00.
  [
    'a midnight that is skipped',
    local('day', 'Africa/Cairo'),
    '2026-04-24T12:00:00Z',
    '2026-04-23T22:00Z',
    '2026-04-24T21:00Z',
  ],
  // The clocks go from 24:00 back to 23:00: midnight comes an hour after that.
  [
    'an evening that comes twice',
    local('day', 'America/Santiago'),
    '2026-04-05T12:00:00Z',
    '2026-04-05T04:00Z',
    '2026-04-06T04:00Z',
  ],
  [
    'half an hour of summer time',
    local('day', 'Australia/Lord_Howe', { hour: 2 }),
    '2026-10-04T03:00:00Z',
    '2026-10-03T15:30Z',
    '2026-10-04T15:00Z',
  ],
])('a window of %s is named by its start', (...row) => {
  const [, calendar, at, window, end] = row;
  expect(windowOf(calendar, time(at))).toBe(window);
  expect(windowEnd(calendar, time(at))).toBe(time(end));
  expect(isWindowName(window)).toBe(true);
  expect(windowOf(calendar, windowStart(window) ?? 0)).toBe(window);
});

describe('the windows of a calendar', () => {
  const zones = [berlin, newYork, 'Asia/Kolkata', 'America/Santiago', 'Africa/Cairo', 'Africa/Casablanca'];
  zones.push('Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kiritimati', 'America/St_Johns', 'Asia/Gaza', 'UTC');

  it('follow each other without a gap and without an overlap', () => {
    const random = new Random(startingSeed());
    for (let round = 0; round < roundsOf(150); round++) {
      const period = random.pick(['day', 'week', 'month', 'quarter'] as const);
      const calendar = local(period, random.pick(zones), {
        ...{ hour: random.below(24), weekday: 1 + random.below(7) },
        ...{ dayOfMonth: 1 + random.below(28), month: 1 + random.below(3) },
      });
      const at = time('2026-01-01T00:00:00Z') + random.below(3 * 366 * 24 * 60) * 60_000;
      const what = `${JSON.stringify(calendar)} at ${new Date(at).toISOString()}`;
      const [window, end = 0] = [windowOf(calendar, at), windowEnd(calendar, at)];
      const start = windowStart(window) ?? 0;
      expect([what, start <= at, at < end]).toEqual([what, true, true]);
      expect([what, windowOf(calendar, start), windowOf(calendar, end - 1)]).toEqual([what, window, window]);
      expect([what, windowStart(windowOf(calendar, end)), windowOf(calendar, start - 1) === window]).toEqual([
        what,
        end,
        false,
      ]);
      if (period === 'day') expect(Math.abs(end - start - 24 * hourMs)).toBeLessThanOrEqual(hourMs);
    }
  });
});

it.each(['2026-02-30', '2026-11-20T05:00', '2026-11-20T25:00Z', '2026-11-20T05:00:00Z', 'today', ''])(
  '%j is no name of a window',
  (text) => {
    expect(isWindowName(text)).toBe(false);
  },
);

it('knows the names of the IANA database, and no offsets', () => {
  expect(['UTC', berlin, 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
  expect(['', '+02:00', 'Berlin', 'Europe/Nowhere', 'CET+1', '../etc'].some(isTimeZone)).toBe(false);
});
