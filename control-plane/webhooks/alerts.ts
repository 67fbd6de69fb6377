// Sends the recorded notices about budgets. For each, one change writes the audit event, a delivery for each webhook of
// the organization, and that the notice is sent. So each is sent once, even if a replica stops or several look.
import { type Kysely, sql } from 'kysely';
import { isCounter, limitOfCounter } from '../../common/counter-names.ts';
import { hourMs } from '../../common/durations.ts';
import { limitOf } from '../store/limit-counting.ts';
import { organizationOrPlatform } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';
import { auditView, type BudgetNews, budgetEvent, noticeActions } from './budget-events.ts';
import { enqueueDeliveries } from './enqueue.ts';

const actor = { kind: 'system', id: 'control-plane' } as const;

/** How many notices one run looks at. Each is a change, and must leave time for the changes of operators. */
const alertsMax = 100;
/**
 * How many events one budget for each value has in an hour. Callers choose the values of tags, so further notices of it
 * are dropped.
 */
export const counterAlertsMax = 100;

/** @returns how many this replica has sent. @throws StoreUnavailableError */
export async function sendAlerts(store: Pick<Store, 'ledger' | 'change' | 'snapshot'>): Promise<number> {
  const notices = await store.snapshot((db) =>
    pendingAlerts(db)
      // The organizations in turn, so that no one's many notices delay another's.
      .orderBy(sql`row_number() over (partition by notice.organization_id order by notice.noted_at, notice.percent)`)
      .orderBy('notice.noted_at')
      .limit(alertsMax)
      .execute(),
  );
  const room = await roomOf(store, notices);
  const reported = new Set<string>();
  for (const notice of notices) {
    const left = room.get(limitOfCounter(notice.budget_id));
    if (left === 0) {
      await store.ledger((tx) => markReported(tx, notice));
      reported.add(keyOf(notice));
      continue;
    }
    if (left !== undefined) room.set(limitOfCounter(notice.budget_id), left - 1);
    // Its alert covered all other unconfirmed notices of the same window.
    if (notice.kind === 'unsettled' && reported.has(windowOf(notice))) continue;
    const context = { actor, from: '', action: noticeActions[notice.kind] };
    const outcome = await store.change(context, (tx) => notify(tx, notice));
    // Another replica is sending them.
    if (outcome === 'sent by others') break;
    if (outcome === 'over') await store.ledger((tx) => markReported(tx, notice));
    reported.add(outcome === 'sent' && notice.kind === 'unsettled' ? windowOf(notice) : keyOf(notice));
  }
  return reported.size;
}

/** How many more events the budgets for each value may have, by limit. */
async function roomOf(
  store: Pick<Store, 'ledger' | 'snapshot'>,
  notices: readonly NoticeKey[],
): Promise<Map<string, number>> {
  const counters = notices.map(({ budget_id }) => budget_id).filter(isCounter);
  if (counters.length === 0) return new Map();
  const limits = [...new Set(counters.map(limitOfCounter))];
  const counted = await store.ledger(({ db, now }) =>
    db
      .selectFrom('budget_notices')
      .select(({ fn }) => [limitOf('budget_id').as('limit_id'), fn.countAll<number>().as('count')])
      .where('told_at', '>', now - hourMs)
      .where(limitOf('budget_id'), 'in', limits)
      .groupBy(limitOf('budget_id'))
      .execute(),
  );
  const counts = new Map(counted.map(({ limit_id, count }) => [limit_id, count]));
  return new Map(limits.map((id) => [id, Math.max(0, counterAlertsMax - (counts.get(id) ?? 0))]));
}

type Outcome = 'sent' | 'sent by others' | 'over';

type NoticeKey = Pick<BudgetNews, 'budget_id' | 'window_start' | 'kind'> & { readonly about: string };

async function notify(tx: ChangeTransaction, key: NoticeKey): Promise<Change<Outcome> | Unchanged<Outcome>> {
  const notice = await keyed(pendingAlerts(tx.db), key).executeTakeFirst();
  if (notice === undefined) return { unchanged: 'sent by others' };
  const silent = notice.kind === 'unsettled' ? await silentProxies(tx.db, notice) : undefined;
  // The money was settled or released after the notice was written.
  if (notice.kind === 'unsettled' && silent === undefined) return { unchanged: 'over' };
  const news: BudgetNews = { ...notice, amount: notice.noted_amount ?? notice.budget_amount, silent };
  await markReported(tx, notice);
  await enqueueDeliveries(tx, news.organization_id, budgetEvent(news, tx.now));
  return {
    result: 'sent',
    organizationId: organizationOrPlatform(news.organization_id),
    target: { kind: 'limit', id: limitOfCounter(news.budget_id) },
    after: auditView(news, tx.now),
    invalidations: [],
  };
}

/** Unconfirmed money is reported once for a whole window. */
async function markReported(
  { db, now }: Pick<ChangeTransaction, 'db' | 'now'>,
  { budget_id, window_start, kind, about }: NoticeKey,
): Promise<void> {
  const rows = db
    .updateTable('budget_notices')
    .set({ told_at: now })
    .where('budget_id', '=', budget_id)
    .where('window_start', '=', window_start)
    .where('kind', '=', kind)
    .where('told_at', 'is', null);
  await (kind === 'unsettled' ? rows : rows.where('about', '=', about)).execute();
}

async function silentProxies(
  db: Kysely<Schema>,
  { budget_id, window_start }: NoticeKey,
): Promise<BudgetNews['silent']> {
  const { proxies, since } = await db
    .selectFrom('leases')
    .innerJoin('ledger_sessions as session', 'session.id', 'leases.session_id')
    .select(({ fn }) => [fn.countAll<number>().as('proxies'), fn.min('session.seen_at').as('since')])
    .where('leases.budget_id', '=', budget_id)
    .where('leases.window_start', '=', window_start)
    .where('leases.state', '=', 'expired')
    .where('leases.remaining', '>', 0)
    .executeTakeFirstOrThrow();
  return proxies === 0 ? undefined : { proxies, since };
}

/** Deleted budgets are included, because their rows of limits still exist. */
function pendingAlerts(db: Kysely<Schema>) {
  return db
    .selectFrom('budget_notices as notice')
    .innerJoin('limits as budget', (join) => join.on('budget.id', '=', limitOf('notice.budget_id')))
    .leftJoin('limit_counters as counter', 'counter.id', 'notice.budget_id')
    .innerJoin('budget_windows as window_row', (join) =>
      join
        .onRef('window_row.budget_id', '=', 'notice.budget_id')
        .onRef('window_row.window_start', '=', 'notice.window_start'),
    )
    .select([
      ...(['notice.budget_id', 'notice.organization_id', 'notice.window_start'] as const),
      ...(['notice.kind', 'notice.about', 'notice.percent', 'notice.noted_at'] as const),
      ...(['window_row.spent', 'window_row.leased', 'window_row.unsettled'] as const),
      ...(['budget.subject_kind', 'budget.subject_id', 'budget.model', 'budget.period', 'budget.calendar'] as const),
      ...(['notice.amount as noted_amount', 'budget.amount as budget_amount', 'counter.value'] as const),
    ])
    .where('notice.told_at', 'is', null);
}

function keyed(query: ReturnType<typeof pendingAlerts>, key: NoticeKey): ReturnType<typeof pendingAlerts> {
  return query
    .where('notice.budget_id', '=', key.budget_id)
    .where('notice.window_start', '=', key.window_start)
    .where('notice.kind', '=', key.kind)
    .where('notice.about', '=', key.about);
}

function windowOf({ budget_id, window_start }: NoticeKey): string {
  return `${budget_id} ${window_start}`;
}

function keyOf(key: NoticeKey): string {
  return `${windowOf(key)} ${key.kind} ${key.about}`;
}
