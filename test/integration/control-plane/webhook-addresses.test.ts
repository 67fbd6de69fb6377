// Receivers that webhooks may reach: public addresses, and those that the platform lists in GATEWAY_WEBHOOK_ADDRESSES.
// Addresses are checked when a webhook is added and at each connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshSqlite } from '../../support/databases.ts';
import { openServiceNetwork } from '../../support/guardrails/services.ts';
import { storeDelivery } from '../../support/notice-rows.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { publicHost, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let network: Awaited<ReturnType<typeof openServiceNetwork>>;
let receiver: Receiver;

beforeAll(async () => {
  network = await openServiceNetwork();
  receiver = await startReceiver(network.authority);
});
afterAll(async () => {
  await receiver.close();
  network.authority.remove();
});

interface Started {
  readonly plane: OperatorsPlane;
  readonly acme: TestTenant;
  readonly store: Store;
}

async function withPlane(env: Record<string, string>, test: (started: Started) => Promise<void>) {
  const database = await freshSqlite();
  const plane = await startOperatorsPlane({
    env: { GATEWAY_DATABASE_URL: database.url, ...env },
    webhookNetwork: network.serviceNetwork,
  });
  try {
    const acme = await createTenant(plane, await bootstrap(plane), 'acme');
    await test({ plane, acme, store: await database.open() });
  } finally {
    await plane.close();
    await database.drop();
  }
}

/** Creates a delivery to this URL and waits until it was tried. */
async function deliver({ plane, acme, store }: Started, url: string) {
  const { token } = acme.owner;
  const { webhook } = await plane.expect('Webhooks.Create', token, {
    ...{ organizationId: acme.id, name: 'pager', url },
  });
  const before = receiver.received.length;
  await storeDelivery(store, { webhook_id: webhook.id, organization_id: acme.id });
  const read = async () =>
    (await plane.expect('Webhooks.ListDeliveries', token, { webhookId: webhook.id })).deliveries[0];
  await until(async () => (await read())?.attempts > 0, { what: 'the delivery to be tried' });
  return { delivery: read, came: () => receiver.received.length - before };
}

describe('a webhook by address', () => {
  it.each(['127.0.0.1', publicHost])('reaches an address that the platform lists: %s', async (host) => {
    await withPlane({ GATEWAY_WEBHOOK_ADDRESSES: '10.0.0.0/8,127.0.0.0/8' }, async (started) => {
      const { delivery, came } = await deliver(started, receiver.url(host));
      await until(async () => (await delivery()).state === 'WEBHOOK_DELIVERY_STATE_DELIVERED');
      expect(came()).toBe(1);
    });
  });

  it.each([
    ['nothing is listed', {}],
    ['others are listed', { GATEWAY_WEBHOOK_ADDRESSES: '10.0.0.0/8' }],
    ['it is denied', { GATEWAY_WEBHOOK_ADDRESSES: '127.0.0.0/8', GATEWAY_DENY_CIDRS: '127.0.0.1/32' }],
  ])('does not reach the address of its public name where %s', async (_where, env) => {
    await withPlane(env, async (started) => {
      const { delivery, came } = await deliver(started, receiver.url(publicHost));
      expect(await delivery()).toMatchObject({ state: 'WEBHOOK_DELIVERY_STATE_PENDING' });
      expect(started.plane.logs.join('')).toContain('ForbiddenAddressError');
      expect(came()).toBe(0);
    });
  });

  it('is refused at an address that is not listed, and at the metadata address even when it is listed', async () => {
    await withPlane({ GATEWAY_WEBHOOK_ADDRESSES: '169.254.0.0/16' }, async ({ plane, acme }) => {
      for (const url of ['https://127.0.0.1/', 'https://169.254.169.254/', 'https://pager/']) {
        const request = { organizationId: acme.id, name: 'pager', url };
        expect(await violated(plane.call('Webhooks.Create', acme.owner.token, request))).toEqual(['url']);
      }
    });
  });
});
