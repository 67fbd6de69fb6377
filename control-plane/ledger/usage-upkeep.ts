// Creates the coming days of usage and deletes usage beyond its retention, a bounded piece at a time. Sums by hour
// outlive the requests: they are kept for five years, or as long as the requests if that is longer.
import { sql } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { forgetHour } from '../usage/fold.ts';
import { hoursKeptMs } from '../usage/hours.ts';
import { sourceNames } from '../usage/levels.ts';
import { forgetSets } from '../usage/metadata-upkeep.ts';
import { dropPartition, partitionedDays, type UsageDays } from '../usage/partitions.ts';
import { keepUpCounters } from './counter-upkeep.ts';
import { forgetOrdinals } from './ordinals.ts';

export interface UsageUpkeepDeps {
  readonly store: Store;
  readonly days: UsageDays;
  /** How long requests are kept, in milliseconds. */
  readonly keptMs: number;
  readonly log: Logger;
}

/** Runs at once and every hour. */
export function startUsageUpkeep(deps: UsageUpkeepDeps): PeriodicTask {
  const piece = async () => {
    if (await keepUp(deps)) task.wake();
  };
  const { log } = deps;
  const task = startPeriodicTask(piece, {
    what: 'upkeep of usage',
    everyMs: hourMs,
    log,
    timers: systemTimers,
  });
  return task;
}

/** Does one piece. @returns whether there is more to delete */
export async function keepUp({ store, days, keptMs }: Omit<UsageUpkeepDeps, 'log'>): Promise<boolean> {
  const now = await store.ledger(async (tx) => tx.now);
  await days.ensureDays(daysAhead.map((ahead) => dayOf(now + ahead * dayMs)));
  const firstKeptDay = dayOf(now - keptMs);
  const events = store.features.partitions
    ? await dropOldestDay(store, firstKeptDay)
    : await deleteEvents(store, firstKeptDay);
  const hoursKeptFrom = now - Math.max(keptMs, hoursKeptMs);
  const hours = await deleteHours(store, hoursKeptFrom);
  const sets = await forgetSets(store, hoursKeptFrom);
  const ordinals = await store.ledger(({ db }) => forgetOrdinals(db, now - ordinalsKeptMs));
  const counters = await keepUpCounters(store, now);
  return events || hours || sets || ordinals || counters;
}

/** Yesterday's last requests are reported today, and clocks differ. Two more days allow for a failure that lasts. */
const daysAhead = [-1, 0, 1, 2];

/** Longer than usage may wait to be reported. */
const ordinalsKeptMs = 45 * dayMs;

async function dropOldestDay(store: Store, firstKept: string): Promise<boolean> {
  const days = await store.snapshot((db) => partitionedDays(db));
  const old = [...days].filter((day) => day < firstKept).toSorted();
  const [oldest] = old;
  if (oldest !== undefined) await store.ledger((tx) => dropPartition(tx, oldest));
  return old.length > 1;
}

const batchRows = 2000;

async function deleteEvents(store: Store, firstKept: string): Promise<boolean> {
  const { numAffectedRows } = await store.ledger(({ db }) =>
    sql`
      delete from usage_events where (day, id) in (
        select day, id from usage_events where day < ${firstKept} order by day, id limit ${sql.lit(batchRows)}
      )`.execute(db),
  );
  return numAffectedRows === BigInt(batchRows);
}

/** Deletes the oldest hour of each organization, and of what provider keys cost the oldest day. The tables' keys find them. */
async function deleteHours(store: Store, before: number): Promise<boolean> {
  const organizations = await store.snapshot((db) => db.selectFrom('organizations').select('id').execute());
  let more = false;
  for (const { id: organizationId } of organizations) {
    for (const source of sourceNames) more = (await forgetHour(store, { organizationId, source }, before)) || more;
    more = (await deleteKeyDay(store, organizationId, before)) || more;
  }
  return more;
}

async function deleteKeyDay(store: Store, organizationId: string, before: number): Promise<boolean> {
  const { numAffectedRows } = await store.ledger(({ db }) =>
    sql`
      delete from usage_provider_key_hours where organization_id = ${organizationId} and hour < ${before}
      and hour < (
        select min(hour) from usage_provider_key_hours where organization_id = ${organizationId}) + ${sql.lit(dayMs)}`.execute(
      db,
    ),
  );
  return numAffectedRows !== 0n;
}
