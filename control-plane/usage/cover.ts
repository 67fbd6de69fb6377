// Covers a range of time with months, days and hours, so that few rows of sums are read. At an edge it may be cheaper to
// take a whole day and subtract the hours that are outside. Pure.
import { nextUnit, type SumUnit, startOfUnit } from './levels.ts';

/** The sums of whole units from `from` to `to`, added or subtracted. */
export interface Piece {
  readonly unit: SumUnit;
  readonly from: number;
  readonly to: number;
  readonly sign: 1 | -1;
}

export interface CoverRange {
  /** Start of an hour. */
  readonly from: number;
  /** End of an hour. */
  readonly to: number;
  /** No rows are at or after this time. */
  readonly until: number;
}

/**
 * @param units the coarsest first; the last must be `hour`
 * @returns pieces whose signed sum is that of the range; none if the range is empty
 */
export function cover({ from, to, until }: CoverRange, units: readonly SumUnit[]): readonly Piece[] {
  const [coarsest] = units;
  if (coarsest === undefined || from >= Math.min(to, until)) return [];
  // To the end of the rows, any end is the same: that of a whole unit is the cheapest.
  const end = to < until ? to : endOf(coarsest, until);
  return coverWith(units, from, end)
    .map((piece) => ({ ...piece, to: Math.min(piece.to, endOf(piece.unit, until)) }))
    .filter((piece) => piece.from < piece.to);
}

function endOf(unit: SumUnit, at: number): number {
  const start = startOfUnit(unit, at);
  return start === at ? at : nextUnit(unit, start);
}

function coverWith(units: readonly SumUnit[], from: number, to: number): readonly Piece[] {
  if (from >= to) return [];
  const [unit = 'hour', ...finer] = units;
  if (finer.length === 0) return [{ unit, from, to, sign: 1 }];
  const start = startOfUnit(unit, from);
  const first = start === from ? from : nextUnit(unit, start);
  const last = startOfUnit(unit, to);
  if (first > last) return part(units, from, to);
  const whole: readonly Piece[] = first < last ? [{ unit, from: first, to: last, sign: 1 }] : [];
  return [...part(units, from, first), ...whole, ...part(units, last, to)];
}

/** A part of one unit: of finer units, or the whole unit without the rest. */
function part(units: readonly SumUnit[], from: number, to: number): readonly Piece[] {
  if (from >= to) return [];
  const [unit = 'hour', ...finer] = units;
  const start = startOfUnit(unit, from);
  const end = nextUnit(unit, start);
  const own = coverWith(finer, from, to);
  const rest = [...coverWith(finer, start, from), ...coverWith(finer, to, end)];
  const without: readonly Piece[] = [{ unit, from: start, to: end, sign: 1 }, ...rest.map(negative)];
  return costOf(without) < costOf(own) ? without : own;
}

function negative(piece: Piece): Piece {
  return { ...piece, sign: piece.sign === 1 ? -1 : 1 };
}

/** How many units are read. A unit has about as many rows, whichever it is: those of the keys in use. */
function costOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { unit, from, to }) => sum + (to - from) / typicalMs[unit], 0);
}

const typicalMs = { hour: 3_600_000, day: 86_400_000, month: 2_592_000_000 } as const satisfies Record<SumUnit, number>;
