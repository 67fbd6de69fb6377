// Addresses that the gateway never connects to, whatever a setting, a stored provider key or a name server contains:
// they are refused as unreachable before a connection is made. A listener that is never reached proves it; the first
// test shows that it would notice a connection.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PrivateUpstreams, privateUpstream } from '../../../common/private-upstreams.ts';
import { baseUrl } from '../../../control-plane/domain/base-url.ts';
import { type BlackHole, startBlackHole } from '../../support/black-hole.ts';
import { chatBody, type Environment, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { type Observed, observe } from '../../support/observe.ts';

let gateway: TestGateway;
let key: string;
let recorder: BlackHole;

beforeAll(async () => {
  recorder = await startBlackHole();
  gateway = await startGateway({
    controlPlane: { GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${recorder.port}` },
  });
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await gateway.close();
  await recorder.stop();
});

const stored = () => ({ authorization: `Bearer ${key}` });
const direct = () => ({ 'x-svc-vk': key, 'x-svc-direct-key': 'true', authorization: 'Bearer sk-sim-own' });

function ask(proxy: TestProxy, headers: Record<string, string> = stored()): Promise<Observed> {
  return observe(gateway, `${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: chatBody(),
  });
}

/** A response of a proxy with this URL for the GPT vendor, and the environment. */
async function askProxyTo(url: string, environment: Environment = {}): Promise<Observed> {
  const proxy = await proxyTo(url, environment);
  const seen = await ask(proxy);
  // Ends the start of its worker as well, which costs more than the proxy.
  await proxy.drain();
  return seen;
}

/** A proxy with this URL for the GPT vendor. */
const proxyTo = (url: string, environment: Environment = {}) =>
  gateway.startProxy({ GATEWAY_GPT_PROVIDER_URL: url, ...environment });

function expectRefused(seen: Observed) {
  expect([seen.status, seen.error?.code]).toEqual([502, 'upstream_unreachable']);
  expect(seen.error?.message).toBe('the provider cannot be reached');
  expect(seen.line.reason).toContain('is not one that the gateway may reach');
}

describe('the base URL of a provider', () => {
  it('is reached if host and port are listed', async () => {
    const proxy = await proxyTo(`http://127.0.0.1:${recorder.port}/v1`, {
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${recorder.port}`,
      GATEWAY_TOTAL_TIMEOUT: '300ms',
    });
    const before = recorder.accepted();
    expect((await ask(proxy)).error?.code).toBe('upstream_timeout');
    expect(recorder.accepted()).toBe(before + 1);
  });

  it.each([
    ['plain http', 'http://127.0.0.1:<port>'],
    ['loopback', 'https://127.0.0.1:<port>'],
    ['a name of loopback', 'https://localhost:<port>'],
    ['loopback in another spelling', 'https://2130706433:<port>'],
    ['loopback in hexadecimal', 'https://0x7f.1:<port>'],
    ['any address', 'https://0.0.0.0:<port>'],
    ['loopback of IPv6', 'https://[::1]:<port>'],
    ['IPv4 within IPv6', 'https://[::ffff:127.0.0.1]:<port>'],
    ['a name in plain http', 'http://localhost:<port>'],
    ['a private network', 'https://10.0.0.1'],
    ['a link-local address', 'https://169.254.1.1'],
    ['a unique local address', 'https://[fd00::1]'],
    ['NAT64 of loopback', 'https://[64:ff9b::7f00:1]'],
  ])('is not reached at %s', async (_what, url) => {
    const before = recorder.accepted();
    expectRefused(await askProxyTo(url.replace('<port>', String(recorder.port))));
    expect(recorder.accepted()).toBe(before);
  });

  it.each([
    ['another port', '127.0.0.1:1'],
    ['another name of the host', 'localhost:<port>'],
  ])('is not reached if %s is listed', async (_what, listed) => {
    const port = String(recorder.port);
    const before = recorder.accepted();
    const environment = { GATEWAY_PRIVATE_UPSTREAMS: listed.replace('<port>', port) };
    expectRefused(await askProxyTo(`https://127.0.0.1:${port}`, environment));
    expect(recorder.accepted()).toBe(before);
  });

  it.each([
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[::ffff:a9fe:a9fe]',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[fd20:ce::254]',
  ])('is never the instance metadata at %s, listed or not', async (host) => {
    for (const [scheme, port] of [
      ['http', 80],
      ['https', 443],
    ] as const) {
      const listed = { GATEWAY_PRIVATE_UPSTREAMS: `${host}:${port}` };
      expectRefused(await askProxyTo(`${scheme}://${host}`, listed));
    }
  });

  it('is not reached in a block that the operator denies', async () => {
    expectRefused(await askProxyTo('https://8.8.8.8', { GATEWAY_DENY_CIDRS: '1.1.1.0/24, 8.8.8.0/24' }));
    expectRefused(await askProxyTo('https://[2001:4860:4860::8888]', { GATEWAY_DENY_CIDRS: '2001:4860::/32' }));
  });
});

describe('a private host that is listed for one organization', () => {
  it('is reached for that organization only, even if another one has the same base URL', async () => {
    const other = await gateway.createOrganization('neighbour');
    const owner = await gateway.createOrganization('owner of a model server');
    const hostAndPort = `127.0.0.1:${gateway.simulator.port}`;
    const baseUrl = `http://${hostAndPort}/v1`;
    const listed = { GATEWAY_PRIVATE_UPSTREAMS: `${owner.id}@${hostAndPort}` };
    const proxy = await proxyTo(baseUrl, listed);
    const ownersKey = (await owner.createKey()).value;
    const othersKey = (await other.createKey()).value;
    // The owner's connection is open, and is not used for others.
    for (let round = 0; round < 2; round++) {
      expect((await ask(proxy, { authorization: `Bearer ${ownersKey}` })).status).toBe(200);
      expectRefused(await ask(proxy, { authorization: `Bearer ${othersKey}` }));
    }
  });

  it('is a valid base URL for that organization only at the control plane', async () => {
    const { id } = await gateway.createOrganization('owner of another');
    const open = new PrivateUpstreams([privateUpstream(`${id}@models.internal:8000`)]);
    expect(baseUrl('http://models.internal:8000/v1', open.openTo(id))).toMatchObject({
      value: 'http://models.internal:8000/v1',
    });
    for (const organization of [undefined, 'another'])
      expect(baseUrl('http://models.internal:8000/v1', open.openTo(organization))).toHaveProperty('problems');
    expect(() => privateUpstream('a b@models.internal:8000')).toThrow(/id of an organization/);
  });
});

describe('the base URL of a stored provider key', () => {
  it('is checked by the proxy too, and the caller’s own key is never sent there', async () => {
    const organization = await gateway.createOrganization('own model server');
    const { id, api } = organization;
    await api.call('Organizations/UpdateSettings', {
      id,
      settings: { access: { callerProviderKeys: true } },
    });
    const { providerKeys } = (await api.call('ProviderKeys/List', { organizationId: id })) as {
      providerKeys: { id: string }[];
    };
    await api.call('ProviderKeys/Update', {
      id: providerKeys[0]?.id,
      secret: { apiKey: 'sk-sim-other-0123456789' },
      settings: { baseUrl: `http://127.0.0.1:${recorder.port}/v1` },
    });
    const { value } = await organization.createKey();
    const before = recorder.accepted();
    expectRefused(await ask(gateway.proxy, { authorization: `Bearer ${value}` }));
    const seen = await ask(gateway.proxy, { ...direct(), 'x-svc-vk': value });
    expect(seen.status).toBe(200);
    expect(gateway.simulator.requests[0]?.headers.authorization).toBe('Bearer sk-sim-own');
    expect(recorder.accepted()).toBe(before);
  });
});
