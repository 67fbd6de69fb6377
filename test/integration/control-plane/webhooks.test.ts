// Webhooks through the real server, over both databases: their valid fields, their owners, who sees their secrets, and
// that the program reaches public receivers only.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { unsealWebhookSecret } from '../../../control-plane/domain/webhook.ts';
import { resealWebhookSecrets } from '../../../control-plane/reseal.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { deliveries, storeDelivery } from '../../support/notice-rows.ts';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { createAuthority } from '../../support/tls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const url = 'https://hooks.example.com/gateway?token=t';
const later = Date.now() + 10 * 365 * 86_400_000;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('webhooks over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;

  beforeAll(async () => {
    database = await fresh();
    const env = { GATEWAY_DATABASE_URL: database.url, GATEWAY_PRIVATE_UPSTREAMS: 'localhost:443' };
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const as = (tenant: TestTenant, method: string, request: object = {}): Promise<JsonResponse> =>
    plane.expect(`Webhooks.${method}`, tenant.owner.token, request);
  const create = (more: object = {}, tenant = acme) =>
    plane.call('Webhooks.Create', tenant.owner.token, {
      ...{ organizationId: tenant.id, name: freshName('hook'), url },
      ...more,
    });
  /** The webhook is deleted at the end of the test, because an organization may have only a few. */
  const withWebhook = async (test: (made: JsonResponse) => Promise<void>, more: object = {}) => {
    const made = await as(acme, 'Create', {
      organizationId: acme.id,
      name: freshName('hook'),
      url,
      ...more,
    });
    try {
      await test(made);
    } finally {
      await plane.call('Webhooks.Delete', acme.owner.token, { id: made.webhook.id });
    }
  };

  it('are created, read, changed and deleted, and each change is an event', async () => {
    const name = freshName('hook');
    const { webhook, secret } = await as(acme, 'Create', { organizationId: acme.id, name, url });
    expect(webhook).toMatchObject({ organizationId: acme.id, name, url, enabled: true });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id, revision } = webhook;
    expect(await plane.expect('Webhooks.Get', acme.admin.token, { id })).toEqual(webhook);
    expect(await as(acme, 'List', { organizationId: acme.id })).toMatchObject({ webhooks: [webhook] });

    const changed = await as(acme, 'Update', { id, ifRevision: revision, enabled: false, name: 'renamed' });
    expect(changed).toMatchObject({ name: 'renamed', url, enabled: false });
    expect(await as(acme, 'Update', { id, enabled: false, name: ' renamed ', url })).toEqual(changed);
    const stale = plane.call('Webhooks.Update', acme.owner.token, { id, ifRevision: revision, url });
    expect(await refusal(stale)).toMatchObject({ code: 'ABORTED' });
    const rotated = await as(acme, 'RotateSecret', { id });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    await as(acme, 'Delete', { id });
    expect((await plane.call('Webhooks.Get', acme.owner.token, { id })).code).toBe('NOT_FOUND');

    const trail = { organizationId: acme.id, targetId: id };
    const { events } = await plane.expect('Audit.List', acme.owner.token, trail);
    expect(events.map((event: JsonResponse) => [event.action, event.targetKind])).toEqual([
      ['Webhooks.Delete', 'webhook'],
      ['Webhooks.RotateSecret', 'webhook'],
      ['Webhooks.Update', 'webhook'],
      ['Webhooks.Create', 'webhook'],
    ]);
    for (const shown of [JSON.stringify(events), plane.logs.join('')]) {
      for (const hidden of [secret, rotated.secret]) expect(shown).not.toContain(hidden.slice(6));
    }
  });

  it('refuse URLs that are not public https addresses, and names that are in use', async () => {
    for (const wrong of ['', 'http://hooks.example.com/', 'https://localhost/', 'https://10.0.0.1/']) {
      expect(await violated(create({ url: wrong }))).toEqual(['url']);
    }
    expect(await violated(create({ url: 'https://u:p@hooks.example.com/', name: '' }))).toEqual(['name', 'url']);
    await withWebhook(async ({ webhook }) => {
      expect(await refusal(create({ name: webhook.name }))).toMatchObject({ reason: 'name_taken' });
      const { webhook: elsewhere } = await as(other, 'Create', {
        ...{ organizationId: other.id, name: webhook.name, url },
      });
      await as(other, 'Delete', { id: elsewhere.id });
      const { id } = webhook;
      const update = plane.call('Webhooks.Update', acme.owner.token, { id, url: 'https://[::1]/' });
      expect(await violated(update)).toEqual(['url']);
    });
  });

  it('are limited to ten of one organization', async () => {
    const made: string[] = [];
    for (let n = 0; n < 10; n++) {
      const { webhook } = await as(other, 'Create', {
        ...{ organizationId: other.id, name: freshName('hook'), url },
      });
      made.push(webhook.id);
    }
    expect(await refusal(create({}, other))).toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'too_many_webhooks' },
    });
    const [first] = made;
    await as(other, 'Delete', { id: first });
    expect((await create({}, other)).code).toBe('OK');
    const page = await as(other, 'List', { organizationId: other.id, pageSize: 9 });
    expect(page.webhooks).toHaveLength(9);
    const next = { organizationId: other.id, pageSize: 9, pageToken: page.nextPageToken };
    expect(await as(other, 'List', next)).toMatchObject({ webhooks: [{}], nextPageToken: '' });
  });

  it('list their deliveries, newest first, for their own organization', async () => {
    await withWebhook(async ({ webhook }) => {
      const ids: string[] = [];
      const base = { webhook_id: webhook.id, organization_id: acme.id };
      for (const [n, row] of [
        { state: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null },
        { state: 'failed', attempts: 12, next_attempt_at: null },
        { state: 'pending', attempts: 2, last_status: 500, next_attempt_at: later },
      ].entries()) {
        const state = row.state as 'pending';
        ids.unshift(await storeDelivery(store, { ...base, ...row, state, id: uuidv7(Date.now() - 10 + n) }));
      }
      const all = await as(acme, 'ListDeliveries', { webhookId: webhook.id });
      const common = { webhookId: webhook.id, type: 'budget.threshold_reached' };
      expect(all.deliveries).toMatchObject([
        {
          ...{ ...common, id: ids[0], state: 'WEBHOOK_DELIVERY_STATE_PENDING', attempts: 2, lastStatus: 500 },
          nextAttemptAt: new Date(later).toISOString(),
        },
        { ...common, id: ids[1], state: 'WEBHOOK_DELIVERY_STATE_FAILED', attempts: 12 },
        { ...common, id: ids[2], state: 'WEBHOOK_DELIVERY_STATE_DELIVERED', attempts: 1, lastStatus: 204 },
      ]);
      expect('lastStatus' in all.deliveries[1]).toBe(false);
      expect('nextAttemptAt' in all.deliveries[2]).toBe(false);

      const first = await as(acme, 'ListDeliveries', { webhookId: webhook.id, pageSize: 2 });
      const second = await as(acme, 'ListDeliveries', {
        ...{ webhookId: webhook.id, pageSize: 2, pageToken: first.nextPageToken },
      });
      expect([...first.deliveries, ...second.deliveries]).toEqual(all.deliveries);
      expect(second.nextPageToken).toBe('');
      const foreign = plane.call('Webhooks.ListDeliveries', other.owner.token, { webhookId: webhook.id });
      expect(await refusal(foreign)).toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  it('end their pending deliveries when they are deleted', async () => {
    const { webhook } = await as(acme, 'Create', {
      ...{ organizationId: acme.id, name: freshName('hook'), url },
    });
    const base = { webhook_id: webhook.id, organization_id: acme.id };
    const pending = await storeDelivery(store, { ...base, next_attempt_at: later });
    const done = await storeDelivery(store, { ...base, state: 'delivered', next_attempt_at: null });
    await as(acme, 'Delete', { id: webhook.id });
    const rows = (await deliveries(store)).filter(({ webhook_id }) => webhook_id === webhook.id);
    expect(new Map(rows.map(({ id, state }) => [id, state]))).toEqual(
      new Map([
        [pending, 'failed'],
        [done, 'delivered'],
      ]),
    );
  });

  it('keep their secrets when the master key is rotated', async () => {
    await withWebhook(async ({ webhook, secret }) => {
      const newest = createSealKey();
      const both = parseSealKeys(`${newest},${plane.masterKey}`);
      const { lost, resealed } = await resealWebhookSecrets(store, both);
      expect(lost).toEqual([]);
      expect(resealed).toBeGreaterThan(0);
      const row = await store.snapshot((db) =>
        db.selectFrom('webhooks').selectAll().where('id', '=', webhook.id).executeTakeFirstOrThrow(),
      );
      const location = { organizationId: acme.id, webhookId: webhook.id, version: row.secret_version };
      expect(unsealWebhookSecret(parseSealKeys(newest), location, row.secret)).toBe(secret);
      expect(unsealWebhookSecret(parseSealKeys(plane.masterKey), location, row.secret)).toBeUndefined();
      expect((await resealWebhookSecrets(store, parseSealKeys(createSealKey()))).lost).toContain(webhook.id);
    });
  });

  it('reach no receiver on loopback, even if GATEWAY_PRIVATE_UPSTREAMS lists it', async () => {
    const authority = await createAuthority();
    const receiver = await startReceiver(authority);
    try {
      await withWebhook(async ({ webhook }) => {
        // Writes to the database directly, because the service would refuse the URL.
        await store.ledger(({ db }) =>
          db
            .updateTable('webhooks')
            .set({ url: receiver.url('127.0.0.1') })
            .where('id', '=', webhook.id)
            .execute(),
        );
        const id = await storeDelivery(store, { webhook_id: webhook.id, organization_id: acme.id });
        const row = async () => (await deliveries(store)).find((one) => one.id === id);
        await expect.poll(async () => (await row())?.attempts).toBe(1);
        await expect.poll(() => plane.logs.join('')).toContain('ForbiddenAddressError');
        expect(await row()).toMatchObject({ state: 'pending', last_status: null });
        expect(receiver.received).toEqual([]);
      });
    } finally {
      await receiver.close();
      authority.remove();
    }
  });
});
