// Writes a delivery of an event for each enabled webhook of an organization, in the transaction of the reported change.
import type { Kysely } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { Schema } from '../store/schema.ts';
import type { InsertRows } from '../store/store.ts';

/** The body that receivers get. Fields may be added, but none is removed. */
export interface WebhookEvent {
  readonly type: string;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: object;
}

interface EnqueueTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, in milliseconds. */
  readonly now: number;
}

/** For an event that concerns every organization. */
export async function enqueueForAll(
  { db, now, insertRows }: EnqueueTransaction & { readonly insertRows: InsertRows },
  event: WebhookEvent,
): Promise<void> {
  const webhooks = await db.selectFrom('webhooks').select(['id', 'organization_id']).where('enabled', '=', 1).execute();
  const payload = JSON.stringify(event);
  await insertRows(
    db,
    { table: 'webhook_deliveries', columns: deliveryColumns, ending: '' },
    webhooks.map(({ id, organization_id }) => [
      uuidv7(now),
      id,
      organization_id,
      event.type,
      payload,
      'pending',
      0,
      null,
      now,
      now,
    ]),
  );
}

const deliveryColumns = {
  id: 'text',
  webhook_id: 'text',
  organization_id: 'text',
  type: 'text',
  payload: 'text',
  state: 'text',
  attempts: 'bigint',
  last_status: 'bigint',
  created_at: 'bigint',
  next_attempt_at: 'bigint',
} as const;

export async function enqueueDeliveries(
  { db, now }: EnqueueTransaction,
  organizationId: string,
  event: WebhookEvent,
): Promise<void> {
  const webhooks = await db
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', 1)
    .execute();
  if (webhooks.length === 0) return;
  const rows = webhooks.map(({ id }) => ({
    id: uuidv7(now),
    webhook_id: id,
    organization_id: organizationId,
    type: event.type,
    payload: JSON.stringify(event),
    state: 'pending' as const,
    attempts: 0,
    last_status: null,
    created_at: now,
    next_attempt_at: now,
    last_error: null,
    last_body: null,
    last_attempt_at: null,
  }));
  await db.insertInto('webhook_deliveries').values(rows).execute();
}
