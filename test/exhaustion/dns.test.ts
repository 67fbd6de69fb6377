// The DNS servers fall silent: the operator's own hosts are reached at their last addresses, names of organizations
// fail in time and delay no other request, the log and the metrics name the cause, and names work again as soon as a
// server responds.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { providerSecret } from '../support/gateway.ts';
import { freePort, until } from '../support/process.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

const [operators, tenants] = ['models.example', 'tenant.example'] as const;
let dns: DnsServer;
let link: Forwarder;
let port: number;
let world: World;
let proxy: Program;
let key: string;
beforeAll(async () => {
  dns = await startDnsServer({ [operators]: ['127.0.0.1'], [tenants]: ['127.0.0.1'] });
  port = await freePort();
  const listed = [operators, tenants].map((host) => `${host}:${port}`).join(',');
  world = await startWorld({ env: { GATEWAY_PRIVATE_UPSTREAMS: listed } });
  link = await startForwarder({ port: world.simulator.port }, port);
  proxy = await world.startProxy({
    GATEWAY_DNS_SERVERS: dns.address,
    GATEWAY_GPT_PROVIDER_URL: urlAt(operators),
    GATEWAY_PRIVATE_UPSTREAMS: listed,
    GATEWAY_CONNECT_TIMEOUT: '1s',
  });
  key = (await world.organization.createKey()).value;
}, startMs);
afterAll(async () => {
  await world?.close();
  await link?.stop();
  await dns?.close();
});

const urlAt = (host: string) => `http://${host}:${port}${new URL(world.simulator.baseUrls['gpt-provider']).pathname}`;

let served = 0;
async function outcomeOf(fields: object = {}): Promise<string> {
  const outcome = await ask(proxy, key, fields);
  if (outcome === '200') served++;
  return outcome;
}

/** The next request needs a new connection, and so a look-up of the name. */
async function connectAnew(): Promise<void> {
  await link.cut();
  await link.heal();
}

it(
  'a proxy without DNS serves the operator’s hosts, fails tenants’ names in time, and recovers',
  async () => {
    const { organization } = world;
    await organization.api.call('Providers/Create', {
      ...{ organizationId: organization.id, name: 'own', wireFormat: 'WIRE_FORMAT_GPT_PROVIDER' },
      ...{ baseUrl: urlAt(tenants), keyForm: 'KEY_FORM_BEARER' },
    });
    await organization.api.call('ProviderKeys/Create', {
      ...{
        organizationId: organization.id,
        provider: 'own',
        name: 'own',
        secret: { apiKey: providerSecret },
      },
    });
    const own = { model: 'own/gpt-4o-mini' };
    expect(await outcomeOf()).toBe('200');
    dns.silent = true;
    // The proxy gets to know the provider, whose name it has never looked up.
    await until(async () => (await outcomeOf(own)) === '502 upstream_unreachable');
    const before = await metric(proxy, 'gateway_requests_total', { code: 'upstream_unreachable' });
    await connectAnew();
    expect(await outcomeOf()).toBe('200');
    const waiting = Promise.all(Array.from({ length: 8 }, () => outcomeOf(own)));
    // Other requests do not wait for them.
    for (let sent = 0; sent < 3; sent++) {
      await connectAnew();
      expect(await outcomeOf()).toBe('200');
    }
    expect(new Set(await waiting)).toEqual(new Set(['502 upstream_unreachable']));
    expect(await metric(proxy, 'gateway_requests_total', { code: 'upstream_unreachable' })).toBe(before + 8);
    expect(await metric(proxy, 'gateway_share_used', { resource: 'lookups' })).toBe(0);
    const refused = () => proxy.lines().filter(({ error_code }) => error_code === 'upstream_unreachable');
    // Log lines are written off the request path, so they come after the responses.
    await until(() => refused().length >= before + 8, { what: 'a log line for each refused request' });
    expect(JSON.stringify(refused().at(-1))).toContain(tenants);
    expect(await readiness(proxy)).toBe('ok');
    dns.silent = false;
    await until(async () => (await outcomeOf(own)) === '200');
    await until(async () => (await recorded(organization)) === served);
  },
  startMs,
);
