// Where tests over cases made by chance begin: at the same case each time, so that a run says something about the change and not about
// luck. `GATEWAY_TEST_SEED=random npm test` looks for new cases, and the long runs (`node test/model/run-ledger.ts …`) do.
const given = process.env.GATEWAY_TEST_SEED;
// How many of its cases a test of random ones tries: all in `npm test`, a quarter in the inner loop, and `GATEWAY_TEST_ROUNDS=20 npm test
// -- <path>` for the long form.
const share = Number(process.env.GATEWAY_TEST_ROUNDS ?? 1);

/** A whole number; a failure names the one to repeat. @throws Error where the setting is neither a number nor `random` */
export function startingSeed(): number {
  if (given === 'random') return Math.floor(Math.random() * 1_000_000_000);
  const seed = Number(given ?? 1);
  if (!Number.isSafeInteger(seed))
    throw new Error(`GATEWAY_TEST_SEED is a whole number or "random", not ${given}`);
  return seed;
}

/** @returns so many of `count` random cases as this run is to try, at least one */
export function roundsOf(count: number): number {
  if (!(share > 0)) throw new Error(`GATEWAY_TEST_ROUNDS is a number above 0, not ${share}`);
  return Math.ceil(count * share);
}
