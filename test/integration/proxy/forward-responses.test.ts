// Responses through a sidecar from an egress gateway that the test plays: unchanged, at the pace of the caller, cut
// where they are cut, and with their log lines; and connections that fail.
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createForwardScene, type ForwardScene } from '../../support/forward.ts';
import type { TestProxy } from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { headerPairs, type PlayedEgress, playEgress } from '../../support/played-egress.ts';
import { freePort, until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { metric } from '../../support/telemetry.ts';

let scene: ForwardScene;
let egress: PlayedEgress;
let sidecar: TestProxy;
let requests = 0;
const newId = () => `hop-${++requests}`;

beforeAll(async () => {
  [scene, egress] = await Promise.all([createForwardScene(), playEgress()]);
  sidecar = await scene.startSidecar(egress.url, { GATEWAY_READER_TIMEOUT: '2s' });
});
beforeEach(() => egress.reset());
afterAll(async () => {
  egress.close();
  await scene.close();
});

describe('a response', () => {
  it('is returned with unchanged status, headers and bytes', async () => {
    egress.respondWith((_, response) => {
      response.writeHead(418, [
        ...['X-One', 'a', 'x-one', 'b', 'Set-Cookie', 'c=d', 'X-Svc-Attempts', '3', 'date', 'then'],
        ...['x-request-id', 'theirs', 'connection', 'x-hop', 'x-hop', 'gone', 'content-length', '3'],
      ]);
      response.end(Buffer.from([0, 255, 10]));
    });
    const outgoing = request(`${sidecar.url}/v1/models`, { agent: false }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(418);
    expect(headerPairs(response.rawHeaders)).toEqual([
      ['X-One', 'a'],
      ['x-one', 'b'],
      ['Set-Cookie', 'c=d'],
      ['X-Svc-Attempts', '3'],
      ['date', 'then'],
      ['x-request-id', 'theirs'],
      ['content-length', '3'],
      ['Connection', 'close'],
    ]);
    expect(Buffer.concat(await response.toArray())).toEqual(Buffer.from([0, 255, 10]));
  });

  it.each([204, 304])('with status %i has no body', async (status) => {
    egress.respondWith((_, response) => void response.writeHead(status).end());
    expect((await fetch(`${sidecar.url}/v1/models`)).status).toBe(status);
  });

  it('to HEAD has its length and no body', async () => {
    egress.respondWith((_, response) => void response.writeHead(200, { 'content-length': '12' }).end());
    const head = await fetch(`${sidecar.url}/v1/models`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('12');
  });

  it.each([
    ['with a content length', { 'content-length': `${4 * 1024 * 1024}`, expect: '' }],
    ['in chunks', {}],
    ['to a caller that waits for 100 Continue', { expect: '100-continue', 'content-length': `${4 * 1024 * 1024}` }],
  ])(
    'is returned while the body of the request is still being sent: %s',
    async (_, { expect: waits, ...headers }: Record<string, string>) => {
      egress.respondWith((sent, response) => {
        sent.pause();
        response.writeHead(413, { 'content-type': 'application/json', 'x-svc-error-source': 'gateway' });
        response.end(JSON.stringify({ error: { code: 'body_too_large' } }));
      });
      const id = newId();
      const outgoing = request(sidecar.url, {
        method: 'POST',
        headers: { ...headers, ...(waits && { expect: waits }), 'x-request-id': id },
      });
      outgoing.on('error', () => undefined);
      const feed = setInterval(() => outgoing.write(Buffer.alloc(1000)), 2);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(413);
      expect(await json(response)).toEqual({ error: { code: 'body_too_large' } });
      clearInterval(feed);
      outgoing.destroy();
      expect(await accessLine(scene, id)).toMatchObject({ status: 413 });
    },
  );

  it('that the caller does not read is not read from the egress gateway either', async () => {
    let written = 0;
    egress.respondWith((_, response) => {
      const more = () => {
        while (!response.destroyed && written < 300 * 1024 * 1024) {
          written += 64 * 1024;
          if (!response.write(Buffer.alloc(64 * 1024))) return;
        }
      };
      response.on('drain', more);
      more();
    });
    const id = newId();
    const connection = await openConnection(sidecar.port);
    connection.socket.removeAllListeners('data').pause();
    connection.send(`GET /v1/models HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\n\r\n`);
    let last = -1;
    await until(() => {
      const before = last;
      last = written;
      return written > 0 && before === written;
    });
    expect(written).toBeLessThan(40 * 1024 * 1024);
    expect(await accessLine(scene, id)).toMatchObject({ status: 499, error_code: 'client_stalled' });
    connection.socket.destroy();
  });

  it('that is cut there is cut here, after the bytes that arrived: with a length and in chunks', async () => {
    for (const headers of [{ 'content-length': '100' }, {}]) {
      egress.respondWith((_, response) => {
        response.writeHead(200, headers);
        response.write('data: first\n\n', () => response.destroy());
      });
      const id = newId();
      const outgoing = request(`${sidecar.url}/v1/models`, {
        headers: { 'x-request-id': id },
        agent: false,
      }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      await expect(once(response, 'end')).rejects.toThrow('aborted');
      expect(body).toBe('data: first\n\n');
      expect(await accessLine(scene, id)).toMatchObject({
        status: 502,
        error_code: 'upstream_protocol_error',
      });
    }
  });

  it('that is cut there is reset here for a caller with HTTP/1.0, which has no other sign of an incomplete end', async () => {
    egress.respondWith((_, response) => {
      response.write('data: first\n\n', () => response.destroy());
    });
    const connection = await openConnection(sidecar.port);
    const failed = once(connection.socket, 'error');
    connection.send('GET /v1/models HTTP/1.0\r\nhost: x\r\n\r\n');
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  it('is cancelled there at once when its caller leaves', async () => {
    const gone = Promise.withResolvers<void>();
    egress.respondWith((_, response) => {
      response.on('close', () => gone.resolve());
      response.write('data: first\n\n');
    });
    const id = newId();
    const connection = await openConnection(sidecar.port);
    connection.send(`GET /v1/models HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\n\r\n`);
    await until(() => connection.received().includes('first'));
    connection.socket.destroy();
    await gone.promise;
    expect(await accessLine(scene, id)).toMatchObject({ status: 499, error_code: 'client_left' });
  });

  it("is cancelled there when its caller leaves before it begins, also while the request's body is being sent", async () => {
    const gone: string[] = [];
    egress.respondWith((sent) => {
      const id = String(sent.headers['x-request-id']);
      sent.socket.on('close', () => gone.push(id));
    });
    for (const body of ['', 'content-length: 100\r\n']) {
      const id = newId();
      const connection = await openConnection(sidecar.port);
      connection.send(`POST /v1/x HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\n${body}\r\n${body && 'half'}`);
      await until(() => egress.seen.some((sent) => sent.headers['x-request-id'] === id));
      connection.socket.destroy();
      await until(() => gone.includes(id));
      expect(await accessLine(scene, id)).toMatchObject({ status: 499, error_code: 'client_left' });
    }
  });
});

describe('the log line of a response', () => {
  it.each([
    ['gateway', 'budget_exceeded', 402, 'budget_exceeded'],
    ['gateway', 'code_of_a_newer_gateway', 402, undefined],
    ['provider', 'context_length_exceeded', 400, undefined],
  ])('has an error of the %s with code %s', async (source, code, status, parsed) => {
    egress.respondWith((_, response) => {
      const body = JSON.stringify({ error: { message: 'no', code } });
      const headers = {
        'x-svc-error-source': source,
        'x-svc-provider': 'gpt-provider',
        'x-svc-model': 'gpt-4o',
      };
      response.writeHead(status, {
        ...headers,
        'content-type': 'application/json',
        'content-length': body.length,
      });
      response.end(body);
    });
    const id = newId();
    await fetch(`${sidecar.url}/v1/models`, { headers: { 'x-request-id': id } });
    const line = await accessLine(scene, id);
    expect(line).toMatchObject({
      ...{ route: 'models', status, error_source: source, provider: 'gpt-provider', model: 'gpt-4o' },
      ...{ attempts: 1, streamed: false },
    });
    expect(line.error_code).toBe(parsed);
  });

  it('has provider, status and source, as have the metrics of any proxy', async () => {
    egress.respondWith((_, response) => void response.writeHead(200, { 'x-svc-provider': 'assistant-provider' }).end());
    await fetch(`${sidecar.url}/v1/models`);
    const labels = {
      route: 'models',
      client_format: 'chat_completions',
      provider: 'assistant-provider',
      status: '200',
      code: 'none',
      source: 'none',
    };
    await until(() => metric(sidecar, 'gateway_requests_total', labels));
    expect(await metric(sidecar, 'gateway_in_flight_limit')).toBe(4096);
  });
});

describe('connections to the egress gateway', () => {
  it('are reused: consecutive requests share one', async () => {
    await (await fetch(`${sidecar.url}/v1/models`)).text();
    const before = egress.connections();
    for (let count = 0; count < 10; count++) await (await fetch(`${sidecar.url}/v1/models`)).text();
    expect(egress.connections() - before).toBeLessThanOrEqual(1);
  });

  it('are tried again when refused, and then the error names the egress gateway', async () => {
    const port = await freePort();
    const lonely = await scene.startSidecar(`http://127.0.0.1:${port}`);
    expect(await (await fetch(`${lonely.adminUrl}/readyz`)).text()).toBe('ok\n');
    const id = newId();
    const response = await fetch(`${lonely.url}/v1/chat/completions`, {
      ...{ method: 'POST', body: '{}', headers: { 'x-request-id': id } },
    });
    expect(response.status).toBe(502);
    expect(response.headers.get('x-svc-error-source')).toBe('gateway');
    expect(await response.json()).toEqual({
      error: {
        message: 'the egress gateway cannot be reached',
        ...{ type: 'server_error', param: null, code: 'upstream_unreachable' },
      },
    });
    const line = await accessLine(scene, id);
    expect(line).toMatchObject({ status: 502, error_code: 'upstream_unreachable', attempts: 3 });
    expect(line.reason).toContain('nothing listens there');
    // The egress gateway is used when it is back, without a restart.
    const late = await playEgress(port);
    late.respondWith((_, response) => void response.end('{"late":true}'));
    expect(await (await fetch(`${lonely.url}/v1/models`)).json()).toEqual({ late: true });
    late.close();
  });

  it('are not tried again when a new one took the request, because it may have been received', async () => {
    const fresh = await scene.startSidecar(egress.url);
    egress.respondWith((sent) => void sent.socket.destroy());
    const id = newId();
    const response = await post(fresh, '{}', { 'x-request-id': id });
    expect(response.status).toBe(502);
    expect(egress.seen).toHaveLength(1);
    expect(await accessLine(scene, id)).toMatchObject({ attempts: 1, error_code: 'upstream_unreachable' });
  });

  it.each([
    ['of a kept connection that was closed', (sent: IncomingMessage) => void sent.socket.destroy()],
    [
      'of a replica that is stopping',
      (_sent: IncomingMessage, response: ServerResponse) => {
        response.writeHead(503, { 'x-svc-error-code': 'draining', connection: 'close' }).end('{}');
      },
    ],
  ])('are new, with the same body, in place %s', async (_name, failing) => {
    egress.respondWith((_sent, response) => void response.end('{}'));
    await (await post(sidecar, '{}')).text();
    let failures = 1;
    egress.respondWith(async (sent, response) => {
      if (failures-- > 0) return failing(sent, response);
      const chunks = await sent.toArray();
      response.end(JSON.stringify({ bytes: Buffer.concat(chunks).length }));
    });
    const response = await post(sidecar, 'x'.repeat(200_000));
    expect([response.status, await response.json()]).toEqual([200, { bytes: 200_000 }]);
  });

  it('are not new for a body that is too large to be kept', async () => {
    egress.respondWith(async (sent, response) => {
      await sent.toArray();
      response.writeHead(503, { 'x-svc-error-code': 'draining', connection: 'close' }).end('{}');
    });
    expect((await post(sidecar, 'x'.repeat(1024 * 1024 + 1))).status).toBe(503);
    expect(egress.seen).toHaveLength(1);
  });
});

function post({ url }: { readonly url: string }, body: string, headers = {}): Promise<Response> {
  return fetch(`${url}/v1/x`, { method: 'POST', body, headers });
}

async function json(response: IncomingMessage): Promise<unknown> {
  return JSON.parse(Buffer.concat(await response.toArray()).toString());
}
