// Many schedules of the ledger's model: node test/model/run-ledger.ts --schedules 10000 [--seed 1] [--on
// memory|sqlite|postgres]
import { parseArgs } from 'node:util';
import { findServerSource } from '../support/containers.ts';
import { startPostgres } from '../support/postgres.ts';
import { backendNames, openBackend } from './ledger.backends.ts';
import { describeFailure, runSchedule, ScheduleFailure, type ScheduleOptions } from './ledger.model.ts';
import { shrink } from './ledger.schedule.ts';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    on: { type: 'string', default: 'sqlite' },
  },
});
const schedules = Number(values.schedules);
const first = Number(values.seed);
const name = backendNames.find((each) => each === values.on);
if (name === undefined) throw new Error(`--on must be one of ${backendNames.join(', ')}`);
// Without `npm test` there is no server yet.
const server =
  name === 'postgres' && process.env.DATABASE_URL === undefined
    ? await startPostgres(await findServerSource())
    : undefined;
if (server !== undefined) process.env.DATABASE_URL = server.url;
const backend = await openBackend(name);
const total = new Map<string, number>();
const startedAt = performance.now();

function optionsOf(seed: number): ScheduleOptions {
  return { seed, openSide: backend.openSide, concurrent: seed % 2 === 1, compares: true };
}

try {
  for (let seed = first; seed < first + schedules; seed++) {
    for (const [what, count] of await runSchedule(optionsOf(seed))) total.set(what, (total.get(what) ?? 0) + count);
    const done = seed - first + 1;
    if (done % 500 === 0) console.error(`${done} schedules keep the promises`);
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(
    `${schedules} schedules from seed ${first} on ${name} keep the promises, in ${seconds} s:`,
    Object.fromEntries(total),
  );
} catch (error) {
  if (!(error instanceof ScheduleFailure)) throw error;
  await printShortest(error);
  process.exitCode = 1;
} finally {
  await backend.close();
  await server?.stop();
}

async function printShortest(failure: ScheduleFailure): Promise<void> {
  let shortest = failure;
  await shrink(failure.schedule, async (schedule) => {
    const failed = await runSchedule({ ...optionsOf(failure.seed), schedule }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failed instanceof ScheduleFailure)) return false;
    shortest = failed;
    return true;
  });
  console.log(`${describeFailure(shortest)}\nbefore it was shortened: ${failure.message}`);
}
