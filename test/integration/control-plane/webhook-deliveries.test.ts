// Deliveries over both databases to real receivers: each arrives at least once, with one id, and usually exactly once.
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { createLogger } from '../../../common/logger.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { Deliverer, type DelivererDeps } from '../../../control-plane/webhooks/deliver.ts';
import { type TryOutcome, takeDue, tidyDeliveries } from '../../../control-plane/webhooks/deliveries.ts';
import { startWebhooks } from '../../../control-plane/webhooks/start.ts';
import { describeStores, freshPostgres, type StoreDatabase } from '../../support/databases.ts';
import { deliveries, masterKeys, spend, storeBudget, storeDelivery, storeWebhook } from '../../support/notice-rows.ts';
import { silentLog } from '../../support/silent-log.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';
import { postOnLoopback, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const dayMs = 86_400_000;

const responses: readonly {
  readonly says: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly waitS: number;
}[] = [
  { says: 'redirect', status: 302, waitS: 5 },
  { says: 'bad', status: 400, waitS: 5 },
  { says: 'not-found', status: 404, waitS: 5 },
  { says: 'failed', status: 500, waitS: 5 },
  { says: 'wait-a-minute', status: 429, retryAfter: '60', waitS: 60 },
  { says: 'wait-a-second', status: 503, retryAfter: '1', waitS: 5 },
  { says: 'wait-a-day', status: 503, retryAfter: '86400', waitS: 3600 },
];

let authority: TestAuthority;
let receiver: Receiver;
let slow: Receiver;

beforeAll(async () => {
  authority = await createAuthority();
});
afterAll(() => authority.remove());
beforeEach(async () => {
  receiver = await startReceiver(authority);
  slow = await startReceiver(authority);
});
afterEach(() => Promise.all([receiver.close(), slow.close()]));

function deps<S extends Pick<Store, 'ledger'>>(store: S, more: Partial<Omit<DelivererDeps, 'store'>> = {}) {
  const outcomes: TryOutcome[] = [];
  return {
    ...{ store, masterKeys, clock: systemClock, log: silentLog, post: postOnLoopback(authority) },
    metrics: { webhookTried: (outcome: TryOutcome) => void outcomes.push(outcome) },
    outcomes,
    ...more,
  };
}

/** One run of the periodic task, with the attempts that it begins. */
async function round(deliverer: Deliverer): Promise<void> {
  await deliverer.beginDue();
  await deliverer.settled();
}

function makeDue({ raw }: StoreDatabase): Promise<void> {
  return raw(`update webhook_deliveries set next_attempt_at = 0 where state = 'pending'`);
}

async function organizationWithWebhook(store: Store, url = receiver.url()) {
  await change(store, (tx) => insertOrganization(tx).then(() => undefined));
  return await storeWebhook(store, { url });
}

describeStores('a delivery', (given) => {
  it('is posted as signed JSON, and done after a 2xx', async () => {
    const { id, secret } = await organizationWithWebhook(given.store);
    const delivery = await storeDelivery(given.store, { webhook_id: id, payload: '{"type":"ö"}' });
    const { outcomes, ...rest } = deps(given.store);
    await round(new Deliverer(rest));
    const [received] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(received?.headers).toMatchObject({
      ...{ 'webhook-id': delivery, 'content-type': 'application/json' },
      'user-agent': 'model-gateway-webhooks',
    });
    const headers = received?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toEqual({ type: 'ö' });
    expect(await deliveries(given.store)).toMatchObject([
      { id: delivery, state: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null },
    ]);
    expect(outcomes).toEqual(['delivered']);
    await round(new Deliverer(deps(given.store)));
    expect(receiver.received).toHaveLength(1);
  });

  it('with any other status is due again: by the schedule, or when the receiver requests', async () => {
    await organizationWithWebhook(given.store);
    const before = Date.now();
    const ids = new Map<string, string>();
    for (const { says } of responses) {
      const { id } = await storeWebhook(given.store, { url: `${receiver.url()}&${says}` });
      ids.set(says, await storeDelivery(given.store, { webhook_id: id }));
    }
    receiver.respond = (response, { path }) => {
      const requested = responses.find(({ says }) => path.endsWith(`&${says}`));
      const retryAfter = requested?.retryAfter;
      response.writeHead(requested?.status ?? 200, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      response.end();
    };
    const { outcomes, ...rest } = deps(given.store);
    await round(new Deliverer(rest));
    const rows = await deliveries(given.store);
    for (const { says, status, waitS } of responses) {
      const row = rows.find(({ id }) => id === ids.get(says));
      expect(row, says).toMatchObject({ state: 'pending', attempts: 1, last_status: status });
      const wait = (row?.next_attempt_at ?? 0) - before;
      expect(wait, says).toBeGreaterThanOrEqual(waitS * 1000 - 1);
      expect(wait, says).toBeLessThan(waitS * 1000 + 8000);
    }
    expect(outcomes).toEqual(responses.map(() => 'postponed'));
  });

  it('without a response is due again, and stores no status', async () => {
    const { id } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id, last_status: 500, attempts: 1 });
    receiver.respond = (response) => response.destroy();
    await round(new Deliverer(deps(given.store)));
    expect(await deliveries(given.store)).toMatchObject([{ state: 'pending', attempts: 2, last_status: null }]);
  });

  it('is tried again with the same id and body until it succeeds', async () => {
    const { id, secret } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id });
    const statuses = [500, 503, 200];
    receiver.respond = (response) => response.writeHead(statuses.shift() ?? 0).end();
    const deliverer = new Deliverer(deps(given.store));
    for (let times = 0; times < 4; times++) {
      await makeDue(given.database);
      await round(deliverer);
    }
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { body, headers } of receiver.received) {
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    }
    expect(await deliveries(given.store)).toMatchObject([{ state: 'delivered', attempts: 3 }]);
  });

  it('is given up after three days, and never before its first attempt', async () => {
    const { id } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id, created_at: Date.now() - 4 * dayMs });
    receiver.respond = (response) => response.writeHead(500).end();
    const { outcomes, ...rest } = deps(given.store);
    await round(new Deliverer(rest));
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries(given.store)).toMatchObject([
      { state: 'failed', attempts: 1, last_status: 500, next_attempt_at: null },
    ]);
    expect(outcomes).toEqual(['given_up']);
  });

  it('is given up after a 410, and its webhook stays', async () => {
    const { id } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id });
    receiver.respond = (response) => response.writeHead(410).end();
    await round(new Deliverer(deps(given.store)));
    expect(await deliveries(given.store)).toMatchObject([{ state: 'failed', last_status: 410 }]);
    receiver.respond = (response) => response.writeHead(200).end();
    await storeDelivery(given.store, { webhook_id: id });
    await round(new Deliverer(deps(given.store)));
    expect(await deliveries(given.store)).toMatchObject([{ state: 'failed' }, { state: 'delivered' }]);
  });

  it('whose end was not stored is sent again with the same id', async () => {
    const { id } = await organizationWithWebhook(given.store);
    const delivery = await storeDelivery(given.store, { webhook_id: id });
    let calls = 0;
    const dying: Pick<Store, 'ledger'> = {
      ledger: (work) => (++calls === 2 ? Promise.reject(new Error('killed')) : given.store.ledger(work)),
    };
    await round(new Deliverer(deps(dying)));
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries(given.store)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    // Not at once, because the worker that took it may still be busy with it.
    await round(new Deliverer(deps(given.store)));
    expect(receiver.received).toHaveLength(1);
    await makeDue(given.database);
    await round(new Deliverer(deps(given.store)));
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery]);
    expect(await deliveries(given.store)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('that another worker took over while the first hung is not changed by the first', async () => {
    const { id } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id });
    const hung: (() => void)[] = [];
    receiver.respond = (response) => void hung.push(() => response.writeHead(500).end());
    const first = new Deliverer(deps(given.store));
    await first.beginDue();
    await expect.poll(() => hung.length).toBe(1);
    await makeDue(given.database);
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '600' }).end();
    await round(new Deliverer(deps(given.store)));
    const [taken] = await deliveries(given.store);
    hung[0]?.();
    await first.settled();
    expect(await deliveries(given.store)).toEqual([taken]);
    expect(taken).toMatchObject({ attempts: 2, last_status: 503 });
  });

  it('whose secret no master key opens waits, and logs this without the secret', async () => {
    const { id, secret } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id });
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'test', level: 'debug', stream });
    const wrong = parseSealKeys(createSealKey());
    await round(new Deliverer(deps(given.store, { masterKeys: wrong, log })));
    expect(receiver.received).toEqual([]);
    expect(lines.join('')).toContain('no master key opens the secret');
    await makeDue(given.database);
    receiver.respond = (response) => response.writeHead(500).end('text of the receiver');
    await round(new Deliverer(deps(given.store, { log })));
    await makeDue(given.database);
    receiver.respond = (response) => response.destroy();
    await round(new Deliverer(deps(given.store, { log })));
    expect(lines.length).toBeGreaterThan(3);
    for (const canary of [secret, 'in-the-url', 'localhost', 'text of', `${receiver.port}`]) {
      expect(lines.join('')).not.toContain(canary);
    }
  });
});

describeStores('deliveries of several webhooks', (given) => {
  it('continue while one receiver hangs; those of one webhook are sent one after another, oldest first', async () => {
    const hanging = await organizationWithWebhook(given.store, slow.url());
    const quick = await storeWebhook(given.store, { url: receiver.url() });
    const open: (() => void)[] = [];
    slow.respond = (response) => void open.push(() => response.writeHead(200).end());
    const order: string[] = [];
    for (let n = 0; n < 5; n++) {
      const id = uuidv7(Date.now() - 1000 + n);
      await storeDelivery(given.store, { webhook_id: hanging.id });
      order.push(await storeDelivery(given.store, { id, webhook_id: quick.id }));
    }
    const deliverer = new Deliverer(deps(given.store));
    for (let times = 0; times < 8; times++) {
      const before = receiver.received.length;
      await deliverer.beginDue();
      if (before < 5) await expect.poll(() => receiver.received.length).toBe(before + 1);
      await expect.poll(() => deliverer.underWay).toBe(1);
    }
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(order);
    expect(slow.received).toHaveLength(1);
    for (let n = 1; n <= 5; n++) {
      await expect.poll(() => open.length).toBe(n);
      open[n - 1]?.();
      await deliverer.settled();
      await deliverer.beginDue();
    }
    expect((await deliveries(given.store)).every(({ state }) => state === 'delivered')).toBe(true);
  });

  it('wait while their webhook is disabled, for three days at most', async () => {
    const { id } = await organizationWithWebhook(given.store);
    await storeDelivery(given.store, { webhook_id: id });
    await storeDelivery(given.store, { webhook_id: id, created_at: Date.now() - 3.1 * dayMs });
    await given.database.raw('update webhooks set enabled = 0');
    await round(new Deliverer(deps(given.store)));
    await tidyDeliveries(given.store);
    expect(receiver.received).toEqual([]);
    expect(await deliveries(given.store)).toMatchObject([
      { state: 'pending', attempts: 0 },
      { state: 'failed', next_attempt_at: null },
    ]);
    await given.database.raw('update webhooks set enabled = 1');
    await round(new Deliverer(deps(given.store)));
    expect(receiver.received).toHaveLength(1);
  });

  it('are taken up to the requested number, and never those of busy webhooks', async () => {
    const first = await organizationWithWebhook(given.store);
    const second = await storeWebhook(given.store, { url: receiver.url() });
    const third = await storeWebhook(given.store, { url: receiver.url() });
    for (const { id } of [first, second, third]) await storeDelivery(given.store, { webhook_id: id });
    const some = await takeDue(given.store, { max: 1, busy: [first.id] });
    expect(some.map(({ webhookId }) => webhookId)).toHaveLength(1);
    const rest = await takeDue(given.store, { max: 5, busy: [first.id] });
    expect([...some, ...rest].map(({ webhookId }) => webhookId).toSorted()).toEqual([second.id, third.id].toSorted());
    expect(await takeDue(given.store, { max: 5, busy: [first.id] })).toEqual([]);
  });

  it('that are done are deleted after 30 days, pending ones never', async () => {
    const { id } = await organizationWithWebhook(given.store);
    const aged = (days: number) => ({ id: uuidv7(Date.now() - days * dayMs), webhook_id: id });
    await storeDelivery(given.store, { ...aged(31), state: 'delivered' });
    await storeDelivery(given.store, { ...aged(31), state: 'failed' });
    const pending = await storeDelivery(given.store, { ...aged(31), state: 'pending' });
    const young = await storeDelivery(given.store, { ...aged(29), state: 'delivered' });
    expect(await tidyDeliveries(given.store)).toBe(false);
    expect((await deliveries(given.store)).map((row) => row.id)).toEqual([pending, young]);
  });
});

describeStores('the workers of a control plane', (given) => {
  it('send a threshold to its receivers soon after it is reached, and finish what they began', async () => {
    await storeBudget(given.store, { id: 'budget-1' });
    const { secret } = await storeWebhook(given.store, { url: receiver.url() });
    const workers = startWebhooks(deps(given.store));
    await spend(given.store, { budgetId: 'budget-1', spent: 1_000_000_000 });
    await expect.poll(() => receiver.received.length).toBe(3);
    await workers.close();
    const reported = receiver.received.map(
      ({ body, headers }) =>
        new Webhook(secret).verify(body, headers as Record<string, string>) as { data: { percent: number } },
    );
    // They are sent at the same time, so any of them may arrive first.
    expect(reported.map(({ data }) => data.percent).toSorted((a, b) => a - b)).toEqual([50, 80, 100]);
    expect((await deliveries(given.store)).every(({ state }) => state === 'delivered')).toBe(true);
  });

  it('close while a receiver hangs: the attempt is aborted and made again', async () => {
    const { id } = await organizationWithWebhook(given.store);
    const delivery = await storeDelivery(given.store, { webhook_id: id });
    receiver.respond = () => undefined;
    const workers = startWebhooks(deps(given.store));
    await expect.poll(() => receiver.received.length).toBe(1);
    await workers.close();
    expect(await deliveries(given.store)).toMatchObject([{ id: delivery, state: 'pending', attempts: 1 }]);
  });
});

describe('two replicas over PostgreSQL', () => {
  let database: StoreDatabase;
  beforeEach(async () => {
    database = await freshPostgres();
  });
  afterEach(() => database.drop());

  it('send each threshold once and deliver each once, while more are reached', async () => {
    const [one, other] = [await database.open(), await database.open()];
    const ids = Array.from({ length: 15 }, (_, n) => `budget-${n}`);
    for (const id of ids) await storeBudget(one, { id });
    for (const n of [1, 2]) await storeWebhook(one, { url: `${receiver.url()}&webhook=${n}` });
    const replicas = [startWebhooks(deps(one)), startWebhooks(deps(other))];
    await Promise.all(ids.map((budgetId, n) => spend(n % 2 === 0 ? one : other, { budgetId, spent: 1_000_000_000 })));
    await expect.poll(() => receiver.received.length).toBe(90);
    await Promise.all(replicas.map((replica) => replica.close()));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(90);
    const rows = await deliveries(one);
    expect(rows).toHaveLength(90);
    expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
  });
});
