// Kills programs that record usage and fold sums, and compares the totals with the requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { dayMs } from '../../common/durations.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { Random } from '../support/access/random.ts';
import type { StoreDatabase } from '../support/databases.ts';
import { foldAll } from '../support/many-rows.ts';
import { startNode, until } from '../support/process.ts';
import {
  expectSameTotals,
  expectTotalsOfRequests,
  prepare,
  randomQuestion,
  thisHour,
} from '../support/random-usage.ts';

export interface FoldKills {
  readonly seed: number;
  readonly kills: number;
  /** How many run at the same time; over SQLite one. */
  readonly programs: number;
}

/** @returns how many requests were recorded @throws AssertionError at the first wrong total */
export async function killFolds(database: StoreDatabase, { seed, kills, programs }: FoldKills): Promise<number> {
  const random = new Random(seed);
  await prepare(await database.open());
  const program = new URL('folds.program.ts', import.meta.url).pathname;
  const start = (nth: number) => startNode([program, database.url, String(seed * 1000 + nth)]);
  const running = Array.from({ length: programs }, (_, nth) => start(nth));
  for (let kill = 0; kill < kills; kill++) {
    const victim = running.shift();
    if (victim === undefined) break;
    await until(() => victim.stdout().includes('ready'));
    await sleep(100 + random.below(400));
    victim.signal('SIGKILL');
    await victim.exited;
    if (kill + programs < kills) running.push(start(programs + kill));
  }
  await Promise.all(running.map((child) => child.stop('SIGKILL')));
  return await checkTotals(await database.open(), random);
}

async function checkTotals(store: Store, random: Random): Promise<number> {
  for (let time = 0; time < 5; time++) await expectSameTotals(store, randomQuestion(random));
  await foldAll(store);
  for (let time = 0; time < 5; time++) await expectSameTotals(store, randomQuestion(random));
  await expectTotalsOfRequests(store, { from: 0, to: thisHour + dayMs });
  for (let time = 0; time < 5; time++) await expectTotalsOfRequests(store, randomQuestion(random));
  return await store.snapshot(async (db) => {
    const events = await db.selectFrom('usage_events').select('id').execute();
    return events.length;
  });
}
