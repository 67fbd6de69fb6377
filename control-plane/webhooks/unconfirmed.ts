// Records money that stays unconfirmed. A proxy that is back soon settles its money without a notice. The money of each
// session is recorded once for each age.
import { type Kysely, sql } from 'kysely';
import { dayMs, minuteMs } from '../../common/durations.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { insertNotices } from './thresholds.ts';

/** The ages of unconfirmed money at which it is reported. */
export const unconfirmedAgesMs = [15 * minuteMs, dayMs, 7 * dayMs] as const;

/** The limit of one run; the next one comes soon. */
const notedMax = 500;

/** @returns how many were found, including those that others recorded meanwhile @throws StoreUnavailableError */
export async function noteUnconfirmed(store: Pick<Store, 'ledger'>): Promise<number> {
  let found = 0;
  for (const ageMs of unconfirmedAgesMs) {
    found += await store.ledger(async ({ db, now }) => {
      const rows = await unnoted(db, now, ageMs);
      await insertNotices(
        db,
        rows.map((row) => ({
          ...row,
          kind: 'unsettled' as const,
          percent: null,
          amount: null,
          noted_at: now,
          told_at: null,
        })),
      );
      return rows.length;
    });
  }
  return found;
}

function unnoted(db: Kysely<Schema>, now: number, ageMs: number) {
  const about = sql<string>`leases.session_id || ${`@${ageMs}`}`;
  return (
    db
      .selectFrom('budget_windows as window_row')
      .innerJoin('leases', (join) =>
        join
          .onRef('leases.budget_id', '=', 'window_row.budget_id')
          .onRef('leases.window_start', '=', 'window_row.window_start'),
      )
      .innerJoin('ledger_sessions as session', 'session.id', 'leases.session_id')
      .select(['window_row.budget_id', 'window_row.window_start', 'window_row.organization_id', about.as('about')])
      // The same condition as in the index of these rows.
      .where(sql<boolean>`window_row.unsettled > 0`)
      .where('leases.state', '=', 'expired')
      .where('leases.remaining', '>', 0)
      .where('session.expired_at', '<=', now - ageMs)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('budget_notices as noted')
              .select('noted.about')
              .whereRef('noted.budget_id', '=', 'window_row.budget_id')
              .whereRef('noted.window_start', '=', 'window_row.window_start')
              .where('noted.kind', '=', 'unsettled')
              .where('noted.about', '=', about),
          ),
        ),
      )
      .orderBy('session.expired_at')
      .limit(notedMax)
      .execute()
  );
}
