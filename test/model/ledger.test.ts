import { afterAll, describe, expect, it } from 'vitest';
import { type Backend, type BackendName, openBackend } from './ledger.backends.ts';
import { faults } from './ledger.faults.ts';
import { runSchedule, ScheduleFailure } from './ledger.model.ts';

// GATEWAY_MODEL_SEED repeats the schedule that a failure names.
const given = process.env.GATEWAY_MODEL_SEED;
const firstSeed = given === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(given);

// A model that never gets anywhere holds trivially.
const reached = [
  ...['ran', 'waited', 'exceeded', 'busy', 'unavailable', 'used up', 'returned'],
  ...['drawn granted', 'drawn exceeded', 'drawn busy', 'drawn gone', 'drawn window', 'drawn deleted'],
  ...['reported', 'overflowed', 'drained'],
];

describe.each<[BackendName, number]>([
  ['memory', 150],
  ['sqlite', 60],
  ['postgres', 10],
])(`the ledger over %s (seeds from ${firstSeed})`, (name, schedules) => {
  let backend: Backend;
  afterAll(() => backend.close());

  it('spends no money twice, forgets none, and passes a limit only where that is counted', async () => {
    backend = await openBackend(name);
    const seen = new Map<string, number>();
    for (let seed = firstSeed; seed < firstSeed + (given === undefined ? schedules : 1); seed++) {
      const report = await runSchedule({
        ...{ seed, openSide: backend.openSide, concurrent: seed % 2 === 1, compares: true },
      });
      for (const [what, count] of report) seen.set(what, (seen.get(what) ?? 0) + count);
    }
    if (given !== undefined || name === 'postgres') return;
    expect(reached.filter((what) => !seen.has(what))).toEqual([]);
  }, 120_000);
});

// By what must always hold alone, without comparing with the reference.
describe('the judge', () => {
  it.each(Object.entries(faults))(`finds that %s (seeds from ${firstSeed})`, async (_name, fault) => {
    const found = await findFailure({ ...fault, concurrent: false, compares: false });
    expect(found).toBeInstanceOf(ScheduleFailure);
  });
});

const triesMax = 150;

async function findFailure(options: Omit<Parameters<typeof runSchedule>[0], 'seed'>): Promise<unknown> {
  for (let seed = firstSeed; seed < firstSeed + triesMax; seed++) {
    try {
      await runSchedule({ ...options, seed });
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
