// A webhook that an operator tests, and deliveries that they look at and send again, through the real server to real
// receivers.
import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { openServiceNetwork } from '../../support/guardrails/services.ts';
import { storeDelivery } from '../../support/notice-rows.ts';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let network: Awaited<ReturnType<typeof openServiceNetwork>>;
let receiver: Receiver;
let database: StoreDatabase;
let store: Store;
let plane: OperatorsPlane;
let acme: TestTenant;
let webhook: JsonResponse;
let secret: string;

const as = (method: string, request: object = {}): Promise<JsonResponse> =>
  plane.expect(`Webhooks.${method}`, acme.owner.token, request);

beforeAll(async () => {
  network = await openServiceNetwork();
  receiver = await startReceiver(network.authority);
  database = await freshSqlite();
  store = await database.open();
  const env = { GATEWAY_DATABASE_URL: database.url, GATEWAY_WEBHOOK_ADDRESSES: '127.0.0.0/8' };
  plane = await startOperatorsPlane({ env, webhookNetwork: network.serviceNetwork });
  acme = await createTenant(plane, await bootstrap(plane), 'acme');
  const url = receiver.url('127.0.0.1');
  ({ webhook, secret } = await as('Create', { organizationId: acme.id, name: freshName('hook'), url }));
});
afterAll(async () => {
  await plane.close();
  await database.drop();
  await receiver.close();
  network.authority.remove();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const delivered = 'WEBHOOK_DELIVERY_STATE_DELIVERED';

describe('a test of a webhook', () => {
  it('sends one signed event at once, and returns what the receiver responded', async () => {
    receiver.respond = (response) => response.writeHead(202, { 'content-type': 'text/plain' }).end('got\u0007 it\n');
    const tested = await as('Test', { id: webhook.id });
    expect(tested).toMatchObject({ accepted: true, status: 202, body: 'got? it\n' });
    const [received] = receiver.received;
    const headers = received?.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(tested.deliveryId);
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toMatchObject({
      ...{ type: 'webhook.test', data: { organizationId: acme.id, webhookId: webhook.id, webhookName: webhook.name } },
    });
    expect((await as('ListDeliveries', { webhookId: webhook.id })).deliveries).toEqual([]);
  });

  it('also reaches a disabled webhook, and is not repeated when the receiver refuses', async () => {
    await as('Update', { id: webhook.id, enabled: false });
    receiver.respond = (response) => response.writeHead(500).end('x'.repeat(100_000));
    const tested = await as('Test', { id: webhook.id });
    expect(tested).toMatchObject({ accepted: false, status: 500, body: 'x'.repeat(2048) });
    expect(receiver.received).toHaveLength(1);
    await as('Update', { id: webhook.id, enabled: true });
  });

  it('returns why there was no response, without the URL', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await until(() => closed.listening, { what: 'a port' });
    const { port } = closed.address() as { port: number };
    closed.close();
    await as('Update', { id: webhook.id, url: `https://127.0.0.1:${port}/hook?token=in-the-url` });
    const tested = await as('Test', { id: webhook.id });
    expect(tested).toMatchObject({ accepted: false, error: 'ECONNREFUSED' });
    expect('status' in tested).toBe(false);
    await as('Update', { id: webhook.id, url: receiver.url('127.0.0.1') });
    receiver.respond = (response) => response.destroy();
    expect((await as('Test', { id: webhook.id })).error).toBe('ECONNRESET');
  });

  it('reaches no address that the platform does not allow', async () => {
    await store.ledger(({ db }) =>
      db.updateTable('webhooks').set({ url: 'https://10.0.0.1/hook' }).where('id', '=', webhook.id).execute(),
    );
    expect((await as('Test', { id: webhook.id })).error).toBe('the address is not allowed');
    await as('Update', { id: webhook.id, url: receiver.url('127.0.0.1') });
  });
});

describe('a delivery', () => {
  it('shows what the receiver responded last, and its payload alone', async () => {
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '600' }).end('busy\0');
    const payload = '{"type":"budget.exceeded"}';
    const id = await storeDelivery(store, { webhook_id: webhook.id, organization_id: acme.id, payload });
    const read = () => as('GetDelivery', { id });
    await until(async () => (await read()).lastStatus === 503, { what: 'the attempt' });
    const shown = await read();
    expect(shown).toMatchObject({ lastBody: 'busy?', payload, attempts: 1, webhookId: webhook.id });
    expect(Date.parse(shown.lastAttemptAt)).toBeGreaterThan(Date.now() - 60_000);
    const [listed] = (await as('ListDeliveries', { webhookId: webhook.id })).deliveries;
    expect(listed).toMatchObject({ id, lastBody: 'busy?' });
    expect('payload' in listed).toBe(false);
  });

  it('is sent again with the same id and body, whether it was delivered, failed or is waiting', async () => {
    const [{ id }] = (await as('ListDeliveries', { webhookId: webhook.id })).deliveries;
    receiver.respond = (response) => response.writeHead(204).end();
    expect(await as('Redeliver', { id })).toMatchObject({ id, state: 'WEBHOOK_DELIVERY_STATE_PENDING' });
    await until(async () => (await as('GetDelivery', { id })).state === delivered, { what: 'the waiting one' });
    await as('Redeliver', { id });
    await until(() => receiver.received.length === 2, { what: 'the delivered one again' });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const done = await as('GetDelivery', { id });
    expect('lastBody' in done || 'lastError' in done).toBe(false);
    const old = Date.now() - 4 * 86_400_000;
    const row = { webhook_id: webhook.id, organization_id: acme.id, created_at: old };
    const failed = await storeDelivery(store, { ...row, state: 'failed', next_attempt_at: null, attempts: 9 });
    await as('Redeliver', { id: failed });
    await until(async () => (await as('GetDelivery', { id: failed })).state === delivered, { what: 'the failed one' });
  });

  it('that is sent again is an audit event of its webhook, without what the receiver responded', async () => {
    const { events } = await plane.expect('Audit.List', acme.owner.token, {
      ...{ organizationId: acme.id, action: 'Webhooks.Redeliver' },
    });
    expect(events).toHaveLength(3);
    expect(events[2]).toMatchObject({ targetKind: 'webhook', targetId: webhook.id, targetName: webhook.name });
    expect(JSON.parse(events[2].before)).toMatchObject({ deliveryId: expect.any(String), attempts: 1 });
    expect(JSON.stringify(events)).not.toContain('busy');
  });

  it('is not sent again while its webhook is disabled, or when it is deleted', async () => {
    const [{ id }] = (await as('ListDeliveries', { webhookId: webhook.id })).deliveries;
    const again = () => refusal(plane.call('Webhooks.Redeliver', acme.owner.token, { id }));
    await as('Update', { id: webhook.id, enabled: false });
    expect(await again()).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'webhook_disabled' });
    await as('Delete', { id: webhook.id });
    expect(await again()).toMatchObject({ reason: 'webhook_disabled' });
    expect(await as('GetDelivery', { id })).toMatchObject({ id, webhookId: webhook.id });
  });
});
