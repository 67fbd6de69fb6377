import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { fuzzRedactions } from './redactions-fuzz.ts';

// GATEWAY_FUZZ_SEED repeats the case that a failure names.
const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);

it(`JSON stays JSON, whatever is redacted in it, whole and in pieces (seeds from ${seed})`, () => {
  const cases = given === undefined ? 400 : 1;
  const { texts } = fuzzRedactions({ seed, cases });
  // Texts without a match would prove nothing.
  if (given === undefined) expect(texts).toBeGreaterThan(cases / 4);
});
