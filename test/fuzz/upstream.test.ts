import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { fuzzUpstream } from './upstream-fuzz.ts';

// GATEWAY_FUZZ_SEED repeats the case that a failure names.
const given = process.env.GATEWAY_FUZZ_SEED;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? 300 : 1;

it(`no provider makes the gateway crash, hang or lie (seeds from ${seed})`, async () => {
  const outcomes = await fuzzUpstream({ seed, cases });
  if (given !== undefined) return;
  // Providers that all fail in the same way would prove little.
  const completed = ['whole 200 ok', 'stream 200 ok', 'stream 200 cut upstream_protocol_error'];
  const refused = [
    'whole 502 upstream_protocol_error',
    'stream 502 upstream_protocol_error',
    'whole 504 upstream_timeout',
  ];
  expect([...completed, ...refused].filter((outcome) => !outcomes.has(outcome))).toEqual([]);
});
