// Host names whose DNS servers never respond affect only the requests that name them: one chat with images at such
// names once blocked the threads of all look-ups for more than a minute.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat } from '../../support/chat-requests.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

let dns: DnsServer;
let gateway: TestGateway;
let hostile: TestOrganization;
let hostileKey: string;
let key: string;
let proxy: TestProxy;

const imagesMax = 16;
const models = 8;
const host = (index: number) => `m${index}.models.example`;

beforeAll(async () => {
  const names = Object.fromEntries(Array.from({ length: models }, (_, index) => [host(index), ['127.0.0.1']]));
  dns = await startDnsServer(names, 'slow.example');
  gateway = await startGateway();
  const { port } = gateway.simulator;
  const listed = Array.from({ length: models }, (_, index) => `${host(index)}:${port}`).join(',');
  proxy = await gateway.startProxy({
    GATEWAY_DNS_SERVERS: dns.address,
    GATEWAY_GPT_PROVIDER_URL: `http://${host(0)}:${port}/v1`,
    GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port},${listed}`,
    GATEWAY_IMAGE_TIMEOUT: '60s',
    GATEWAY_CONNECT_TIMEOUT: '60s',
    GATEWAY_TOTAL_TIMEOUT: '120s',
  });
  hostile = await gateway.createOrganization('hostile');
  await hostile.storeProviderKeys();
  hostileKey = (await hostile.createKey()).value;
  key = (await gateway.organization.createKey()).value;
});
afterAll(async () => {
  await gateway.close();
  await dns.close();
});

function imagesAt(zone: string) {
  const images = Array.from({ length: imagesMax }, (_, index) => ({
    type: 'image_url',
    image_url: { url: `https://h${index}.${zone}/x.png` },
  }));
  return { model: 'search-provider/gemini-2.5-flash', messages: [{ role: 'user', content: images }] };
}

const lookupsUsed = () => metric(proxy, 'gateway_share_used', { resource: 'lookups' });

describe('a chat with images at names that never resolve', () => {
  it('does not delay new connections of others, and its look-ups end with it', async () => {
    const leaving = new AbortController();
    const pending = fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hostileKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(imagesAt('slow.example')),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await until(async () => (await lookupsUsed()) === imagesMax / 512, {
      ...{ what: 'all its names to be looked up', timeoutMs: 30_000 },
    });
    // The first new connection to a host by its name, during the look-ups.
    for (const _ of Array.from({ length: 3 })) {
      const { outcome } = await chat(key)(proxy);
      expect(outcome).toBe('200');
    }
    expect(dns.requested).toContain(host(0));
    expect(await lookupsUsed()).toBe(imagesMax / 512);
    leaving.abort();
    expect(await pending).toBe('AbortError');
    await until(async () => (await lookupsUsed()) === 0, {
      ...{ what: 'its look-ups to end', timeoutMs: 30_000 },
    });
  });

  it('is refused above its share of look-ups, and no other request is', async () => {
    const leaving = new AbortController();
    const ask = async () => {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hostileKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(imagesAt(`${crypto.randomUUID()}.slow.example`)),
        signal: leaving.signal,
      });
      const { error } = (await response.json()) as { error: { code: string } };
      return `${response.status} ${error.code}`;
    };
    const all = Array.from({ length: 512 / imagesMax }, ask);
    const ends = Promise.allSettled(all);
    expect(await Promise.race(all)).toBe('503 overloaded');
    expect(await lookupsUsed()).toBeLessThanOrEqual(0.5);
    expect(await metric(proxy, 'gateway_share_refused_total', { resource: 'lookups' })).toBeGreaterThan(0);
    const { outcome } = await chat(key)(proxy);
    expect(outcome).toBe('200');
    leaving.abort();
    await ends;
  });
});

describe('an image that cannot be fetched', () => {
  it('is reported with one text for every cause', async () => {
    const texts = new Set<string | undefined>();
    for (const url of ['https://gone.example/x', `https://${host(1)}/x`, 'https://10.0.0.1/x', 'https://localhost/x']) {
      const content = [{ type: 'image_url', image_url: { url } }];
      const fields = { ...imagesAt(''), messages: [{ role: 'user', content }] };
      const { outcome, message } = await chat(hostileKey, fields)(proxy);
      expect(outcome).toBe('400 invalid_request');
      texts.add(message?.replace(new URL(url).hostname, 'host'));
    }
    expect([...texts]).toEqual([
      'the image "https://host/x" could not be fetched; it must lead to a public https address that responds',
    ]);
  });
});
