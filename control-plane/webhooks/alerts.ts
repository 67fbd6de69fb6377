// Tells of the thresholds that the books have reached: one change each writes the audit event, a delivery for each webhook
// of the organization, and that it is told. So each is told once, whatever dies and however many replicas look.
import type { Kysely } from 'kysely';
import { type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { usdOfNano } from '../../common/money.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { LimitSubjectKind, Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';

const context = {
  actor: { kind: 'system', id: 'control-plane' },
  from: '',
  action: 'Budgets.ReachThreshold',
} as const;

/** Looked at in one go: each is a change, and changes of operators want their turn. */
const alertsMax = 100;

/** @returns how many this replica has told. @throws StoreUnavailableError */
export async function tellAlerts(store: Pick<Store, 'snapshot' | 'change'>): Promise<number> {
  const alerts = await store.snapshot((db) =>
    untold(db).orderBy('alert.reached_at').orderBy('alert.percent').limit(alertsMax).execute(),
  );
  let count = 0;
  for (const alert of alerts) {
    const isOurs = await store.change(context, (tx) => tell(tx, alert));
    // Another replica is telling them.
    if (!isOurs) break;
    count++;
  }
  return count;
}

interface AlertKey {
  readonly budget_id: string;
  readonly window_start: string;
  readonly percent: number;
}

async function tell(tx: ChangeTransaction, key: AlertKey): Promise<Change<boolean> | Unchanged<boolean>> {
  const alert = await untold(tx.db)
    .where('alert.budget_id', '=', key.budget_id)
    .where('alert.window_start', '=', key.window_start)
    .where('alert.percent', '=', key.percent)
    .executeTakeFirst();
  if (alert === undefined) return { unchanged: false };
  await tx.db
    .updateTable('budget_alerts')
    .set({ told_at: tx.now })
    .where('budget_id', '=', key.budget_id)
    .where('window_start', '=', key.window_start)
    .where('percent', '=', key.percent)
    .execute();
  await writeDeliveries(tx, alert);
  const { percent, window_start: window, spent, amount } = alert;
  return {
    result: true,
    organizationId: alert.organization_id,
    target: { kind: 'limit', id: alert.budget_id },
    after: { percent, window, spentUsd: usdOfNano(spent), amountUsd: usdOfNano(amount) },
    invalidations: [],
  };
}

async function writeDeliveries({ db, now }: ChangeTransaction, alert: Alert): Promise<void> {
  const webhooks = await db
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', alert.organization_id)
    .where('enabled', '=', 1)
    .execute();
  if (webhooks.length === 0) return;
  const event = thresholdReached(alert);
  const rows = webhooks.map(({ id }) => ({
    id: uuidv7(now),
    webhook_id: id,
    organization_id: alert.organization_id,
    type: event.type,
    payload: JSON.stringify(event),
    state: 'pending' as const,
    attempts: 0,
    last_status: null,
    created_at: now,
    next_attempt_at: now,
  }));
  await db.insertInto('webhook_deliveries').values(rows).execute();
}

interface Alert extends AlertKey {
  readonly organization_id: string;
  readonly reached_at: number;
  readonly subject_kind: LimitSubjectKind;
  readonly subject_id: string;
  readonly model: string | null;
  readonly period: BudgetPeriod | null;
  readonly amount: number;
  readonly spent: number;
}

/** Rows of limits are there for deleted budgets too. */
function untold(db: Kysely<Schema>) {
  return db
    .selectFrom('budget_alerts as alert')
    .innerJoin('limits as budget', 'budget.id', 'alert.budget_id')
    .innerJoin('budget_windows as books', (join) =>
      join
        .onRef('books.budget_id', '=', 'alert.budget_id')
        .onRef('books.window_start', '=', 'alert.window_start'),
    )
    .select([
      ...(['alert.budget_id', 'alert.organization_id', 'alert.window_start'] as const),
      ...(['alert.percent', 'alert.reached_at', 'books.spent'] as const),
      ...(['budget.subject_kind', 'budget.subject_id'] as const),
      ...(['budget.model', 'budget.period', 'budget.amount'] as const),
    ])
    .where('alert.told_at', 'is', null);
}

/** The body as receivers get it; docs/webhooks.md says what the fields mean. Fields may be added, none is taken away. */
function thresholdReached(alert: Alert) {
  const { period, window_start: window } = alert;
  return {
    type: 'budget.threshold_reached',
    timestamp: new Date(alert.reached_at).toISOString(),
    data: {
      organizationId: alert.organization_id,
      limitId: alert.budget_id,
      level: { kind: alert.subject_kind, id: alert.subject_id },
      model: alert.model,
      period,
      window,
      endsAt: endOf(window, period),
      percent: alert.percent,
      amountUsd: usdOfNano(alert.amount),
      spentUsd: usdOfNano(alert.spent),
    },
  };
}

function endOf(window: string, period: BudgetPeriod | null): string | null {
  const start = windowStart(window);
  const end = start === undefined || period === null ? undefined : windowEnd(period, start);
  return end === undefined ? null : new Date(end).toISOString();
}
