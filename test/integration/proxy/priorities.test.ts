// Priority classes and weights as callers notice them when a proxy's slots are used up: who is refused first, at once, with
// a time after which to try again.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  chatBody,
  startGateway,
  type TestGateway,
  type TestOrganization,
  type TestProxy,
} from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

const slots = 8;

let gateway: TestGateway;
let proxy: TestProxy;
/** All its slots are for one organization. */
let own: TestProxy;

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_IN_FLIGHT_MAX: String(slots) } });
  proxy = await gateway.startProxy({ GATEWAY_ORGANIZATION_SHARE: '50' });
  own = gateway.proxy;
});
afterEach(async () => {
  for (const each of [proxy, own]) await until(async () => (await metric(each, 'gateway_in_flight_requests')) === 0);
});
afterAll(() => gateway?.close());

async function keyOf(organization: TestOrganization, fields: object = {}): Promise<string> {
  return (await organization.createKey(fields)).value;
}

async function send(to: TestProxy, key: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-svc-vk': key };
  return await fetch(`${to.url}/v1/chat/completions`, { method: 'POST', headers, body: chatBody() });
}

/** Requests that stay until the provider responds. @returns how many were admitted, and those that were refused */
async function fill(to: TestProxy, key: string) {
  gateway.simulator.script({ headDelayMs: 3_000 }, { times: slots });
  const before = gateway.simulator.requests.length;
  const refused: Response[] = [];
  const sent = Array.from({ length: slots + 2 }, () =>
    send(to, key).then((response) => {
      if (response.status === 503) refused.push(response);
      return response;
    }),
  );
  const admitted = () => gateway.simulator.requests.length - before;
  await until(() => admitted() + refused.length === slots + 2, { what: 'every request' });
  return { admitted: admitted(), refused, ended: Promise.all(sent) };
}

it('batch is refused at three quarters of the slots, at once, and interactive requests get the others', async () => {
  const [nightly, app] = [
    await keyOf(gateway.organization, { priorityClass: 'KEY_PRIORITY_CLASS_BATCH' }),
    await keyOf(gateway.organization),
  ];
  await Promise.all([send(own, nightly), send(own, app)]);
  const { admitted, refused, ended } = await fill(own, nightly);
  expect(admitted).toBeLessThanOrEqual(0.75 * slots);
  expect(admitted).toBeGreaterThanOrEqual(slots / 2);
  for (const response of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ error: { code: 'overloaded' } });
  }
  gateway.simulator.reset();
  expect((await send(own, app)).status).toBe(200);
  expect((await send(own, nightly)).status).toBe(503);
  expect((await ended).filter(({ status }) => status === 200).length).toBe(admitted);
  expect((await send(own, nightly)).status).toBe(200);
});

it('an organization with three times the weight gets more of the slots', async () => {
  const [usual, heavy] = [await gateway.createOrganization('usual'), await gateway.createOrganization('heavy')];
  await gateway.platform.call('Organizations/SetWeight', { id: heavy.id, weight: 300 });
  const counts: number[] = [];
  for (const organization of [usual, heavy]) {
    const key = await keyOf(organization);
    await send(proxy, key);
    const { admitted, ended } = await fill(proxy, key);
    counts.push(admitted);
    await ended;
  }
  expect(counts).toEqual([4, 6]);
});
