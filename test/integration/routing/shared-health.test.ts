// What proxies learn of targets reaches others: operators, by an audit event and a webhook. Two proxies with one
// control plane, over real sockets.
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const first = 'sk-mistyped-0123456789';
const second = 'sk-sim-second-0123456789';

let gateway: TestGateway;
let other: TestProxy;
let organizations = 0;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let firstId: string;
let virtualKey: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  other = await gateway.startProxy();
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  virtualKey = await organization.createKey();
  const { id: organizationId, api } = organization;
  const { providerKeys } = (await api.call('ProviderKeys/List', { organizationId })) as {
    providerKeys: { id: string }[];
  };
  firstId = providerKeys[0]?.id ?? '';
  await api.call('ProviderKeys/Update', { id: firstId, secret: { apiKey: first } });
  const standby = { organizationId, provider: 'gpt-provider', name: 'standby', priority: 1 };
  await api.call('ProviderKeys/Create', { ...standby, secret: { apiKey: second } });
});
afterAll(() => gateway?.close());

async function call(proxy: TestProxy): Promise<void> {
  const client = new OpenAI({ apiKey: virtualKey.value, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  await client.chat.completions.create({ model, messages });
}

async function refusals(): Promise<{ readonly action: string; readonly after: string }[]> {
  const request = { organizationId: organization.id, targetId: firstId };
  const { events } = (await organization.api.call('Audit/List', request)) as {
    events: { action: string; after: string }[];
  };
  return events.filter(({ action }) => action === 'ProviderKeys.FindRefused');
}

it('a key that the vendor refuses reaches the organization once, though both proxies notice it', async () => {
  const reported = () =>
    Promise.all(
      [gateway.proxy, other].map((proxy) => metric(proxy, 'gateway_refused_key_reports_total', { result: 'reported' })),
    );
  const before = await reported();
  await call(gateway.proxy);
  await call(other);
  await until(async () => (await reported()).every((count, index) => count === (before[index] ?? 0) + 1));
  const events = await refusals();
  expect(events.map(({ after }) => JSON.parse(after))).toMatchObject([
    { provider: 'gpt-provider', cause: 'key', model: null },
  ]);
  expect(JSON.stringify(events)).not.toContain(first.slice(-6));
  expect(gateway.logs.join('')).not.toContain(first);
});
