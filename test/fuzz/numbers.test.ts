import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { plainModels } from '../support/vendors.ts';
import { fuzzNumbers } from './numbers-fuzz.ts';

// GATEWAY_FUZZ_SEED repeats the case that a failure names.
const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);

it(`every number is carried unchanged to every vendor and back (seeds from ${seed})`, async () => {
  const carried = await fuzzNumbers({ seed, cases: given === undefined ? 600 : 1 });
  if (given !== undefined) return;
  // Cases without numbers would prove nothing.
  const vendors = Object.keys(plainModels);
  const ways = vendors.flatMap((vendor) =>
    ['none', 'input', 'output', 'both', 'service'].flatMap((stage) =>
      [`request, guardrail ${stage}`, `whole, guardrail ${stage}`, `stream, guardrail ${stage}`].map(
        (way) => `${vendor} ${way}`,
      ),
    ),
  );
  expect(ways.filter((way) => (carried.get(way) ?? 0) === 0)).toEqual([]);
});
