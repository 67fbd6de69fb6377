import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { plainModels } from '../support/vendors.ts';
import { fuzzResponses } from './responses-fuzz.ts';
import { fuzzTranslators } from './translate-fuzz.ts';

// GATEWAY_FUZZ_SEED repeats the case that a failure names.
const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? 600 : 1;
const vendors = Object.keys(plainModels);

it(`a vendor accepts every translated request, and its response contains the same whole and streamed (seeds from ${seed})`, async () => {
  const outcomes = await fuzzTranslators({ seed, cases });
  if (given !== undefined) return;
  // Requests that are all refused would prove little.
  expect(vendors.filter((vendor) => !outcomes.has(`${vendor} completed`))).toEqual([]);
});

it(`no vendor’s response makes a translator throw, hang or lie (seeds from ${seed})`, async () => {
  const outcomes = await fuzzResponses({ seed, cases: given === undefined ? 2000 : 1 });
  if (given !== undefined) return;
  const failed = vendors.flatMap((vendor) => [`${vendor} stream failed`, `${vendor} whole failed`]);
  const completed = vendors.map((vendor) => `${vendor} stream completed`);
  expect([...failed, ...completed].filter((outcome) => !outcomes.has(outcome))).toEqual([]);
});
