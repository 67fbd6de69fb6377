import { expect, it } from 'vitest';
import { roundsOf, startingSeed } from '../support/seed.ts';
import { fuzzResponses } from './http1-responses-fuzz.ts';

const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? roundsOf(3000) : 1;

it(`no response is read in another way than by undici (seeds from ${seed})`, async () => {
  const outcomes = await fuzzResponses({ seed, cases });
  console.log(Object.fromEntries(outcomes));
  if (given !== undefined) return;
  expect(outcomes.get('both accept')).toBeGreaterThan(cases / 10);
  expect(outcomes.get('both refuse')).toBeGreaterThan(cases / 10);
});
