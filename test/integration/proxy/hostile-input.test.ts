// Input that no well-meaning client sends: each gets its documented error, nothing hangs or crashes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { openConnection, type RawResponse } from '../../support/raw-http.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway({
    proxy: {
      GATEWAY_HEADERS_TIMEOUT: '1s',
      GATEWAY_BODY_GRACE: '1s',
      GATEWAY_READER_TIMEOUT: '1s',
      GATEWAY_BODY_BYTES_MAX: '32MiB',
    },
  });
  key = (await gateway.organization.createKey()).value;
});
afterAll(() => gateway.close());

const head = (extra: readonly string[] = [], line = 'POST /v1/chat/completions HTTP/1.1') =>
  [line, 'host: gateway', `authorization: Bearer ${key}`, ...extra, '', ''].join('\r\n');
const json = 'content-type: application/json';

async function exchange(bytes: string | Buffer): Promise<RawResponse> {
  const connection = await openConnection(gateway.proxy.port);
  connection.send(bytes);
  const response = await connection.respond();
  connection.socket.destroy();
  return response;
}

function expectError(response: RawResponse, status: number, code: string) {
  expect([response.status, (JSON.parse(response.body) as { error: { code: string } }).error.code]).toEqual([
    status,
    code,
  ]);
  expect(response.headers.get('x-svc-error-source')).toBe('gateway');
}

const withBody = (body: string | Buffer, extra: readonly string[] = [json]) =>
  Buffer.concat([Buffer.from(head([...extra, `content-length: ${Buffer.byteLength(body)}`])), Buffer.from(body)]);

describe('a body', () => {
  it.each([
    ['no JSON', 'hello'],
    ['cut JSON', '{"model":'],
    ['an array', '[]'],
    ['an empty body', ''],
    ['no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['a wrong type', chatBody({ stream: 'yes' })],
    ['a model without a name', chatBody({ model: 'gpt-provider/' })],
    ['a model with a path', chatBody({ model: 'gpt-provider/../admin' })],
    ['a model with an empty segment', chatBody({ model: 'gpt-provider/a//b' })],
    ['a model with a query', chatBody({ model: 'gpt-provider/a?b=c' })],
    ['deep nesting', '['.repeat(65)],
  ])('with %s gets 400 invalid_request', async (_what, body) => {
    expectError(await exchange(withBody(body)), 400, 'invalid_request');
  });

  it.each([
    ['no content type', []],
    ['another content type', ['content-type: text/plain']],
    ['a content type that only begins alike', ['content-type: application/jsonp']],
    ['a compressed body', [json, 'content-encoding: gzip']],
  ])('with %s gets 415', async (_what, extra) => {
    expectError(await exchange(withBody(chatBody(), extra)), 415, 'unsupported_media_type');
  });

  it('with a charset beside the content type is accepted', async () => {
    expect((await exchange(withBody(chatBody(), ['content-type: Application/JSON; charset=utf-8']))).status).toBe(200);
  });

  it('with a length over the limit gets 413 at once, and the connection ends', async () => {
    const response = await exchange(head([json, `content-length: ${33 * 1024 * 1024}`]));
    expectError(response, 413, 'body_too_large');
    expect(response.headers.get('connection')).toBe('close');
  });

  it('of a client that waits for 100 Continue is refused before it is sent', async () => {
    expectError(
      await exchange(head(['expect: 100-continue', 'content-length: 5000000'])),
      415,
      'unsupported_media_type',
    );
    const connection = await openConnection(gateway.proxy.port);
    connection.send(head([json, 'expect: 100-continue', `content-length: ${chatBody().length}`]));
    connection.send(chatBody());
    expect((await connection.respond()).status).toBe(200);
    connection.socket.destroy();
  });

  it('without a length that exceeds the limit gets 413', async () => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(head([json, 'transfer-encoding: chunked']));
    const chunk = Buffer.concat([Buffer.from('100000\r\n"'), Buffer.alloc(0x100000 - 2, 0x61), Buffer.from('"\r\n')]);
    for (let sent = 0; sent < 34 && !connection.received().includes('413'); sent++) connection.send(chunk);
    expectError(await connection.respond(), 413, 'body_too_large');
    await connection.closed;
  });

  it('that arrives too slowly gets 408', async () => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(head([json, 'content-length: 100000']));
    const drip = setInterval(() => connection.send(' '), 50);
    expectError(await connection.respond(), 408, 'request_timeout');
    clearInterval(drip);
    connection.socket.destroy();
  });
});

describe('a head', () => {
  it('larger than the limit gets 431', async () => {
    expectError(await exchange(head([`x-long: ${'a'.repeat(20_000)}`])), 431, 'headers_too_large');
    expectError(await exchange(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`), 431, 'headers_too_large');
  });

  it.each([
    ['malformed lines', 'GET /v1/models HTTP/1.1\r\nbad header\r\n\r\n', 400, 'invalid_request'],
    ['too many bytes', head([`x-long: ${'a'.repeat(20_000)}`]), 431, 'headers_too_large'],
    ['no end', 'GET /v1/models HTTP/1.1\r\nhost: x\r\n', 408, 'request_timeout'],
  ])('with %s on a used connection gets the same error as on a fresh one', async (_what, bytes, status, code) => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(head([], 'GET /v1/models HTTP/1.1'));
    expect((await connection.respond()).status).toBe(200);
    connection.send(bytes);
    expectError(await connection.respond(), status, code);
    await connection.closed;
  });

  it('that never ends gets 408', async () => {
    expectError(await exchange('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n'), 408, 'request_timeout');
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['a broken header', 'GET / HTTP/1.1\r\nno colon\r\n\r\n', 400, 'invalid_request'],
    ['two lengths', head([json, 'content-length: 4', 'content-length: 5']), 400, 'invalid_request'],
    ['length and chunks', head([json, 'content-length: 4', 'transfer-encoding: chunked']), 400, 'invalid_request'],
    ['an unknown method', head([], 'BREW /v1/chat/completions HTTP/1.1'), 405, 'method_not_allowed'],
    ['CONNECT', head([], 'CONNECT other.example:443 HTTP/1.1'), 405, 'method_not_allowed'],
    ['TRACE', head([], 'TRACE /v1/models HTTP/1.1'), 405, 'method_not_allowed'],
  ])('with %s gets its error', async (_what, bytes, status, code) => {
    expectError(await exchange(bytes), status as number, code as string);
  });

  it.each([
    '//v1/models',
    '/v1//models',
    '/v1/models/',
    '/v1/x/../models',
    '/v1%2fmodels',
    '/%76%31/models',
    'http://other.example/v1/models',
    '*',
  ])('with the path %s gets 404', async (path) => {
    expectError(await exchange(head([], `GET ${path} HTTP/1.1`)), 404, 'route_not_found');
  });

  it.each(['host: evil.example', 'Host:'])('with %s is accepted, because the host decides nothing', async (host) => {
    const bytes = ['GET /v1/models HTTP/1.1', host, `authorization: Bearer ${key}`, '', ''].join('\r\n');
    expect((await exchange(bytes)).status).toBe(200);
  });

  it('of HTTP/1.0 is served', async () => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(head([], 'GET /v1/models HTTP/1.0'));
    expect((await connection.respond()).status).toBe(200);
    await connection.closed;
  });

  const chunked = `${chatBody().length.toString(16)}\r\n${chatBody()}\r\n0\r\n\r\n`;
  it.each([
    ['no Host', `GET /v1/models HTTP/1.1\r\nx-other: a\r\n\r\n`, 'one Host header'],
    ['no Host in HTTP/1.0', `GET /v1/models HTTP/1.0\r\nx-other: a\r\n\r\n`, 'one Host header'],
    ['two Hosts', head(['Host: other'], 'GET /v1/models HTTP/1.1'), 'one Host header'],
    ['the same Host twice', head(['host: gateway'], 'GET /v1/models HTTP/1.1'), 'one Host header'],
    [
      'HTTP/1.0 with chunks',
      head([json, 'transfer-encoding: chunked'], 'POST /v1/chat/completions HTTP/1.0') + chunked,
      'needs HTTP/1.1',
    ],
    [
      'HTTP/1.0 with chunks and connection: keep-alive',
      head([json, 'transfer-encoding: chunked', 'connection: keep-alive'], 'POST /v1/chat/completions HTTP/1.0'),
      'needs HTTP/1.1',
    ],
  ])('with %s gets 400, and the connection is closed', async (_what, bytes, words) => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(bytes);
    const response = await connection.respond();
    expectError(response, 400, 'invalid_request');
    expect(response.body).toContain(words);
    await connection.closed;
  });
});

describe('a reader that stops', () => {
  it("is cut, and its provider's stream is cancelled", async () => {
    gateway.simulator.reset();
    // More than all buffers between the provider and this reader.
    gateway.simulator.script({ tokens: 16_000, tokenBytes: 5000 });
    const connection = await openConnection(gateway.proxy.port);
    connection.socket.pause();
    const body = chatBody({ stream: true });
    connection.send(head([json, `content-length: ${body.length}`]) + body);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left', { timeoutMs: 10_000 });
    connection.socket.destroy();
    await until(() => gateway.logs.some((line) => line.includes('"error_code":"client_stalled"')));
  });
});
