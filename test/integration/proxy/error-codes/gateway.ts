// Failures of the gateway and of its backends, and limits on callers.
import { expect } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import { startForwarder } from '../../../support/black-hole.ts';
import { startFaultyProxy } from '../../../support/faulty-proxy.ts';
import { chatBody } from '../../../support/gateway.ts';
import { freePort, until } from '../../../support/process.ts';
import { openConnection } from '../../../support/raw-http.ts';
import { bearer, budget, type Cases, limitedKey, rawHead, unreached } from './world.ts';

export const gatewayStates = {
  rate_limit_exceeded: [
    {
      what: 'too many unknown keys from one address',
      headers: { 'retry-after': 'seconds' },
      provoke: async (world) => {
        const { url } = await world.gateway.startProxy();
        const guess = () => world.send({ url, headers: { 'x-svc-vk': createCredential('virtualKey') } });
        for (let sent = 0; sent < 20; sent++) expect((await guess()).status).toBe(401);
        return guess();
      },
    },
    {
      what: 'more requests a minute than the key may send',
      limited: true,
      message: /^the virtual key's limit of 1 requests per minute is reached; it opens in \d+ seconds$/,
      headers: { 'retry-after': 'seconds', 'x-ratelimit-remaining-requests': '0' },
      provoke: async (world) => {
        const key = await limitedKey(world, { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: 1 });
        expect((await world.withKey(key)).status).toBe(200);
        return world.withKey(key);
      },
    },
  ],
  concurrency_limit_exceeded: [
    {
      what: 'more concurrent requests than the key may send',
      limited: true,
      message: "the virtual key's limit of 1 concurrent requests is reached; it opens when one of them ends",
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        const key = await limitedKey(world, { kind: 'LIMIT_KIND_CONCURRENT_REQUESTS', count: 1 });
        world.gateway.simulator.script({ headDelayMs: 1000 });
        const first = world.withKey(key);
        await until(() => world.gateway.simulator.requests.length > 0);
        const response = await world.withKey(key);
        expect((await first).status).toBe(200);
        return response;
      },
    },
  ],
  budget_busy: [
    {
      what: 'a request beside one that has reserved most of the budget',
      limited: true,
      message:
        "requests in flight have reserved what is left of the virtual key's budget of $0.006 a day; try again in a moment",
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        const headers = bearer(await limitedKey(world, budget('0.006')));
        const body = chatBody({ max_tokens: 8000 });
        world.gateway.simulator.script({ headDelayMs: 1000 });
        const first = world.send({ headers, body });
        await until(() => world.gateway.simulator.requests.length > 0);
        const response = await world.send({ headers, body });
        expect((await first).status).toBe(200);
        return response;
      },
    },
  ],
  internal_error: [
    {
      what: 'a defect of the proxy',
      provoke: async (world) => {
        const defect = new TypeError('only the log may contain this');
        const faulty = await startFaultyProxy(defect);
        const response = await world.send({ url: faulty.url });
        await until(() => faulty.records.length === 1);
        expect(faulty.records[0]).toMatchObject({ status: 500, errorCode: 'internal_error', cause: defect });
        faulty.close();
        return response;
      },
    },
  ],
  upstream_unreachable: [
    {
      what: 'a provider that refuses connections',
      provoke: async (world) => {
        const port = await freePort();
        const settings = {
          GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${port}/v1`,
          GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
        };
        const { url } = await world.gateway.startProxy(settings);
        return world.send({ url });
      },
      // The gateway has tried again.
      headers: { 'x-should-retry': 'false' },
    },
  ],
  upstream_protocol_error: [
    {
      what: 'a response that is not JSON',
      headers: { 'x-should-retry': 'false' },
      provoke: (world) => world.simulated({ body: '<html>' }),
    },
  ],
  upstream_authentication_failed: [
    {
      what: 'a stored key that is refused',
      headers: { 'x-should-retry': 'false' },
      provoke: (world) => world.simulated({ status: 401 }),
    },
  ],
  access_unavailable: [
    {
      what: 'a key that cannot be checked',
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        const { url } = await world.gateway.startProxy({
          GATEWAY_CONTROL_PLANE: `127.0.0.1:${await freePort()}`,
        });
        return world.send({ url });
      },
    },
  ],
  ledger_unavailable: [
    {
      what: 'a budget from which no lease can be acquired',
      limited: true,
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        const headers = bearer(await limitedKey(world, budget('5')));
        const network = await startForwarder({ port: world.gateway.controlPlane.grpcPort });
        const { url } = await world.gateway.startProxy({
          GATEWAY_CONTROL_PLANE: `127.0.0.1:${network.port}`,
        });
        expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
        await network.cut();
        const response = await world.send({ url, headers });
        // So that the proxy can report the request.
        await network.heal();
        world.closers.push(() => network.stop());
        return response;
      },
    },
  ],
  overloaded: [
    {
      what: 'a second concurrent request where one is allowed',
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        world.gateway.simulator.script({ headDelayMs: 1000 });
        const first = world.send({ url: world.tight.url });
        await until(() => world.gateway.simulator.requests.length > 0);
        const response = await world.send({ url: world.tight.url });
        expect((await first).status).toBe(200);
        return response;
      },
    },
  ],
  draining: [
    {
      what: 'a request whose head ends in the last seconds of the drain',
      headers: { 'retry-after': '1' },
      provoke: async (world) => {
        const proxy = await world.gateway.startProxy({ GATEWAY_DRAIN_GRACE: '5s' });
        const connection = await openConnection(proxy.port);
        const [first = '', ...rest] = rawHead(world.key).split('\r\n');
        connection.send(`${first}\r\n`);
        await world.send({ url: proxy.url });
        const drained = proxy.drain();
        connection.send(rest.join('\r\n'));
        const response = await connection.respond();
        connection.socket.destroy();
        await drained;
        return response;
      },
    },
  ],
  // The control plane stores no key that lacks what its provider needs.
  no_healthy_target: unreached,
  upstream_timeout: [
    {
      what: 'a stream that does not begin in time',
      provoke: (world) =>
        world.simulated({ headDelayMs: 5000 }, { url: world.tight.url, body: chatBody({ stream: true }) }),
    },
  ],
} satisfies Cases;
