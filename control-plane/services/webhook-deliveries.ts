// Deliveries of webhooks as operators see them, and a test of a webhook. webhooks/ sends deliveries.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { GetWebhookDeliveryRequest__Output } from '../../proto/generated/gateway/v1/GetWebhookDeliveryRequest.ts';
import type { ListWebhookDeliveriesRequest__Output } from '../../proto/generated/gateway/v1/ListWebhookDeliveriesRequest.ts';
import type { ListWebhookDeliveriesResponse } from '../../proto/generated/gateway/v1/ListWebhookDeliveriesResponse.ts';
import type { RedeliverWebhookRequest__Output } from '../../proto/generated/gateway/v1/RedeliverWebhookRequest.ts';
import type { TestWebhookRequest__Output } from '../../proto/generated/gateway/v1/TestWebhookRequest.ts';
import type { TestWebhookResponse } from '../../proto/generated/gateway/v1/TestWebhookResponse.ts';
import type { WebhookDelivery } from '../../proto/generated/gateway/v1/WebhookDelivery.ts';
import { deliveryStates } from '../../proto/words/access.ts';
import { timeText } from '../domain/shared-fields.ts';
import { unsealWebhookSecret } from '../domain/webhook.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { cutPage, pageById } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { attempt, isAccepted } from '../webhooks/attempt.ts';
import type { WebhookEvent } from '../webhooks/enqueue.ts';
import type { ChangeCall, Outcome, OutsideCall, ReadCall } from './method.ts';

type DeliveryRow = Selectable<Schema['webhook_deliveries']>;

export async function list(
  call: ReadCall,
  request: ListWebhookDeliveriesRequest__Output,
): Promise<ListWebhookDeliveriesResponse> {
  const { size, limit, after } = pageById(request);
  let query = call.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', request.webhookId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (after !== undefined) query = query.where('id', '<', after);
  const { items, nextPageToken } = cutPage(await query.execute(), size, (row) => row.id, message);
  return { deliveries: items, nextPageToken };
}

export async function get({ db }: ReadCall, { id }: GetWebhookDeliveryRequest__Output): Promise<WebhookDelivery> {
  const row = await find(db, id);
  return { ...message(row), payload: row.payload };
}

/**
 * Makes a delivery due. A try that is running is not interrupted, so the receiver may get it twice, under the same id.
 */
export async function redeliver(
  call: ChangeCall,
  { id }: RedeliverWebhookRequest__Output,
): Promise<Outcome<WebhookDelivery>> {
  const before = await find(call.db, id);
  const webhook = await call.db
    .selectFrom('webhooks')
    .select('enabled')
    .where('id', '=', before.webhook_id)
    .executeTakeFirst();
  if (webhook?.enabled !== 1) {
    const what = webhook === undefined ? 'the webhook was deleted' : 'the webhook is disabled; enable it first';
    throw new CallError('webhook_disabled', what);
  }
  const due = { state: 'pending' as const, next_attempt_at: call.now };
  await call.db.updateTable('webhook_deliveries').set(due).where('id', '=', id).execute();
  const after = { ...before, ...due };
  return {
    organizationId: before.organization_id,
    target: { kind: 'webhook', id: before.webhook_id },
    invalidations: [],
    result: message(after),
    before: audited(before),
    after: audited(after),
  };
}

/** Receivers choose what their responses contain, so the audit log does not. */
function audited(row: DeliveryRow): object {
  const { id, type, state, attempts } = message(row);
  return { deliveryId: id, type, state, attempts };
}

export async function test(call: OutsideCall, { id }: TestWebhookRequest__Output): Promise<TestWebhookResponse> {
  const { masterKeys, webhookPost: post, replica } = call.deps;
  const row = await call.read((db) => db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst());
  if (row === undefined) throw notFound('id');
  const binding = { organizationId: row.organization_id, webhookId: row.id, version: row.secret_version };
  const secret = unsealWebhookSecret(masterKeys, binding, row.secret);
  const deliveryId = uuidv7(call.now);
  if (secret === undefined) {
    return { deliveryId, accepted: false, error: 'no master key opens its secret', latencyMs: 0 };
  }
  const { clock } = replica;
  const started = clock.monotonic();
  const payload = JSON.stringify(testEvent(row, call.now));
  const { status, error, body } = await attempt({ id: deliveryId, url: row.url, secret, payload }, { post, clock });
  return {
    deliveryId,
    accepted: isAccepted({ status }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(body !== undefined && { body }),
    latencyMs: Math.round(clock.monotonic() - started),
  };
}

function testEvent(webhook: Selectable<Schema['webhooks']>, now: number): WebhookEvent {
  return {
    type: 'webhook.test',
    timestamp: timeText(now),
    data: { organizationId: webhook.organization_id, webhookId: webhook.id, webhookName: webhook.name },
  };
}

async function find(db: Kysely<Schema>, id: string): Promise<DeliveryRow> {
  const row = await db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function message(row: DeliveryRow) {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    type: row.type,
    state: deliveryStates.names[row.state],
    attempts: row.attempts,
    ...(row.last_status !== null && { lastStatus: row.last_status }),
    createdAt: timeText(row.created_at),
    ...(row.next_attempt_at !== null && { nextAttemptAt: timeText(row.next_attempt_at) }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.last_body !== null && { lastBody: row.last_body }),
    ...(row.last_attempt_at !== null && { lastAttemptAt: timeText(row.last_attempt_at) }),
  } satisfies WebhookDelivery;
}
