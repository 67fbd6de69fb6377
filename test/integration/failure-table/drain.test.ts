// Rows of the failure table: SIGTERM and kill -9 of a proxy, SIGTERM of a control plane. All of them are separate
// processes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admission, chat } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import { chatBody, chatRequest, type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { logged, readiness } from '../../support/telemetry.ts';

let database: TestDatabase;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  database = await createDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
  key = (await gateway.organization.createKey()).value;
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});
beforeEach(() => gateway.simulator.reset());

const post = (proxy: ProxyProcess, fields: object = {}) =>
  fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key, fields));

/** Waits until this number of requests has reached the provider. */
const underWay = (count: number) => until(() => gateway.simulator.requests.length === count);

/** A streamed response of this number of tokens, one every 100 ms. */
async function startStream(proxy: ProxyProcess, tokens: number): Promise<Response> {
  gateway.simulator.script({ tokens, pieceDelayMs: 100 });
  return await post(proxy, { stream: true });
}

const isRefused = (proxy: ProxyProcess) =>
  openConnection(proxy.port).then(
    ({ socket }) => {
      socket.destroy();
      return false;
    },
    () => true,
  );

/** Idle connections live a second in a drain: five seconds before the grace ends they are closed. */
const briefly = { GATEWAY_DRAIN_GRACE: '6s' };

describe('SIGTERM of a proxy', () => {
  it('serves a request whose caller could not know of it, and then closes the connection', async () => {
    const proxy = await gateway.startProxyProcess(briefly);
    // Its head is under way when the drain begins, so the connection is not idle.
    const connection = await openConnection(proxy.port);
    const body = chatBody();
    connection.send(`POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n`);
    await until(async () => (await chat(key)(proxy)).outcome === '200');
    proxy.child.signal('SIGTERM');
    await until(async () => (await readiness(proxy)) === 'not ready: draining');
    connection.send(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i);
    expect(await proxy.child.exited).toBe(0);
  });

  it('serves one more request on each kept connection, also after a stream that had begun before', async () => {
    const proxy = await gateway.startProxyProcess({ GATEWAY_DRAIN_GRACE: '10s' });
    const request = (fields: object = {}) => {
      const body = chatBody(fields);
      const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', `authorization: Bearer ${key}`];
      const rest = ['content-type: application/json', `content-length: ${body.length}`, '', body];
      return [...head, ...rest].join('\r\n');
    };
    const [idle, streaming] = [await openConnection(proxy.port), await openConnection(proxy.port)];
    idle.send(request());
    expect((await idle.respond()).headers.get('connection')).not.toBe('close');
    gateway.simulator.reset();
    gateway.simulator.script({ tokens: 5, pieceDelayMs: 200 });
    streaming.send(request({ stream: true }));
    await until(() => streaming.received().includes('data: '));
    proxy.child.signal('SIGTERM');
    await until(async () => (await readiness(proxy)) === 'not ready: draining');
    await until(() => streaming.received().endsWith('data: [DONE]\n\n\r\n0\r\n\r\n'));
    const before = streaming.received().length;
    for (const connection of [idle, streaming]) connection.send(request());
    await Promise.all([idle.closed, streaming.closed]);
    for (const text of [idle.received(), streaming.received().slice(before)]) {
      expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i);
      expect(text).toContain('"object": "chat.completion"');
    }
    expect(await proxy.child.exited).toBe(0);
  });

  it('makes it not ready and closed to new connections at once; in-flight requests and streams finish, and the exit code is 0', async () => {
    const proxy = await gateway.startProxyProcess(briefly);
    expect((await chat(key)(proxy)).outcome).toBe('200');
    gateway.simulator.reset();
    gateway.simulator.script({ headDelayMs: 1200 });
    const whole = post(proxy);
    await underWay(1);
    const streamed = await startStream(proxy, 12);
    const idle = await openConnection(proxy.port);

    proxy.child.signal('SIGTERM');
    const from = performance.now();
    await until(async () => (await readiness(proxy)) === 'not ready: draining');
    log('SIGTERM: not ready after', performance.now() - from);
    await until(() => isRefused(proxy), { what: 'new connections to be refused' });
    await idle.closed;
    log('SIGTERM: idle connections closed after', performance.now() - from);

    const response = await whole;
    expect([response.status, await response.json()]).toMatchObject([200, { object: 'chat.completion' }]);
    expect(response.headers.get('connection')).toBe('close');
    const text = await streamed.text();
    expect(text.match(/"content":/g)?.length).toBeGreaterThanOrEqual(12);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const finished = performance.now();
    expect(await proxy.child.exited).toBe(0);
    log('SIGTERM: ended after the last request', performance.now() - finished);
    expect(performance.now() - finished, 'no connection is waited for').toBeLessThan(1500);
    expect(logged(proxy.child.stdout(), 'request').map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(proxy.child.stderr()).toBe('');
  });

  it('ends a busy connection after its current request, and an incomplete head delays the exit no longer than any request', async () => {
    const proxy = await gateway.startProxyProcess({ ...briefly, GATEWAY_HEADERS_TIMEOUT: '1s' });
    gateway.simulator.script({ headDelayMs: 800 });
    const body = chatBody();
    const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', `authorization: Bearer ${key}`];
    const rest = ['content-type: application/json', `content-length: ${body.length}`, '', body];
    const [busy, half] = [await openConnection(proxy.port), await openConnection(proxy.port)];
    busy.send([...head, ...rest].join('\r\n'));
    half.send(head.join('\r\n'));
    await underWay(1);
    proxy.child.signal('SIGTERM');
    await until(async () => (await readiness(proxy)) === 'not ready: draining');
    const from = performance.now();
    busy.send([...head, ...rest].join('\r\n'));
    const response = await busy.respond();
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await busy.closed;
    expect(busy.received(), 'a response to the next request').toBe('');
    expect(gateway.simulator.requests).toHaveLength(1);
    expect(await proxy.child.exited).toBe(0);
    log('SIGTERM: ended, with half a head on a connection, after', performance.now() - from);
    expect(performance.now() - from).toBeLessThan(1000 + 1500);
    half.socket.destroy();
  });

  it('cuts streams that outlast the grace, each with its line in the log, and the exit code is 0', async () => {
    const proxy = await gateway.startProxyProcess({ GATEWAY_DRAIN_GRACE: '1s' });
    const streams = [await startStream(proxy, 100), await startStream(proxy, 100)];
    proxy.child.signal('SIGTERM');
    const from = performance.now();
    const texts = await Promise.all(streams.map((stream) => stream.text().catch(() => 'cut')));
    expect(texts, 'a cut stream never looks complete').toEqual(['cut', 'cut']);
    expect(await proxy.child.exited).toBe(0);
    log('SIGTERM: ended, with streams that continue, after', performance.now() - from);
    expect(performance.now() - from).toBeLessThan(1000 + 2000);
    const cut = logged(proxy.child.stdout(), 'cut: still open at the end of the drain grace');
    const ids = streams.map(({ headers }) => headers.get('x-request-id'));
    expect(cut.map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted());
    expect(logged(proxy.child.stdout(), 'request'), 'one line each').toHaveLength(2);
    await until(() => gateway.simulator.requests.every(({ ended }) => ended === 'client_left'));
  });

  it('ends it at once when sent a second time', async () => {
    const proxy = await gateway.startProxyProcess({ GATEWAY_DRAIN_GRACE: '60s' });
    const stream = await startStream(proxy, 100);
    proxy.child.signal('SIGTERM');
    await until(async () => (await readiness(proxy)) === 'not ready: draining');
    const from = performance.now();
    proxy.child.signal('SIGTERM');
    expect(await proxy.child.exited).toBe(130);
    log('second signal: ended after', performance.now() - from);
    await expect(stream.text()).rejects.toThrow();
  });
});

describe('kill -9 of a proxy', () => {
  it('breaks its own requests, while other proxies keep serving and get changes', async () => {
    const [doomed, other] = await Promise.all([gateway.startProxyProcess(), gateway.startProxyProcess()]);
    const { id, value } = await gateway.organization.createKey();
    const [own, others] = [await startStream(doomed, 100), await startStream(other, 15)];
    expect(await doomed.child.stop('SIGKILL')).toBe('SIGKILL');
    await expect(own.text()).rejects.toThrow();
    expect((await others.text()).endsWith('data: [DONE]\n\n')).toBe(true);
    const waited: number[] = [];
    for (let count = 0; count < 20; count++) {
      const { outcome, ms } = await chat(value)(other);
      expect(outcome).toBe('200');
      waited.push(ms);
    }
    log('kill -9 of a proxy: requests at another', waited);
    await gateway.organization.api.call('VirtualKeys/Revoke', { id });
    await until(async () => (await admission(value)(other)).outcome === '401 access_not_found');
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });
});
