// Pages of other origins at the proxy: the console's origin may read responses if a setting names it, and nobody else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { openConnection, type RawResponse } from '../../support/raw-http.ts';

const origin = 'https://console.example.com';
const path = '/v1/chat/completions';

let gateway: TestGateway;
let proxy: TestProxy;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await gateway.startProxy({ GATEWAY_CONSOLE_ORIGIN: origin });
  key = (await gateway.organization.createKey()).value;
});
afterAll(() => gateway.close());

/** On a connection of its own, with exactly these headers. */
async function send(port: number, method: string, headers: readonly string[], body = ''): Promise<RawResponse> {
  const connection = await openConnection(port);
  const lines = [`${method} ${path} HTTP/1.1`, 'host: proxy.example.com', ...headers, 'connection: close'];
  connection.send(`${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const response = await connection.respond();
  connection.socket.destroy();
  return response;
}

const preflight = (from: string) => [`origin: ${from}`, 'access-control-request-method: POST'];

function crossOriginHeaders({ headers }: RawResponse): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary');
}

it('a preflight of the console is allowed the headers of every format, without credentials', async () => {
  const response = await send(proxy.port, 'OPTIONS', preflight(origin));
  expect(response.status).toBe(204);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, x-api-key, x-goog-api-key, anthropic-version',
    vary: 'origin',
  });
  expect(response.headers.has('access-control-allow-credentials')).toBe(false);
});

it('the console reads responses, refusals too, and their request id', async () => {
  const headers = [`origin: ${origin}`, 'content-type: application/json'];
  const served = await send(proxy.port, 'POST', [...headers, `authorization: Bearer ${key}`], chatBody());
  const refused = await send(proxy.port, 'POST', headers, chatBody());
  expect([served.status, refused.status]).toEqual([200, 401]);
  for (const response of [served, refused]) {
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(response.headers.get('x-request-id')).toBeDefined();
  }
});

it.each([
  'https://evil.example.com',
  'https://sub.console.example.com',
  'https://console.example.com.evil.com',
  'http://console.example.com',
  'https://console.example.com:8443',
  'https://CONSOLE.example.com',
  'null',
  '*',
  `${origin}, ${origin}`,
])('the origin %s gets what it gets without the setting', async (other) => {
  const plain = await send(gateway.proxy.port, 'OPTIONS', preflight(other));
  const set = await send(proxy.port, 'OPTIONS', preflight(other));
  expect([plain.status, set.status]).toEqual([405, 405]);
  expect(crossOriginHeaders(set)).toEqual([]);
  const sent = [`origin: ${other}`, 'content-type: application/json', `authorization: Bearer ${key}`];
  expect(crossOriginHeaders(await send(proxy.port, 'POST', sent, chatBody()))).toEqual([]);
});

it('two origins in one request are none', async () => {
  const twice = [`origin: ${origin}`, `origin: ${origin}`, 'access-control-request-method: POST'];
  expect(crossOriginHeaders(await send(proxy.port, 'OPTIONS', twice))).toEqual([]);
});

it('without the setting no origin gets anything', async () => {
  const response = await send(gateway.proxy.port, 'OPTIONS', preflight(origin));
  expect([response.status, crossOriginHeaders(response)]).toEqual([405, []]);
});
