// No descriptor is left: nothing new can be accepted, connected or opened. Existing connections are served, requests
// that need a descriptor are refused, no program ends, and all of it works again without a restart. Idle connections of
// callers alone never use up all descriptors.
import { readdirSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import { chatBody } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, limit, type Program, recorded, startMs, startWorld, type World } from './world.ts';

/** Limit of both planes at their start. */
const descriptorsMax = 160;

let world: World;
let proxy: Program;
let provider: Forwarder;
let key: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await startWorld({ options: { descriptorsMax } });
  const { baseUrls, port } = world.simulator;
  provider = await startForwarder({ port });
  const url = Object.assign(new URL(baseUrls['gpt-provider']), { port: String(provider.port) }).href;
  const listed = { GATEWAY_GPT_PROVIDER_URL: url, GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${provider.port}` };
  proxy = await world.startProxy(listed, { descriptorsMax });
  key = (await world.organization.createKey()).value;
}, startMs);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await world?.close();
  await provider?.stop();
});

/** Opens connections that send nothing, from the test's one address. */
async function reserve(port: number, count: number): Promise<void> {
  for (let made = 0; made < count; made++)
    sockets.push(connect({ port, host: '127.0.0.1' }).on('error', () => undefined));
  await sleep(500);
}

/** The response to a Kubernetes probe, over its own connection. */
const probe = ({ adminUrl }: Program) =>
  new Promise<number | string>((resolve) => {
    get(`${adminUrl}/livez`, { agent: false, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', (error) => resolve(error.message))
      .on('timeout', () => resolve('silent'));
  });

const openNow = ({ child }: Program) => readdirSync(`/proc/${child.pid}/fd`).length;

describe('connections that send nothing', () => {
  it('leave a proxy enough descriptors for its probes, its providers and its control plane', async () => {
    await reserve(proxy.ports.port ?? 0, 2 * descriptorsMax);
    expect(await probe(proxy)).toBe(200);
    expect(await metric(proxy, 'gateway_share_refused_total', { resource: 'connections' })).toBeGreaterThan(0);
    expect(openNow(proxy)).toBeLessThan(descriptorsMax);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await ask(proxy, key)) === '200');
  });

  it.each(['http_port', 'grpc_port'])('at %s of a control plane leave it enough descriptors', async (port) => {
    await reserve(world.controlPlane.ports[port] ?? 0, 2 * descriptorsMax);
    expect(openNow(world.controlPlane)).toBeLessThan(descriptorsMax);
    expect(await probe(world.controlPlane)).toBe(200);
    expect(await metric(world.controlPlane, 'gateway_accept_failures_total')).toBeGreaterThan(0);
    for (const socket of sockets.splice(0)) socket.destroy();
    const { value } = await until(() => world.organization.createKey().catch(() => undefined));
    expect(await ask(proxy, value)).toBe('200');
  });
});

describe('a program without a free descriptor', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => agent.destroy());

  /** Sends a request over one kept connection. */
  const askKept = () =>
    new Promise<string>((resolve) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = request(`${proxy.url}/v1/chat/completions`, { agent, method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { error } = JSON.parse(Buffer.concat(chunks).toString());
          resolve(error === undefined ? '200' : `${response.statusCode} ${error.code}`);
        });
      });
      sent.on('error', () => resolve('cut'));
      sent.end(chatBody());
    });

  it('serves open connections, refuses requests that need a new one, and recovers', async () => {
    expect(await askKept()).toBe('200');
    const before = await recorded(world.organization);
    // No descriptor can be opened, whichever number it would get.
    limit(proxy, 'nofile', 3);
    expect(await askKept()).toBe('200');
    // The provider closes its connections, and the proxy cannot open another one.
    await provider.cut();
    await provider.heal();
    expect(await askKept()).toBe('503 overloaded');
    const newcomers = Array.from({ length: 5 }, () => connect({ port: proxy.ports.port ?? 0, host: '127.0.0.1' }));
    sockets.push(...newcomers.map((socket) => socket.on('error', () => undefined)));
    await sleep(300);
    expect(await askKept()).toBe('503 overloaded');
    limit(proxy, 'nofile', descriptorsMax);
    await until(async () => (await askKept()) === '200');
    expect(await ask(proxy, key)).toBe('200');
    expect(await readiness(proxy)).toBe('ok');
    await until(async () => (await recorded(world.organization)) >= before + 3);
  });

  it('serves connected proxies when it is a control plane', async () => {
    const { controlPlane, organization } = world;
    limit(controlPlane, 'nofile', 3);
    const newcomers = ['http_port', 'grpc_port', 'admin_port'].map((port) =>
      connect({ port: controlPlane.ports[port] ?? 0, host: '127.0.0.1' }),
    );
    sockets.push(...newcomers.map((socket) => socket.on('error', () => undefined)));
    await sleep(300);
    // The proxy's call uses an existing connection.
    expect(await ask(proxy, key)).toBe('200');
    limit(controlPlane, 'nofile', descriptorsMax);
    const { value } = await until(() => organization.createKey().catch(() => undefined));
    expect(await ask(proxy, value)).toBe('200');
    expect(await readiness(controlPlane)).toBe('ok');
  });
});
