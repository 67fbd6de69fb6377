// Providers with invalid whole responses: the caller always gets an error envelope, never a clean 200, and the access
// log has the reason. Streams: upstream-hostile-streams.test.ts.
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/index.ts';
import { type BlackHole, startBlackHole } from '../../support/black-hole.ts';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { type Observed, observe } from '../../support/observe.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
/** A proxy with short timeouts. */
let hasty: TestProxy;
let key: string;
let elsewhere: BlackHole;

beforeAll(async () => {
  gateway = await startGateway();
  hasty = await gateway.startProxy({ GATEWAY_TOTAL_TIMEOUT: '500ms' });
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await createKey()).value;
  elsewhere = await startBlackHole();
});
afterAll(async () => {
  await gateway.close();
  await elsewhere.stop();
});

const ownKey = 'sk-sim-own-0123456789abcdef';
const credentials = {
  stored: () => ({ authorization: `Bearer ${key}` }),
  direct: () => ({ 'x-svc-vk': key, 'x-svc-direct-key': 'true', authorization: `Bearer ${ownKey}` }),
};
type Whose = keyof typeof credentials;

function ask(behaviour: Behaviour, whose: Whose = 'stored', proxy = gateway.proxy): Promise<Observed> {
  // A dead connection, and a short wait, are followed by another attempt.
  gateway.simulator.reset();
  gateway.simulator.script(behaviour, { times: 2 });
  return observe(gateway, `${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials[whose]() },
    body: chatBody(),
  });
}

/** Raw bytes in place of a response. */
const raw = (bytes: string | Buffer) => ({ rawBase64: Buffer.from(bytes).toString('base64') });
const responseOf = (head: readonly string[], body = '') =>
  raw([...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));

interface Refused {
  readonly status: number;
  readonly code: string | null;
  readonly source: 'gateway' | 'provider';
  readonly message?: string;
}

/** Checks an error envelope in full, and its line in the access log. */
function expectRefused(seen: Observed, { status, code, source, message }: Refused) {
  expect({ status: seen.status, code: seen.error?.code, end: seen.end }).toEqual({
    status,
    code,
    end: 'clean',
  });
  if (message !== undefined) expect(seen.error?.message).toBe(message);
  expect(seen.headers.get('content-type')).toBe('application/json');
  expect(seen.headers.get('x-svc-error-source')).toBe(source);
  expect(seen.line).toMatchObject({
    status,
    error_source: source,
    ...(code !== null && { error_code: code }),
  });
}

const protocolError: Refused = {
  status: 502,
  code: 'upstream_protocol_error',
  source: 'gateway',
  message: 'the provider sent a response in a form that cannot be used',
};
const unreachable: Refused = {
  status: 502,
  code: 'upstream_unreachable',
  source: 'gateway',
  message: 'the provider cannot be reached',
};

describe("a provider's error status", () => {
  const error = { message: 'text of the vendor', type: 'a_type', code: 'a_code' };
  const passed = [400, 402, 405, 408, 409, 410, 413, 418, 422, 424, 425, 429, 431, 451, 499];
  const failures = [500, 501, 502, 503, 504, 507, 520, 529, 599];
  const seenAs = (status: number) => (status === 529 ? 503 : status);

  it.each(passed)('%i passes with its message, for any owner of the key', async (status) => {
    for (const whose of ['stored', 'direct'] as const) {
      const seen = await ask({ status, error }, whose);
      expectRefused(seen, { status, code: 'a_code', source: 'provider', message: 'text of the vendor' });
    }
  });

  it.each(failures)('%i passes with its message and its request id, for any owner of the key', async (status) => {
    for (const whose of ['stored', 'direct'] as const) {
      const seen = await ask({ status, error, headers: { 'x-request-id': 'req_1' } }, whose);
      const parsed = { status: seenAs(status), code: 'a_code', message: 'text of the vendor' };
      expectRefused(seen, { ...parsed, source: 'provider' });
      expect(seen.headers.get('x-svc-upstream-request-id')).toBe('req_1');
    }
  });

  it('404 passes, with its message only for the owner of the key', async () => {
    const about = { status: 404, code: 'a_code', source: 'provider' } as const;
    expectRefused(await ask({ status: 404, error }, 'direct'), { ...about, message: 'text of the vendor' });
    const message = 'the provider does not know this model, or the stored key may not use it';
    expectRefused(await ask({ status: 404, error }), { ...about, message });
  });

  it.each([401, 403])('%i with the stored key is a 502 with advice for the organization', async (status) => {
    const stored = await ask({ status, error });
    expectRefused(stored, {
      ...{ status: 502, code: 'upstream_authentication_failed', source: 'gateway' },
      message: 'the provider refused the key that is stored for this organization; an owner or admin can replace it',
    });
    expect(stored.headers.get('x-should-retry')).toBe('false');
    const direct = await ask({ status, error }, 'direct');
    expectRefused(direct, { status, code: 'a_code', source: 'provider', message: 'text of the vendor' });
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, '7'],
    ['milliseconds, which count first', { 'retry-after-ms': '1200', 'retry-after': '7' }, '2'],
    ['nothing', {}, null],
    ['a word', { 'retry-after': 'soon' }, null],
    ['a time long past', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, '0'],
    ['more than a day', { 'retry-after': '99999999999999999999999' }, '86400'],
    ['empty milliseconds', { 'retry-after-ms': '' }, null],
    ['infinite milliseconds', { 'retry-after-ms': 'Infinity' }, null],
  ])('with a retry-after of %s passes it on in its valid form', async (_what, headers, expected) => {
    const seen = await ask({ status: 429, headers });
    expect(seen.headers.get('retry-after')).toBe(expected);
  });

  it('of a spent quota advises against a retry', async () => {
    const seen = await ask({ status: 429, error: { code: 'insufficient_quota' } });
    expect([seen.error?.code, seen.headers.get('x-should-retry')]).toEqual(['insufficient_quota', 'false']);
  });

  it.each([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' }],
    ['nothing', { body: '' }],
    ['JSON that is no error', { body: '[1,2,3]' }],
    ['an error that is no object', { body: '{"error":"secret words"}' }],
    ['broken JSON', { body: '{"error":{"message":"half' }],
    ['bytes', { bodyBase64: Buffer.from([0xff, 0xfe, 0, 1, 2]).toString('base64') }],
    ['more than a megabyte', { body: 'x'.repeat(3 * 1024 * 1024) }],
    ['compressed bytes', { headers: { 'content-encoding': 'gzip' }, bodyBase64: gzipSync('{}').toString('base64') }],
  ])("with a body of %s keeps its status and gets the gateway's message", async (_what, body) => {
    const seen = await ask({ status: 429, ...body });
    expectRefused(seen, {
      ...{ status: 429, code: null, source: 'provider' },
      message: 'the provider responded with status 429',
    });
  });

  it('with huge or odd fields is shortened in the response and in the log', async () => {
    const long = 'y'.repeat(100_000);
    const seen = await ask({ status: 422, error: { message: long, code: long, param: `a\n${long}` } });
    expect(seen.body.length).toBeLessThan(4_000);
    expect(JSON.stringify(seen.line).length).toBeLessThan(2_000);
    expect(seen.error).toMatchObject({ code: null, param: null });
  });
});

describe('an invalid response', () => {
  const ok = ['HTTP/1.1 200 OK', 'content-type: application/json'];
  const chunked = [...ok, 'transfer-encoding: chunked', '', ''].join('\r\n');

  it.each<[string, Behaviour]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }],
    ['nothing', { body: '' }],
    ['truncated JSON', { body: '{"id":"chatcmpl-1","choices":[{"ind' }],
    ['JSON of another kind', { body: '{"object":"list","data":[]}' }],
    ['an array', { body: '[]' }],
    ['garbage', { bodyBase64: Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 89) % 256)).toString('base64') }],
    ['204 without a body', raw('HTTP/1.1 204 No Content\r\n\r\n')],
    [
      'a compressed response',
      { headers: { 'content-encoding': 'gzip' }, bodyBase64: gzipSync('{"choices":[]}').toString('base64') },
    ],
    ['a reset after half of the body', { stop: { by: 'reset', afterBytes: 100 } }],
    ['a close after half of the body', { stop: { by: 'cut', afterBytes: 100 } }],
    ['a length that is too large', raw([...ok, 'content-length: 500', '', '{"choices":[]}'].join('\r\n'))],
    ['a length that is too small', raw([...ok, 'content-length: 5', '', '{"choices":[]}'].join('\r\n'))],
    ['a length that is no number', raw([...ok, 'content-length: many', '', '{}'].join('\r\n'))],
    ['chunks of a wrong size', raw(`${chunked}zz\r\n{"choices":[]}\r\n0\r\n\r\n`)],
    ['chunks that never end', raw(`${chunked}e\r\n{"choices":[]}\r\n`)],
    [
      'more headers than allowed',
      responseOf([...ok, ...Array.from({ length: 500 }, (_, i) => `x-${i}: ${'h'.repeat(200)}`)], '{"choices":[]}'),
    ],
    ['an unknown status line', raw('HTTP/9.9 OK\r\n\r\n')],
    ['bytes that are not HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n')],
    ['status 999', responseOf(['HTTP/1.1 999 Nine'], '{"choices":[]}')],
  ])('of %s returns 502 upstream_protocol_error', async (_what, behaviour) => {
    const seen = await ask(behaviour);
    expectRefused(seen, protocolError);
    expect(seen.line).toMatchObject({ attempts: 1, streamed: false, provider: 'gpt-provider' });
  });

  it('with an error under status 200 is an error of the provider', async () => {
    const error = { message: 'no', code: 'slow_down' };
    const seen = await ask({ body: JSON.stringify({ error }) }, 'direct');
    expectRefused(seen, { status: 502, code: 'slow_down', source: 'provider', message: 'no' });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('of a redirect with %i is not followed', async (status) => {
    const location = `http://127.0.0.1:${elsewhere.port}/v1/chat/completions`;
    expectRefused(await ask({ status, headers: { location } }), protocolError);
    expect(elsewhere.accepted()).toBe(0);
  });

  it.each<[string, Behaviour]>([
    ['closed', { stop: { by: 'cut', beforeHead: true } }],
    ['reset', { stop: { by: 'reset', beforeHead: true } }],
    ['used for 100 Continue without a request for it', raw('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'switched to another protocol',
      raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['closed in the middle of the head', raw('HTTP/1.1 200 OK\r\ncontent-ty')],
  ])('with a connection that is %s before the head returns 502 upstream_unreachable', async (_what, behaviour) => {
    expectRefused(await ask(behaviour), unreachable);
  });

  it.each<[string, Behaviour]>([
    ['no head', { stop: { by: 'silence', beforeHead: true } }],
    ['half a body', { stop: { by: 'silence', afterBytes: 100 } }],
  ])(
    "with silence after %s ends with the total timeout and 504, and the provider's request is cancelled",
    async (_what, behaviour) => {
      const seen = await ask(behaviour, 'stored', hasty);
      expectRefused(seen, { status: 504, code: 'upstream_timeout', source: 'gateway' });
      await until(() => gateway.simulator.requests.at(-1)?.ended === 'client_left');
    },
  );
});

describe('an odd valid response', () => {
  it('with interim responses passes without them', async () => {
    const interim = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
    const final = '{"object":"chat.completion","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${final.length}\r\n\r\n`;
    const seen = await ask(raw(interim + head + final));
    expect([seen.status, seen.body]).toEqual([200, final]);
    expect(seen.line).toMatchObject({ status: 200, prompt_tokens: 3, completion_tokens: 4 });
  });

  it.each([
    ['usage that is null', 'null'],
    ['usage of another shape', '{"total_tokens":5}'],
    ['counts that are negative or texts', '{"prompt_tokens":-1,"completion_tokens":"4"}'],
    ['counts above the maximum', '{"prompt_tokens":1e300,"completion_tokens":1}'],
  ])('with %s passes, and nothing is counted', async (_what, usage) => {
    const body = `{"object":"chat.completion","choices":[],"usage":${usage}}`;
    const seen = await ask({ body });
    expect([seen.status, seen.body]).toEqual([200, body]);
    expect(seen.line).not.toHaveProperty('prompt_tokens');
  });

  it('with headers sent twice or with odd bytes passes without these headers', async () => {
    const body = '{"object":"chat.completion","choices":[]}';
    const seen = await ask(
      responseOf(
        [
          'HTTP/1.1 200 OK',
          ...['content-type: application/json', 'content-type: text/html', 'x-request-id: a', 'x-request-id: b'],
          ...['x-ratelimit-limit-requests: \x80\xff', 'x-ratelimit-limit-tokens: 12', 'set-cookie: a=b', 'server: x'],
          'openai-organization: org-secret',
        ],
        body,
      ),
    );
    expect([seen.status, seen.body]).toEqual([200, body]);
    const passed = [...seen.headers.keys()].filter((name) => !name.startsWith('x-svc-'));
    expect(passed.sort()).toEqual([
      ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'x-request-id'],
    ]);
    expect(seen.headers.get('content-type')).toBe('application/json');
    expect(seen.headers.get('x-svc-upstream-ratelimit-limit-tokens')).toBe('12');
  });

  it('to a request that is still being sent is returned: the refusal of a large body, not a broken connection', async () => {
    const early = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          const body = '{"error":{"message":"too large","code":"too_large"}}';
          socket.end(`HTTP/1.1 413 No\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        });
    });
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
    const { port } = early.address() as AddressInfo;
    const proxy = await gateway.startProxy({
      GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${port}/v1`,
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
    });
    const seen = await observe(gateway, `${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials.stored() },
      body: chatBody({ user: 'u'.repeat(20_000_000) }),
    });
    expectRefused(seen, { status: 413, code: 'too_large', source: 'provider', message: 'too large' });
    early.close();
  });

  it('with more bytes than its length does not affect the next request on that connection', async () => {
    const body = '{"object":"chat.completion","choices":[]}';
    const stray = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray';
    expect((await ask(raw(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}${stray}`))).body).toBe(
      body,
    );
    for (let sent = 0; sent < 3; sent++) {
      expect((await ask({ text: 'mine' })).body).toContain('mine');
    }
  });
});

it('after all of this nothing is in flight, buffered or thrown in the gateway', async () => {
  expect((await ask({})).status).toBe(200);
  const metrics = await (await fetch(`${gateway.proxy.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^gateway_in_flight_requests 0$/m);
  expect(metrics).toMatch(/^gateway_buffered_bytes 0$/m);
  expect(gateway.logs.filter((line) => line.includes('the request path threw'))).toEqual([]);
});
