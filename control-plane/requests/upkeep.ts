// Creates the coming days of requests, and deletes rows beyond the retention of their organization, a bounded piece at a
// time. In PostgreSQL a day that is beyond the longest retention is dropped at once.
import { sql } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers } from '../../common/timers.ts';
import type { Store } from '../store/store.ts';
import { daysOfTable, dropPartition, type UsageDays } from '../usage/partitions.ts';

export interface RequestUpkeepDeps {
  readonly store: Store;
  readonly days: UsageDays;
  readonly log: Logger;
}

/** Runs at once and every hour. */
export function startRequestUpkeep(deps: RequestUpkeepDeps): PeriodicTask {
  const piece = async () => {
    if (await keepRequests(deps)) task.wake();
  };
  const { log } = deps;
  const task = startPeriodicTask(piece, { what: 'upkeep of requests', everyMs: hourMs, log, timers: systemTimers });
  return task;
}

/** Yesterday's last requests are reported today, and clocks differ. Two more days allow for a failure that lasts. */
const daysAhead = [-1, 0, 1, 2];
/** The days that `daysAhead` creates are not dropped, however short the retention is. */
const daysOfReports = 1;

/** Does one piece. @returns whether there is more to delete */
export async function keepRequests({ store, days }: Omit<RequestUpkeepDeps, 'log'>): Promise<boolean> {
  const now = await store.ledger(async (tx) => tx.now);
  await days.ensureDays(daysAhead.map((ahead) => dayOf(now + ahead * dayMs)));
  const organizations = await store.snapshot((db) =>
    db.selectFrom('organizations').select(['id', 'request_days']).execute(),
  );
  const { partitions } = store.features;
  const longest = Math.max(0, ...organizations.map(({ request_days }) => request_days));
  const dropped = Math.max(longest, daysOfReports);
  let more = partitions && (await dropOldestDay(store, dayOf(now - dropped * dayMs)));
  for (const { id, request_days } of organizations) {
    // Their rows leave with the days.
    if (partitions && request_days === dropped) continue;
    if (await deleteRows(store, id, now - request_days * dayMs)) more = true;
  }
  return more;
}

async function dropOldestDay(store: Store, firstKept: string): Promise<boolean> {
  const old = [...(await store.snapshot((db) => daysOfTable(db, 'requests')))].filter((day) => day < firstKept);
  const [oldest] = old.toSorted();
  if (oldest !== undefined) await store.ledger((tx) => dropPartition(tx, oldest, 'requests'));
  return old.length > 1;
}

const batchRows = 2000;

async function deleteRows(store: Store, organizationId: string, before: number): Promise<boolean> {
  const { numAffectedRows } = await store.ledger(({ db }) =>
    sql`
      delete from requests where organization_id = ${organizationId} and at < ${before} and id in (
        select id from requests where organization_id = ${organizationId} and at < ${before}
        order by at, id limit ${sql.lit(batchRows)}
      )`.execute(db),
  );
  return numAffectedRows === BigInt(batchRows);
}
