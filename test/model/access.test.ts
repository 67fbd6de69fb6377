import { expect, it } from 'vitest';
import { startingSeed } from '../support/seed.ts';
import { runSchedule } from './access.model.ts';

const schedules = 100;

// GATEWAY_MODEL_SEED repeats the schedule that a failure names.
const given = process.env.GATEWAY_MODEL_SEED;
const firstSeed = given === undefined ? startingSeed() : Number(given);

it(`a proxy never serves state older than its feed has delivered, whatever happens (seeds from ${firstSeed})`, async () => {
  const seen = new Map<string, number>();
  for (let seed = firstSeed; seed < firstSeed + (given === undefined ? schedules : 1); seed++)
    for (const [name, count] of await runSchedule(seed)) seen.set(name, (seen.get(name) ?? 0) + count);
  if (given !== undefined) return;
  // A model that never reaches these events would prove nothing.
  const reached = [
    'memory',
    'redis',
    'control_plane',
    'negative',
    'stale',
    'unreadable',
    'outdated',
    'signature',
    'ahead',
    'unavailable',
  ];
  expect(reached.filter((name) => !seen.has(name))).toEqual([]);
});
