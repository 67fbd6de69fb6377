// Which months, days and hours are read for a range of time.
import { describe, expect, it } from 'vitest';
import { dayMs, hourMs } from '../../../../common/durations.ts';
import { cover, type Piece } from '../../../../control-plane/usage/cover.ts';
import { nextUnit, type SumUnit } from '../../../../control-plane/usage/levels.ts';
import { Random } from '../../../support/access/random.ts';
import { startingSeed } from '../../../support/seed.ts';

const all = ['month', 'day', 'hour'] as const;
const at = (text: string) => Date.parse(`${text}Z`);
const shown = (pieces: readonly Piece[]) =>
  pieces.map(({ unit, from, to, sign }) => {
    const [start, end] = [from, to].map((time) => new Date(time).toISOString().slice(0, 13));
    return `${sign === 1 ? '+' : '-'} ${unit} ${start} ${end}`;
  });
const late = at('2027-01-01T00:00');

describe('the cover of a range', () => {
  it('is the month alone, when the range is the month until now', () => {
    const range = { from: at('2026-11-01T00:00'), to: at('2026-11-20T10:00'), until: at('2026-11-20T09:00') };
    expect(shown(cover(range, all))).toEqual(['+ month 2026-11-01T00 2026-12-01T00']);
  });

  it('has hours at its edges, whole days inside and whole months between', () => {
    const range = { from: at('2026-09-28T22:00'), to: at('2026-12-02T03:00'), until: late };
    expect(shown(cover(range, all))).toEqual([
      '+ hour 2026-09-28T22 2026-09-29T00',
      '+ day 2026-09-29T00 2026-10-01T00',
      '+ month 2026-10-01T00 2026-12-01T00',
      '+ day 2026-12-01T00 2026-12-02T00',
      '+ hour 2026-12-02T00 2026-12-02T03',
    ]);
  });

  it('subtracts a short rest of a month from the month, and of a day from the day', () => {
    const range = { from: at('2026-11-01T00:00'), to: at('2026-11-28T22:00'), until: late };
    expect(shown(cover(range, all))).toEqual([
      '+ month 2026-11-01T00 2026-12-01T00',
      '- hour 2026-11-28T22 2026-11-29T00',
      '- day 2026-11-29T00 2026-12-01T00',
    ]);
  });

  it('is of days or of hours, where these are distinguished', () => {
    const range = { from: at('2026-11-01T00:00'), to: at('2026-12-01T00:00'), until: late };
    expect(shown(cover(range, ['day', 'hour']))).toEqual(['+ day 2026-11-01T00 2026-12-01T00']);
    expect(shown(cover(range, ['hour']))).toEqual(['+ hour 2026-11-01T00 2026-12-01T00']);
  });

  it.each([
    ['empty', { from: at('2026-11-01T00:00'), to: at('2026-11-01T00:00'), until: late }],
    ['behind all rows', { from: at('2026-11-01T00:00'), to: at('2026-11-02T00:00'), until: at('2026-11-01T00:00') }],
    ['of a database without sums', { from: at('2026-11-01T00:00'), to: at('2026-11-02T00:00'), until: 0 }],
  ])('is nothing, if the range is %s', (_, range) => {
    expect(cover(range, all)).toEqual([]);
  });

  const seed = startingSeed();
  it(`counts each hour of the range once and others never, with few units (seed ${seed})`, () => {
    const random = new Random(seed);
    const start = at('2026-08-30T00:00');
    for (let round = 0; round < 300; round++) {
      const [from = 0, to = 0] = [random.below(130 * 24), random.below(130 * 24)].toSorted((a, b) => a - b);
      const until = random.below(140 * 24);
      const units: readonly SumUnit[] = all.slice(random.below(3));
      const range = { from: start + from * hourMs, to: start + to * hourMs, until: start + until * hourMs };
      const pieces = cover(range, units);
      const counted = new Map<number, number>();
      for (const { from: first, to: last, sign } of pieces)
        for (let hour = first; hour < last; hour += hourMs) counted.set(hour, (counted.get(hour) ?? 0) + sign);
      const expected = new Map<number, number>();
      for (let hour = range.from; hour < Math.min(range.to, range.until); hour += hourMs) expected.set(hour, 1);
      const before = [...counted].filter(([hour, times]) => hour < range.until && times !== 0);
      expect(new Map(before.toSorted(([a], [b]) => a - b))).toEqual(expected);
      if (units.length === 3) expect(unitsIn(pieces)).toBeLessThanOrEqual(4 + 2 * (15 + 12) + 4);
    }
  });
});

function unitsIn(pieces: readonly Piece[]): number {
  let units = 0;
  for (const { unit, from, to } of pieces) for (let start = from; start < to; start = nextUnit(unit, start)) units++;
  return units;
}

it('counts days of 24 hours', () => {
  expect(nextUnit('day', 0)).toBe(dayMs);
});
