// Forgets what bills said of days whose requests are no longer kept, a bounded piece at a time. Adjustments stay as long as sums by hour.
import { dayMs, dayOf } from '../../common/budget-window.ts';
import type { Store } from '../store/store.ts';
import { hoursKeptMs } from '../usage/hours.ts';

/** Of 5,000 rows at most each. */
const daysMax = 20;

/** @returns whether there is more to forget. @throws StoreUnavailableError */
export async function forgetOldBills(store: Pick<Store, 'books'>, keptMs: number): Promise<boolean> {
  return await store.books(async ({ db, now }) => {
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
