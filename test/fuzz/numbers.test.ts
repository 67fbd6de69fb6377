import { expect, it } from 'vitest';
import { plainModels } from '../support/vendors.ts';
import { fuzzNumbers } from './numbers-fuzz.ts';

// GATEWAY_FUZZ_SEED repeats the case that a failure names.
const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(given);

const vendors = Object.keys(plainModels);
const ways = vendors.flatMap((vendor) =>
  ['none', 'input', 'output', 'both'].flatMap((stage) =>
    [`request, guardrail ${stage}`, `whole, guardrail ${stage}`, `stream, guardrail ${stage}`].map(
      (way) => `${vendor} ${way}`,
    ),
  ),
);
const batchesMax = 20;

it(`every number is carried as it is written, to every vendor and back (seeds from ${seed})`, async () => {
  if (given !== undefined) return void (await fuzzNumbers({ seed, cases: 1 }));
  // Cases without numbers would prove nothing: it goes on until every way has carried some.
  const missing = new Set(ways);
  for (let batch = 0; batch < batchesMax && (batch < 3 || missing.size > 0); batch++) {
    const carried = await fuzzNumbers({ seed: seed + batch * 1000, cases: 300 });
    for (const [way, count] of carried) if (count > 0) missing.delete(way);
  }
  expect([...missing]).toEqual([]);
}, 120_000);
