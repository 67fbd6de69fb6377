// The ledger's model over the reference and over both databases. GATEWAY_TEST_ROUNDS=2 runs the long form; `node
// test/model/run-ledger.ts` runs any number of schedules.
import { afterAll, describe, expect, it } from 'vitest';
import { roundsOf, startingSeed } from '../support/seed.ts';
import { type Backend, type BackendName, openBackend } from './ledger.backends.ts';
import { type Fault, faults } from './ledger.faults.ts';
import {
  describeFailure,
  runSchedule,
  ScheduleFailure,
  type ScheduleOptions,
  type ScheduleReport,
} from './ledger.model.ts';

// GATEWAY_MODEL_SEED repeats the schedule that a failure names.
const given = process.env.GATEWAY_MODEL_SEED;
const firstSeed = given === undefined ? startingSeed() : Number(given);

// A model that never reaches these events would prove nothing.
const reached = [
  ...['ran', 'waited', 'exceeded', 'busy', 'unavailable', 'used up', 'returned'],
  ...['acquisition granted', 'acquisition exceeded', 'acquisition busy'],
  ...['acquisition gone', 'acquisition window', 'acquisition deleted'],
  ...['reported', 'overflowed', 'drained', 'above its reservation', 'not charged', 'lowered below', 'reset'],
  ...['noted', 'opened', 'killed and reported', 'adopted settled', 'restored', 'left, read on', 'left, not read'],
];

describe.each<[BackendName, number]>([
  ['memory', roundsOf(100)],
  ['sqlite', roundsOf(10)],
  // One schedule with concurrent operations, and one without.
  ['postgres', roundsOf(2)],
])(`the ledger over %s (seeds from ${firstSeed})`, (name, schedules) => {
  let backend: Backend;
  afterAll(() => backend.close());

  it('spends no money twice, loses none, and exceeds a limit only in counted exceptions', async () => {
    backend = await openBackend(name);
    const seen = new Map<string, number>();
    for (let seed = firstSeed; seed < firstSeed + (given === undefined ? schedules : 1); seed++) {
      const { openSide } = backend;
      const report = await runOrReport({ seed, openSide, concurrent: seed % 2 === 1, compares: true });
      for (const [what, count] of report) seen.set(what, (seen.get(what) ?? 0) + count);
    }
    if (given === undefined && name === 'memory' && schedules >= 100)
      expect(reached.filter((what) => !seen.has(what))).toEqual([]);
  });
});

describe.each<[BackendName, number]>([
  ['sqlite', roundsOf(3)],
  ['postgres', roundsOf(1)],
])(`budgets for each key over %s (seeds from ${firstSeed})`, (name, schedules) => {
  let backend: Backend;
  afterAll(() => backend.close());

  it('make their counters on first use, and each spends no money twice, loses none, and exceeds no limit', async () => {
    backend = await openBackend(name);
    for (let seed = firstSeed; seed < firstSeed + (given === undefined ? schedules : 1); seed++) {
      const { openSide } = backend;
      await runOrReport({ seed, openSide, concurrent: seed % 2 === 1, compares: true, eachKey: true });
    }
  });
});

async function runOrReport(options: ScheduleOptions): Promise<ScheduleReport> {
  try {
    return await runSchedule(options);
  } catch (error) {
    throw error instanceof ScheduleFailure ? new Error(describeFailure(error), { cause: error }) : error;
  }
}

// Uses the invariants only, without a comparison with the reference.
describe('the invariants of the ledger', () => {
  it.each(Object.entries(faults))(
    'find the fault: %s',
    async (_name, fault) => {
      expect(await findFailure(fault)).toBeInstanceOf(ScheduleFailure);
    },
    60_000,
  );
});

/** Refusals that are not stored fail in about one of five hundred schedules. */
const triesMax = 2000;
/** The first schedules that find the rarest faults: the search starts there instead of at 1. */
const foundAt = new Map<Fault, number>([
  [faults['refusals are not stored'], 115],
  [faults['a release checks the session, not the lease'], 28],
  [faults['freed money that is released late is taken twice'], 40],
  [faults['an event has the time at which its request ended'], 17],
]);

async function findFailure(fault: Fault): Promise<unknown> {
  const first = foundAt.get(fault) ?? 1;
  for (let seed = first; seed < first + triesMax; seed++) {
    try {
      await runSchedule({ ...fault, seed, concurrent: false, compares: false });
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
