// Webhooks: the endpoints to which an organization's events are sent. A secret is returned when it is created, and
// never again. webhooks/ sends the events.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import { createWebhookSecret } from '../../common/webhook-signature.ts';
import type { CreateWebhookRequest__Output } from '../../proto/generated/gateway/v1/CreateWebhookRequest.ts';
import type { CreateWebhookResponse } from '../../proto/generated/gateway/v1/CreateWebhookResponse.ts';
import type { DeleteWebhookRequest__Output } from '../../proto/generated/gateway/v1/DeleteWebhookRequest.ts';
import type { DeleteWebhookResponse } from '../../proto/generated/gateway/v1/DeleteWebhookResponse.ts';
import type { GetWebhookRequest__Output } from '../../proto/generated/gateway/v1/GetWebhookRequest.ts';
import type { ListWebhooksRequest__Output } from '../../proto/generated/gateway/v1/ListWebhooksRequest.ts';
import type { ListWebhooksResponse } from '../../proto/generated/gateway/v1/ListWebhooksResponse.ts';
import type { RotateWebhookSecretRequest__Output } from '../../proto/generated/gateway/v1/RotateWebhookSecretRequest.ts';
import type { RotateWebhookSecretResponse } from '../../proto/generated/gateway/v1/RotateWebhookSecretResponse.ts';
import type { UpdateWebhookRequest__Output } from '../../proto/generated/gateway/v1/UpdateWebhookRequest.ts';
import type { Webhook } from '../../proto/generated/gateway/v1/Webhook.ts';
import { optional } from '../domain/field.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import { sealWebhookSecret, webhookUrl } from '../domain/webhook.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { flag, isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type WebhookRow = Selectable<Schema['webhooks']>;

/** For one organization, because each event is sent to every one of them. */
export const webhooksMax = 10;

export async function create(
  call: ChangeCall,
  request: CreateWebhookRequest__Output,
): Promise<Outcome<CreateWebhookResponse>> {
  const fields = checked({
    name: name(request.name),
    url: webhookUrl(call.deps.webhookAddresses)(request.url),
  });
  await requireSubject(call.db, request.organizationId);
  const binding = { organizationId: request.organizationId, webhookId: uuidv7(call.now), version: 1 };
  const secret = createWebhookSecret();
  const row: WebhookRow = {
    id: binding.webhookId,
    organization_id: request.organizationId,
    ...fields,
    secret: sealWebhookSecret(call.deps.masterKeys, binding, secret),
    secret_version: binding.version,
    enabled: 1,
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('webhooks').values(row).execute();
  return { ...recorded(row), result: { webhook: message(row), secret }, after: message(row) };
}

export async function get(call: ReadCall, request: GetWebhookRequest__Output): Promise<Webhook> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListWebhooksRequest__Output): Promise<ListWebhooksResponse> {
  const query = call.db.selectFrom('webhooks').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { webhooks: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateWebhookRequest__Output): Promise<Outcome<Webhook>> {
  const before = await find(call.db, request.id);
  const fields = checked({
    name: optional(name, request.name),
    url: optional(webhookUrl(call.deps.webhookAddresses), request.url),
  });
  expectRevision(request.ifRevision, before.revision);
  const columns = {
    name: fields.name ?? before.name,
    url: fields.url ?? before.url,
    enabled: request.enabled === undefined ? before.enabled : flag(request.enabled),
  };
  if (isSame(before, columns)) return { unchanged: message(before) };
  const after: WebhookRow = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('webhooks').set(after).where('id', '=', before.id).execute();
  return { ...recorded(before), result: message(after), before: message(before), after: message(after) };
}

export async function rotateSecret(
  call: ChangeCall,
  request: RotateWebhookSecretRequest__Output,
): Promise<Outcome<RotateWebhookSecretResponse>> {
  const before = await find(call.db, request.id);
  const version = before.secret_version + 1;
  const binding = { organizationId: before.organization_id, webhookId: before.id, version };
  const secret = createWebhookSecret();
  const after: WebhookRow = {
    ...before,
    secret: sealWebhookSecret(call.deps.masterKeys, binding, secret),
    secret_version: version,
    revision: call.revision,
  };
  await call.db.updateTable('webhooks').set(after).where('id', '=', before.id).execute();
  return { ...recorded(before), result: { secret }, before: message(before), after: message(after) };
}

/** Its pending deliveries end with it. */
export async function remove(
  call: ChangeCall,
  request: DeleteWebhookRequest__Output,
): Promise<Outcome<DeleteWebhookResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('webhooks').where('id', '=', row.id).execute();
  await call.db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', next_attempt_at: null })
    .where('webhook_id', '=', row.id)
    .where('state', '=', 'pending')
    .execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

/** @throws CallError */
async function requireSubject(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('webhooks')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < webhooksMax) return;
  throw new CallError('too_many_webhooks', `there are ${webhooksMax} already; delete one that is not needed`);
}

async function find(db: Kysely<Schema>, id: string): Promise<WebhookRow> {
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

/** No proxy's record contains webhooks, so nothing is invalidated. */
function recorded(row: WebhookRow) {
  return {
    organizationId: row.organization_id,
    target: { kind: 'webhook', id: row.id },
    invalidations: [],
  };
}

function message(row: WebhookRow) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    url: row.url,
    enabled: row.enabled === 1,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Webhook;
}
