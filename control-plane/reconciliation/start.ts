// The periodic tasks of this replica: comparing due days, reporting differences, reading the state for metrics,
// deleting old data. Every replica runs them.
import { dayOf } from '../../common/budget-window.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs } from '../../common/durations.ts';
import type { Logger } from '../../common/logger.ts';
import { startPeriodicTask } from '../../common/periodic-task.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { Feed } from '../changes/feed.ts';
import type { Store } from '../store/store.ts';
import { hoursKeptMs } from '../usage/hours.ts';
import { sendDriftAlerts } from './alerts.ts';
import { compareDay } from './compare.ts';
import { readDay } from './day-inputs.ts';
import { dueNow, isAnyDue, takeDue } from './due.ts';
import { readStanding, type Standing } from './standing.ts';
import { writeDay } from './write.ts';

export const compareOutcomes = ['written', 'outdated', 'failed'] as const;
export type CompareOutcome = (typeof compareOutcomes)[number];

export interface ReconciliationMetrics {
  billDayCompared(outcome: CompareOutcome): void;
  billsStand(standing: Standing): void;
}

export interface ReconciliationDeps {
  readonly store: Store;
  /** Notifies of every change, because some changes make days due. */
  readonly feed: Pick<Feed, 'onNews'>;
  readonly clock: Clock;
  /** How long usage is kept, in milliseconds. Older days of bills have nothing to be compared with. */
  readonly keptMs: number;
  readonly log: Logger;
  readonly metrics: ReconciliationMetrics;
  readonly timers?: Timers;
}

type CompareDeps = Omit<ReconciliationDeps, 'feed'>;

const everyMs = 2000;
const standingEveryMs = 60_000;
const forgetEveryMs = 3_600_000;

export function startReconciliation(deps: ReconciliationDeps): { close(): Promise<void> } {
  const { store, clock, keptMs, log, metrics, timers = systemTimers } = deps;
  const standing = startPeriodicTask(
    async () => metrics.billsStand(await store.snapshot((db) => readStanding(db, clock.now()))),
    { what: 'standing of bills', everyMs: standingEveryMs, log, timers },
  );
  let hasCompared = false;
  const comparing = startPeriodicTask(
    async () => {
      if (await compareNext(deps)) {
        hasCompared = true;
        comparing.wake();
        return;
      }
      if (hasCompared) standing.wake();
      hasCompared = false;
      await sendDriftAlerts(store, clock.now());
    },
    { what: 'comparison of bills', everyMs, log, timers },
  );
  const ignoreNews = deps.feed.onNews(() => comparing.wake());
  const forgetting = startPeriodicTask(
    async () => {
      if (await forgetOldBills(store, keptMs)) forgetting.wake();
    },
    { what: 'old bills', everyMs: forgetEveryMs, log, timers },
  );
  return {
    close: async () => {
      ignoreNews();
      await Promise.all([comparing.close(), standing.close(), forgetting.close()]);
    },
  };
}

/** Compares one day. @returns whether there was one @throws StoreUnavailableError */
export async function compareNext({ store, clock, log, metrics }: CompareDeps): Promise<boolean> {
  if (!(await store.snapshot((db) => isAnyDue(db, clock.now())))) return false;
  const [day, now] = await store.ledger(async (tx) => [await takeDue(tx), tx.now] as const);
  if (day === undefined) return false;
  try {
    const inputs = await store.snapshot((db) => readDay(db, day, now));
    if (inputs === undefined) return true;
    const { version } = inputs;
    const compared = compareDay(inputs);
    const isWritten = await store.ledger((tx) => writeDay(tx, day, { version, compared }));
    // The change has made the day due, but this replica has postponed it since.
    if (!isWritten) await store.ledger((tx) => dueNow(tx, day));
    metrics.billDayCompared(isWritten ? 'written' : 'outdated');
  } catch (err) {
    metrics.billDayCompared('failed');
    log.error(
      { err, vendor: day.vendor, day: day.day, organization_id: day.organizationId },
      'a day of bills could not be compared; trying again in ten minutes',
    );
  }
  return true;
}

/** Each has at most 5,000 rows. */
const daysMax = 20;

/**
 * Deletes the bills of days whose requests are no longer kept, a bounded piece at a time. Adjustments are kept as long
 * as sums by hour.
 * @returns whether there is more to delete
 * @throws StoreUnavailableError
 */
async function forgetOldBills(store: Pick<Store, 'ledger'>, keptMs: number): Promise<boolean> {
  return await store.ledger(async ({ db, now }) => {
    const first = dayOf(now - keptMs);
    const old = await db
      .selectFrom('bill_days')
      .select(['organization_id', 'vendor', 'day', 'document', 'account'])
      .where('day', '<', first)
      .orderBy('day')
      .limit(daysMax)
      .execute();
    for (const { organization_id, vendor, day, document, account } of old) {
      for (const table of ['bill_rows', 'bill_days'] as const) {
        await db
          .deleteFrom(table)
          .where('organization_id', '=', organization_id)
          .where('vendor', '=', vendor)
          .where('day', '=', day)
          .where('document', '=', document)
          .where('account', '=', account)
          .execute();
      }
    }
    if (old.length === daysMax) return true;
    for (const table of ['reconcile_days', 'reconcile_rows'] as const)
      await db.deleteFrom(table).where('day', '<', first).execute();
    const firstAdjusted = dayOf(now - Math.max(keptMs, hoursKeptMs) - dayMs);
    await db.deleteFrom('usage_adjustments').where('day', '<', firstAdjusted).execute();
    return false;
  });
}
