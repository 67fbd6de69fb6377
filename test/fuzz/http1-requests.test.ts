import { expect, it } from 'vitest';
import { roundsOf, startingSeed } from '../support/seed.ts';
import { fuzzRequests } from './http1-requests-fuzz.ts';

const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? roundsOf(20_000) : 1;

it(`no request is read in another way than by node:http's parser (seeds from ${seed})`, () => {
  const outcomes = fuzzRequests({ seed, cases });
  console.log(Object.fromEntries(outcomes));
  if (given !== undefined) return;
  const accepted = [...outcomes].filter(([outcome]) => outcome.startsWith('accepted'));
  expect(accepted.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(cases / 10);
});
