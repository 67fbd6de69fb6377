// Made-up keys from an address that many callers share: they lock out no valid key that Redis has, and with a trusted
// load balancer no other caller at all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { proxyV2 } from '../../support/proxy-headers.ts';
import { openConnection } from '../../support/raw-http.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { logged, metric } from '../../support/telemetry.ts';

let redis: TestRedis;
let gateway: TestGateway;
const keys: string[] = [];

beforeAll(async () => {
  redis = await startRedis();
  gateway = await startGateway({ proxy: { REDIS_URL: redis.url } });
  for (let count = 0; count < 5; count++) keys.push((await gateway.organization.createKey()).value);
  for (const key of keys) expect((await send(gateway.proxy, key)).status).toBe(200);
});
afterAll(async () => {
  await gateway.close();
  await redis.stop();
});

interface ReadResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly requestId: string | null;
}

async function send({ url }: TestProxy, key: string, forwardedFor?: string): Promise<ReadResponse> {
  const response = await fetch(`${url}/v1/models`, {
    headers: { 'x-api-key': key, ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) },
  });
  await response.arrayBuffer();
  const { headers, status } = response;
  return { status, retryAfter: headers.get('retry-after'), requestId: headers.get('x-request-id') };
}

/** More made-up keys than the limit, one after another. */
async function makeUp(proxy: TestProxy, forwardedFor?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < 24; count++) {
    const { status } = await send(proxy, createCredential('virtualKey'), forwardedFor);
    statuses.push(status);
  }
  return statuses;
}

const lineOf = async ({ requestId }: ReadResponse) => {
  const find = () => logged(gateway.logs, 'request').find((line) => line.request_id === requestId);
  await until(() => find() !== undefined, { what: 'the line of the request' });
  return find();
};

describe('made-up keys', () => {
  it('lock out no valid key that Redis has, at a newly started proxy', async () => {
    const proxy = await gateway.startProxy();
    const statuses = await makeUp(proxy);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    for (const key of keys) expect((await send(proxy, key)).status).toBe(200);
    const used = await metric(proxy, 'gateway_share_used', { resource: 'unknown_credentials' });
    expect(used).toBeGreaterThan(0.5);
    expect(await metric(proxy, 'gateway_share_refused_total', { resource: 'unknown_credentials' })).toBeGreaterThan(0);
  });

  it('lock out no other address behind the same trusted load balancer', async () => {
    const proxy = await gateway.startProxy({ REDIS_URL: '', GATEWAY_TRUSTED_PROXIES: '127.0.0.1' });
    // The part before the last address is a claim of the caller.
    expect(await makeUp(proxy, '192.0.2.99, 198.51.100.1')).toContain(429);
    const refused = await send(proxy, createCredential('virtualKey'), '203.0.113.5, 198.51.100.1');
    expect(refused).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^[1-4]$/) });
    expect(await lineOf(refused)).toMatchObject({ status: 429, address: '198.51.100.1' });
    const [first = '', second = ''] = keys;
    expect((await send(proxy, first, '198.51.100.2')).status).toBe(200);
    expect((await send(proxy, second, '2001:db8::7')).status).toBe(200);
  });

  it('are counted for the connecting address without a trusted load balancer', async () => {
    const proxy = await gateway.startProxy({ REDIS_URL: '' });
    expect(await makeUp(proxy, '198.51.100.1')).toContain(429);
    const refused = await send(proxy, createCredential('virtualKey'), '198.51.100.2');
    expect(refused.status).toBe(429);
    expect(await lineOf(refused)).toMatchObject({ address: '127.0.0.1' });
  });
});

describe('a proxy behind a load balancer that passes bytes on', () => {
  it("gets its callers' addresses by the PROXY protocol, and closes connections without it", async () => {
    const proxy = await gateway.startProxy({
      ...{ GATEWAY_TRUSTED_PROXIES: '127.0.0.0/8', GATEWAY_PROXY_PROTOCOL: 'true' },
    });
    const connection = await openConnection(proxy.port);
    connection.send(proxyV2({ source: '198.51.100.77', extra: 20 }));
    connection.send(`GET /v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: ${createCredential('virtualKey')}\r\n\r\n`);
    const { status, headers } = await connection.respond();
    expect(status).toBe(401);
    const response = { status, retryAfter: null, requestId: headers.get('x-request-id') ?? '' };
    expect(await lineOf(response)).toMatchObject({ address: '198.51.100.77' });
    connection.socket.destroy();

    const without = await openConnection(proxy.port);
    without.send('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    await without.closed;
    expect(without.received()).toBe('');
    expect(gateway.logs.join('')).toContain('GATEWAY_PROXY_PROTOCOL');
    expect(await metric(proxy, 'gateway_malformed_requests_total', { code: 'invalid_request' })).toBe(1);
  });
});
