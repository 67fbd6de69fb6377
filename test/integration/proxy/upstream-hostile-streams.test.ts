// Providers that misbehave in a stream. Before the first event the caller gets an error envelope. Afterwards it gets
// one error event and a broken connection, never a clean end, never `[DONE]`. Whole responses:
// upstream-hostility.test.ts.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/index.ts';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { type Observed, observe } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { startRawUpstream } from '../../support/raw-upstream.ts';

let gateway: TestGateway;
/** A proxy with short timeouts. */
let hasty: TestProxy;
let key: string;
const eventBytesMax = 64 * 1024;
const waitMs = 400;

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_EVENT_BYTES_MAX: String(eventBytesMax) } });
  hasty = await gateway.startProxy({
    GATEWAY_FIRST_BYTE_TIMEOUT: `${waitMs}ms`,
    GATEWAY_IDLE_TIMEOUT: `${waitMs}ms`,
  });
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await createKey()).value;
});
afterAll(() => gateway.close());

const stored = () => ({ authorization: `Bearer ${key}` });
const direct = () => ({ 'x-svc-vk': key, 'x-svc-direct-key': 'true', authorization: 'Bearer sk-sim-own' });

interface RequestTarget {
  readonly headers?: Record<string, string>;
  readonly fields?: object;
  readonly url?: string;
}

function ask(behaviour: Behaviour, requested: RequestTarget = {}): Promise<Observed> {
  const { headers = stored(), fields = {}, url = gateway.proxy.url } = requested;
  gateway.simulator.reset();
  gateway.simulator.script(behaviour);
  return observe(gateway, `${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: chatBody({ stream: true, ...fields }),
  });
}

const stream = (body: string): Behaviour => ({ body });
const event = (fields: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'word' } }], ...fields })}\n\n`;
const done = 'data: [DONE]\n\n';
const vendorError = (error: object) => `data: ${JSON.stringify({ error })}\n\n`;

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly source?: 'gateway' | 'provider';
}

const protocolError: Failure = { status: 502, code: 'upstream_protocol_error' };
const timeout: Failure = { status: 504, code: 'upstream_timeout' };

function expectLine(seen: Observed, { status, code, source = 'gateway' }: Failure) {
  expect(seen.line).toMatchObject({
    status,
    error_code: code,
    error_source: source,
    streamed: true,
    attempts: 1,
  });
}

/** Checks that nothing of a stream was sent. */
function expectEnvelope(seen: Observed, failure: Failure) {
  expect([seen.status, seen.error?.code, seen.end]).toEqual([failure.status, failure.code, 'clean']);
  expect(seen.headers.get('content-type')).toBe('application/json');
  expect(seen.headers.get('x-svc-error-source')).toBe(failure.source ?? 'gateway');
  expectLine(seen, failure);
}

/** Checks that earlier events were sent, then one error event as the last one, and that the connection broke. */
function expectBroken(seen: Observed, failure: Failure, before: string) {
  expect([seen.status, seen.end]).toEqual([200, 'cut']);
  expect(seen.body.startsWith(before)).toBe(true);
  expect(seen.body.slice(before.length)).toMatch(/^data: \{"error":\{[^\n]*\}\}\n\n$/);
  expect(seen.error?.code).toBe(failure.code);
  expect(seen.body).not.toContain('[DONE]');
  expectLine(seen, failure);
}

function expectComplete(seen: Observed, body: string) {
  expect([seen.status, seen.end, seen.body]).toEqual([200, 'clean', body]);
  expect(seen.line).toMatchObject({ status: 200, streamed: true });
  expect(seen.line).not.toHaveProperty('error_code');
}

describe('before the first event of a stream', () => {
  it.each<[string, Behaviour]>([
    ['JSON instead of a stream', { headers: { 'content-type': 'application/json' }, body: '{"choices":[]}' }],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html></html>' }],
    ['a compressed stream', { headers: { 'content-encoding': 'gzip' }, bodyBase64: gzipSync(done).toString('base64') }],
    ['an empty stream', stream('')],
    ['a 204 without content', { status: 204, body: '' }],
    ['a redirect', { status: 307, headers: { location: '/v1/elsewhere' } }],
    ['an event without its end', stream('data: {"choices":[]}')],
    ['bytes that are no events', { bodyBase64: Buffer.from([0xff, 0, 0xfe, 1]).toString('base64') }],
    ['a reset after the head', { stop: { by: 'reset', afterPieces: 0 } }],
    ['a close in the first event', { stop: { by: 'cut', afterBytes: 20 } }],
    ['an event over the limit', stream(`data: ${'x'.repeat(eventBytesMax)}\n\n`)],
    ['a line that never ends', { body: 'data: '.padEnd(3 * eventBytesMax, 'x') }],
  ])('%s returns 502 upstream_protocol_error', async (_what, behaviour) => {
    expectEnvelope(await ask(behaviour), protocolError);
  });

  it('an error instead of the first event is returned with its message, without text like the stored key', async () => {
    const body = vendorError({ message: 'no room for sk-abc***xyz', code: 'slow_down' }) + done;
    const failure: Failure = { status: 502, code: 'slow_down', source: 'provider' };
    const seen = await ask(stream(body));
    expectEnvelope(seen, failure);
    expect(seen.error?.message).toBe('no room for [hidden]');
    const own = await ask(stream(body), { headers: direct() });
    expectEnvelope(own, failure);
    expect(own.error?.message).toBe('no room for sk-abc***xyz');
  });

  it.each<[string, Behaviour]>([
    ['no head', { stop: { by: 'silence', beforeHead: true } }],
    ['a head and nothing more', { stop: { by: 'silence', afterPieces: 0 } }],
    ['half an event and nothing more', { stop: { by: 'silence', afterBytes: 20 } }],
  ])("%s returns 504 at the timeout, and the provider's stream is cancelled", async (_what, behaviour) => {
    const started = performance.now();
    expectEnvelope(await ask(behaviour, { url: hasty.url }), timeout);
    expect(performance.now() - started).toBeGreaterThan(waitMs);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });
});

describe('after the first event of a stream', () => {
  const three = event() + event() + event();

  it.each<[string, Behaviour]>([
    ['the stream ends without its end marker', stream(three)],
    ['it ends within an event', stream(`${three}data: {"cho`)],
    ['it is closed', { body: three + event(), stop: { by: 'cut', afterBytes: three.length } }],
    ['it is reset', { body: three + event(), stop: { by: 'reset', afterBytes: three.length } }],
    [
      'an event over the limit comes',
      { body: `${three}data: ${'x'.repeat(eventBytesMax)}\n\n${done}`, pieceBytes: [three.length] },
    ],
    ['an HTTP chunk is malformed', { rawBase64: Buffer.from(brokenChunks(three)).toString('base64') }],
  ])('if %s, the caller gets an error event and the connection breaks', async (_what, behaviour) => {
    expectBroken(await ask(behaviour), protocolError, three);
  });

  it('an error of the provider is returned with its message, without text like the stored key', async () => {
    const failure: Failure = { status: 502, code: 'slow_down', source: 'provider' };
    const behaviour = stream(three + vendorError({ message: 'no room for sk-abc***xyz', code: 'slow_down' }) + done);
    const seen = await ask(behaviour);
    expectBroken(seen, failure, three);
    expect(seen.error?.message).toBe('no room for [hidden]');
    const own = await ask(behaviour, { headers: direct() });
    expectBroken(own, failure, three);
    expect(own.error?.message).toBe('no room for sk-abc***xyz');
  });

  it('a silent provider causes an error event at the timeout, and its stream is cancelled', async () => {
    const silent: Behaviour = { body: three + event(), stop: { by: 'silence', afterBytes: three.length } };
    const seen = await ask(silent, { url: hasty.url });
    expectBroken(seen, timeout, three);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });

  it('an endless stream causes an error event at the total timeout', async () => {
    const proxy = await gateway.startProxy({ GATEWAY_TOTAL_TIMEOUT: '500ms' });
    const seen = await ask({ tokens: 1000, pieceDelayMs: 20 }, { url: proxy.url });
    expect([seen.status, seen.end, seen.error?.code]).toEqual([200, 'cut', 'upstream_timeout']);
    expect(seen.body).not.toContain('[DONE]');
    expectLine(seen, timeout);
  });

  it('usage that was reported before the failure is in the access log', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    const seen = await ask(stream(three + event({ usage })));
    expectBroken(seen, protocolError, three + event({ usage }));
    expect(seen.line).toMatchObject(usage);
  });

  function brokenChunks(body: string): string {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    return `${head}${body.length.toString(16)}\r\n${body}\r\nnonsense\r\n`;
  }
});

describe('the end marker of a stream', () => {
  const whole = event() + done;

  it('ends the response; bytes after it are discarded', async () => {
    expectComplete(await ask(stream(`${whole}${event()}${vendorError({ message: 'late' })}rest`)), whole);
  });

  it("ends the response even if the provider keeps the connection open, and the provider's stream is cancelled", async () => {
    expectComplete(await ask({ body: whole, stop: { by: 'silence' } }), whole);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });

  it('ends the response even if the provider never stops sending', async () => {
    let sending = true;
    const flood = await startRawUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${whole}`);
      const more = () => {
        while (!socket.destroyed && socket.write(event().repeat(1000)));
      };
      socket.on('drain', more).on('close', () => {
        sending = false;
      });
      more();
    });
    const proxy = await gateway.startProxy(flood.settings);
    expectComplete(await ask({}, { url: proxy.url }), whole);
    await until(() => !sending);
    await flood.close();
  });

  it('frees the connection for the next request', async () => {
    const ports = new Set<number | undefined>();
    const upstream = await startRawUpstream((socket) => {
      ports.add(socket.remotePort);
      const chunk = `${whole.length.toString(16)}\r\n${whole}\r\n`;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`);
      setImmediate(() => socket.write('0\r\n\r\n'));
    });
    const proxy = await gateway.startProxy(upstream.settings);
    for (let sent = 0; sent < 5; sent++) expectComplete(await ask({}, { url: proxy.url }), whole);
    expect(ports.size).toBeLessThan(5);
    await upstream.close();
  });

  it.each([
    ['line feeds', '\n'],
    ['carriage returns and line feeds', '\r\n'],
    ['carriage returns', '\r'],
  ])('is found among %s, however the bytes are cut', async (_what, lineEnd) => {
    const body = `: a comment\n\nevent: message\n${whole}`.replaceAll('\n', lineEnd);
    // A carriage return may be half of a line end, which only the next byte shows.
    const sent = `${body}:`;
    for (const pieceBytes of [[1], [7], [1, 300]]) {
      expectComplete(await ask({ body: sent, pieceBytes }), body);
    }
  });
});

describe('the usage of a stream', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  const requested = { fields: { stream_options: { include_usage: true } } };
  const usageChunk = event({ choices: [], usage });
  const nulls = event({ usage: null });

  it.each([
    ['on a chunk of its own', nulls + usageChunk + done, nulls + done],
    ['on the last chunk with content', event({ usage }) + done, event({ usage }) + done],
    [
      'on every chunk, growing',
      event({ usage: { ...usage, completion_tokens: 1 } }) + event({ usage }) + done,
      undefined,
    ],
    ['on a chunk of its own before more content', usageChunk + event() + done, event() + done],
  ])(
    '%s is counted; a chunk with usage alone reaches only callers who requested it',
    async (_what, body, without = body) => {
      const seen = await ask(stream(body));
      expectComplete(seen, without);
      expect(seen.line).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 });
      // Callers who requested usage get the cost in a separate chunk.
      const withCost = body.replace(usageChunk, usageChunk.replace('"usage":{', '"usage":{"x_svc_cost":"0.00000195",'));
      expectComplete(await ask(stream(body), requested), withCost);
    },
  );

  it.each([
    ['is null', null],
    ['is a list', [1, 2]],
    ['has texts instead of numbers', { prompt_tokens: '5', completion_tokens: '2' }],
    ['is negative', { prompt_tokens: -5, completion_tokens: 2 }],
  ])('that %s counts nothing and passes', async (_what, odd) => {
    const body = event({ usage: odd }) + done;
    const seen = await ask(stream(body));
    expectComplete(seen, body);
    expect(seen.line).not.toHaveProperty('prompt_tokens');
  });

  it('is requested from the provider even if the caller did not request it', async () => {
    for (const fields of [
      {},
      requested.fields,
      { stream_options: { include_usage: false } },
      { stream_options: null },
    ]) {
      await ask(stream(done), { fields });
      expect(gateway.simulator.requests[0]?.json()).toMatchObject({
        stream_options: { include_usage: true },
      });
    }
  });
});

it('after all of this nothing is in flight, buffered or thrown in the gateway', async () => {
  const proxy: TestProxy = gateway.proxy;
  expectComplete(await ask(stream(done)), done);
  const metrics = await (await fetch(`${proxy.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^gateway_in_flight_requests 0$/m);
  expect(metrics).toMatch(/^gateway_buffered_bytes 0$/m);
  expect(gateway.logs.filter((line) => line.includes('the request path threw'))).toEqual([]);
});
