// The first case of tests over random cases: the same each time, so that a result depends on the change and not on
// luck. `GATEWAY_TEST_SEED=random npm test` searches for new cases, as do the long runs (`node test/model/run-ledger.ts
// …`).
const given = process.env.GATEWAY_TEST_SEED;
// Share of a test's random cases that run: half in `npm test`, a quarter in the inner loop, and `GATEWAY_TEST_ROUNDS=20
// npm test -- <path>` for the long form.
const share = Number(process.env.GATEWAY_TEST_ROUNDS ?? 1);

/** A whole number; failure messages name it. @throws Error if the setting is neither a number nor `random` */
export function startingSeed(): number {
  if (given === 'random') return Math.floor(Math.random() * 1_000_000_000);
  const seed = Number(given ?? 1);
  if (!Number.isSafeInteger(seed)) throw new Error(`GATEWAY_TEST_SEED is a whole number or "random", not ${given}`);
  return seed;
}

/** @returns how many of `count` random cases this run tries, at least one */
export function roundsOf(count: number): number {
  return Math.ceil(count * checkedShare());
}

/**
 * @returns one of each `every` cases, so that `every` turns try them all; with `GATEWAY_TEST_ROUNDS=<every>` each turn
 * does
 */
export function inTurn<Case>(cases: readonly Case[], turn: number, every: number): readonly Case[] {
  return cases.filter((_, index) => (index + turn) % every < roundsOf(1));
}

/**
 * @returns the positions from `first` to before `end` that this run of an exhaustive search tries: all of them, or an even
 * share in the inner loop
 */
export function positionsOf(first: number, end: number): readonly number[] {
  const step = Math.max(1, Math.round(1 / checkedShare()));
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / step)) }, (_, index) => first + index * step);
}

export interface Searcher {
  readonly index: number;
  /** The number of them. */
  readonly all: number;
}

/** Like positionsOf, for several searches of the same positions: together they try all, and each a share of them. */
export function sharedPositionsOf(first: number, end: number, { index, all }: Searcher): readonly number[] {
  const step = Math.max(1, Math.round(all / checkedShare()));
  const start = first + (index % step);
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, count) => start + count * step);
}

function checkedShare(): number {
  if (share > 0) return share;
  throw new Error(`GATEWAY_TEST_ROUNDS is a number above 0, not ${share}`);
}
