// Budgets, webhooks and their notices as rows: for tests of thresholds and deliveries.
import type { Insertable } from 'kysely';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { sealWebhookSecret } from '../../control-plane/domain/webhook.ts';
import type { Schema } from '../../control-plane/store/schema.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { noteThresholds } from '../../control-plane/webhooks/thresholds.ts';
import type { StoreDatabase } from './databases.ts';
import { change, insertOrganization } from './stored-records.ts';

export const masterKeys = parseSealKeys(createSealKey());

/** An organization with a daily budget on itself; `amount` in nano-dollars. */
export async function storeBudget(
  store: Store,
  row: Partial<Insertable<Schema['limits']>> & { readonly id: string },
): Promise<void> {
  const organizationId = row.organization_id ?? 'organization-1';
  await change(store, async (tx) => {
    const known = await tx.db.selectFrom('organizations').select('id').where('id', '=', organizationId).execute();
    if (known.length === 0) await insertOrganization(tx, { id: organizationId });
    await tx.db
      .insertInto('limits')
      .values({
        ...{ organization_id: organizationId, subject_kind: 'organization', subject_id: organizationId },
        ...{ kind: 'budget', amount: 1_000_000_000, model: null, period: 'day', deleted_at: null },
        ...{ created_at: tx.now, revision: tx.revision },
        ...row,
      })
      .execute();
    return undefined;
  });
}

export interface Spending {
  readonly budgetId: string;
  readonly organizationId?: string;
  readonly window?: string;
  readonly amount?: number;
  readonly spent: number;
}

/** The effect of a usage report: sets the ledger entries of windows to these amounts. */
export function spend(store: Store, ...windows: readonly Spending[]): Promise<void> {
  return store.ledger(async (tx) => {
    const noted = windows.map((one) => ({
      ...{ organizationId: 'organization-1', window: '2026-11-20', amount: 1_000_000_000 },
      ...one,
    }));
    for (const { budgetId, organizationId, window, spent } of noted) {
      await tx.db
        .insertInto('budget_windows')
        .values({
          ...{ budget_id: budgetId, organization_id: organizationId, window_start: window },
          ...{ spent, leased: 0, unsettled: 0 },
        })
        .onConflict((conflict) => conflict.columns(['budget_id', 'window_start']).doUpdateSet({ spent }))
        .execute();
    }
    await noteThresholds(tx, noted);
  });
}

export interface StoredWebhook {
  readonly id: string;
  readonly secret: string;
}

export async function storeWebhook(
  store: Store,
  row: Partial<Schema['webhooks']> & { readonly url: string },
): Promise<StoredWebhook> {
  const location = {
    organizationId: row.organization_id ?? 'organization-1',
    webhookId: uuidv7(),
    version: 1,
  };
  const secret = `whsec_${Buffer.from(location.webhookId).toString('base64')}`;
  await change(store, async (tx) => {
    await tx.db
      .insertInto('webhooks')
      .values({
        ...{ id: location.webhookId, organization_id: location.organizationId, name: location.webhookId },
        ...{ secret: sealWebhookSecret(masterKeys, location, secret), secret_version: 1, enabled: 1 },
        ...{ created_at: tx.now, revision: tx.revision },
        ...row,
      })
      .execute();
    return undefined;
  });
  return { id: location.webhookId, secret };
}

let lastMs = 0;

/** Greater than all ids before, because ids of one millisecond are in random order. */
function nextId(): string {
  lastMs = Math.max(lastMs + 1, Date.now());
  return uuidv7(lastMs);
}

/** A delivery that is due, unless the row says otherwise. @returns its id, greater than those of others */
export async function storeDelivery(
  store: Store,
  row: Partial<Schema['webhook_deliveries']> & { readonly webhook_id: string },
): Promise<string> {
  const id = row.id ?? nextId();
  await store.ledger(({ db, now }) =>
    db
      .insertInto('webhook_deliveries')
      .values({
        ...{ id, organization_id: 'organization-1', type: 'budget.threshold_reached', payload: '{"a":1}' },
        ...{ state: 'pending', attempts: 0, last_status: null, created_at: now, next_attempt_at: now },
        ...{ last_error: null, last_body: null, last_attempt_at: null },
        ...row,
      })
      .execute(),
  );
  return id;
}

/** A delivered one, written beside a running control plane. @returns its id */
export async function writeDelivery(
  { raw }: Pick<StoreDatabase, 'raw'>,
  { organizationId, webhookId }: { readonly organizationId: string; readonly webhookId: string },
): Promise<string> {
  const id = nextId();
  await raw(`insert into webhook_deliveries
    (id, webhook_id, organization_id, type, payload, state, attempts, last_status, created_at)
    values ('${id}', '${webhookId}', '${organizationId}', 'budget.exceeded', '{}', 'delivered', 1, 204, ${Date.now()})`);
  return id;
}

export function deliveries(store: Store) {
  return store.snapshot((db) => db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute());
}

/** Noted thresholds. */
export function alerts(store: Store) {
  return notices(store, 'threshold');
}

export function notices(store: Store, kind: Schema['budget_notices']['kind']) {
  return store.snapshot((db) =>
    db
      .selectFrom('budget_notices')
      .selectAll()
      .where('kind', '=', kind)
      .orderBy('budget_id')
      .orderBy('window_start')
      .orderBy('percent')
      .orderBy('noted_at')
      .orderBy('about')
      .execute(),
  );
}
