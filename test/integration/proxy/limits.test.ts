// Every limit of the limits table at the limit and one above it, over real sockets. Timeouts of slow providers and
// readers are in upstream-hostile-streams.test.ts and slow-reader.test.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBlackHole } from '../../support/black-hole.ts';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { type Observed, observe } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { openConnection, type RawConnection, type RawResponse } from '../../support/raw-http.ts';
import { metric } from '../../support/telemetry.ts';

const headerMax = 4096;
const bodyMax = 20_000;
const eventMax = 50_000;

let gateway: TestGateway;
let key: string;
/** A proxy with low limits of everything that a test sends alone. */
let strict: TestProxy;

beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.organization.createKey()).value;
  strict = await gateway.startProxy({
    ...{ GATEWAY_HEADER_BYTES_MAX: String(headerMax), GATEWAY_BODY_BYTES_MAX: String(bodyMax) },
    ...{ GATEWAY_JSON_DEPTH_MAX: '20', GATEWAY_JSON_STRUCTURAL_MAX: '1000' },
    GATEWAY_EVENT_BYTES_MAX: String(eventMax),
  });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

interface Sent {
  readonly key?: string;
  readonly signal?: AbortSignal;
}

function chat(proxy: TestProxy, body: string, sent: Sent = {}): Promise<Response> {
  return fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sent.key ?? key}`, 'content-type': 'application/json' },
    body,
    ...(sent.signal && { signal: sent.signal }),
  });
}

const ask = (proxy: TestProxy, body: string): Promise<Observed> =>
  observe(gateway, `${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });

/** A valid body of exactly this many bytes. */
function bodyOf(bytes: number, fields: object = {}): string {
  const shell = chatBody({ user: '', ...fields });
  return shell.replace('"user":""', `"user":"${'u'.repeat(bytes - shell.length)}"`);
}

/** A whole response of exactly this many bytes. */
function responseOf(bytes: number): { body: string } {
  const shell = '{"choices":[],"filler":""}';
  return { body: shell.replace(':""', `:"${'f'.repeat(bytes - shell.length)}"`) };
}

const gatewayError = (seen: Observed) => [seen.status, seen.error?.code, seen.headers.get('x-svc-error-source')];

describe('requests in flight', () => {
  /** Requests that stay in flight. @returns a function that ends them */
  async function reserve(proxy: TestProxy, count: number, ofKey: string) {
    const already = gateway.simulator.requests.length;
    gateway.simulator.script({ stop: { by: 'silence', beforeHead: true } }, { times: count });
    const abort = new AbortController();
    const sent = Array.from({ length: count }, () => chat(proxy, chatBody(), { key: ofKey, signal: abort.signal }));
    const ended = Promise.allSettled(sent);
    await until(() => gateway.simulator.requests.length === already + count);
    return async () => {
      abort.abort();
      await ended;
    };
  }

  it('are limited by the setting in all, for an organization by its share, and for unknown keys to none', async () => {
    const proxy = await gateway.startProxy({
      ...{ GATEWAY_IN_FLIGHT_MAX: '4', GATEWAY_ORGANIZATION_SHARE: '50' },
      // Without this a request would stay in flight while its response is read on after its caller left.
      GATEWAY_READ_ON_MAX: '0',
    });
    const other = (await (await gateway.createOrganization('other')).createKey()).value;
    const third = (await (await gateway.createOrganization('third')).createKey()).value;
    const status = async (ofKey: string) => (await chat(proxy, chatBody(), { key: ofKey })).status;

    const letGo = await reserve(proxy, 2, key);
    expect(await status(key)).toBe(503);
    const letOtherGo = await reserve(proxy, 1, other);
    expect(await status(other)).toBe(503);
    // The more others use, the smaller is an organization's share: there was room for the next.
    expect(await status(third)).toBe(200);
    const letLastGo = await reserve(proxy, 1, third);
    expect(await metric(proxy, 'gateway_in_flight_requests')).toBe(4);
    expect(await metric(proxy, 'gateway_share_used', { resource: 'requests' })).toBe(1);
    expect(await status(third)).toBe(503);
    const strangers = await Promise.all(Array.from({ length: 8 }, () => status('sk-svc-nobody')));
    expect(new Set(strangers)).toEqual(new Set([401]));

    await letGo();
    await until(async () => (await metric(proxy, 'gateway_in_flight_requests')) === 2);
    expect(await status(third)).toBe(200);
    expect(await status(key)).toBe(200);
    await letOtherGo();
    await letLastGo();
    await until(async () => (await metric(proxy, 'gateway_in_flight_requests')) === 0);
  });
});

describe('bytes in memory', () => {
  const max = 64 * 1024;

  it('of a request and its response are limited to the share of the organization and its key', async () => {
    const proxy = await gateway.startProxy({
      GATEWAY_BUFFERED_BYTES_MAX: String(2 * max),
      GATEWAY_ORGANIZATION_SHARE: '50',
    });
    // A single key may use 8 of the 9 parts of its organization's share.
    const most = Math.ceil((max * 8) / 9);
    expect((await ask(proxy, bodyOf(most, { stream: true }))).status).toBe(200);
    const tooLarge = await ask(proxy, bodyOf(most + 1, { stream: true }));
    // There can never be room for this body.
    expect(gatewayError(tooLarge)).toEqual([413, 'body_too_large', 'gateway']);
    expect(gateway.simulator.requests).toHaveLength(1);

    gateway.simulator.script(responseOf(most - 1024));
    expect((await ask(proxy, bodyOf(1024))).status).toBe(200);
    gateway.simulator.script(responseOf(2 * max));
    const reply = await ask(proxy, bodyOf(1024));
    expect(gatewayError(reply)).toEqual([503, 'overloaded', 'gateway']);
    expect(reply.line).toMatchObject({ status: 503, attempts: 1 });
    await until(async () => (await metric(proxy, 'gateway_buffered_bytes')) === 0);
  });

  it('of all organizations together are limited by the setting', async () => {
    const proxy = await gateway.startProxy({
      GATEWAY_BUFFERED_BYTES_MAX: String(max),
      GATEWAY_ORGANIZATION_SHARE: '75',
    });
    const other = (await (await gateway.createOrganization('another')).createKey()).value;
    gateway.simulator.script({ stop: { by: 'silence', beforeHead: true } });
    const abort = new AbortController();
    const pending = chat(proxy, bodyOf(max / 2), { signal: abort.signal }).catch(() => undefined);
    await until(() => gateway.simulator.requests.length === 1);
    expect(await metric(proxy, 'gateway_buffered_bytes')).toBe(max / 2);
    // Three quarters of the rest, and of those the key's part.
    const least = bodyOf(Math.floor(max * 0.35), { stream: true });
    const most = bodyOf(Math.floor(max * 0.4), { stream: true });
    expect((await chat(proxy, most, { key: other })).status).toBe(503);
    expect((await chat(proxy, least, { key: other })).status).toBe(200);
    abort.abort();
    await pending;
  });

  it('are counted fully for small pieces too: a body in chunks of one byte', async () => {
    const proxy = await gateway.startProxyProcess();
    const quiet = await metric(proxy, 'process_resident_memory_bytes');
    const connection = await openConnection(proxy.port);
    connection.send(head(['content-type: application/json', 'transfer-encoding: chunked']));
    const bytes = 1024 * 1024;
    connection.send(`1\r\n"\r\n${'1\r\na\r\n'.repeat(bytes)}`);
    await until(async () => (await metric(proxy, 'gateway_buffered_bytes')) > bytes, { timeoutMs: 15_000 });
    const grown = (await metric(proxy, 'process_resident_memory_bytes')) - quiet;
    console.log(`1 MiB in chunks of one byte took ${(grown / 1024 / 1024).toFixed(0)} MiB`);
    // A list of the pieces would take 420 MiB.
    expect(grown).toBeLessThan(200 * 1024 * 1024);
    connection.socket.destroy();
    await proxy.child.stop();
  });
});

const head = (extra: readonly string[] = [], ofKey = key) =>
  ['POST /v1/chat/completions HTTP/1.1', 'host: g', `authorization: Bearer ${ofKey}`, ...extra, '', ''].join('\r\n');

async function raw(proxy: TestProxy, write: (connection: RawConnection) => void | Promise<void>): Promise<RawResponse> {
  const connection = await openConnection(proxy.port);
  const reply = connection.respond();
  reply.catch(() => undefined);
  await write(connection);
  const result = await reply;
  connection.socket.destroy();
  return result;
}

const codeOf = (result: RawResponse) => (JSON.parse(result.body) as { error?: { code: string } }).error?.code;

describe('bytes of a request', () => {
  it('in its headers are limited by the setting', async () => {
    const withHead = (bytes: number) => {
      const shell = `GET /v1/models HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\nx-filler: \r\n\r\n`;
      return raw(strict, (c) => c.send(shell.replace('x-filler: ', `x-filler: ${'h'.repeat(bytes - shell.length)}`)));
    };
    expect((await withHead(headerMax)).status).toBe(200);
    const above = await withHead(headerMax + 64);
    expect([above.status, codeOf(above)]).toEqual([431, 'headers_too_large']);
  });

  it.each(['announced', 'in chunks'])('in its body, %s, are limited by the setting', async (how) => {
    const withBody = (bytes: number) =>
      raw(strict, (c) => {
        const body = bodyOf(bytes);
        const type = 'content-type: application/json';
        if (how === 'announced') c.send(head([type, `content-length: ${bytes}`]) + body);
        else c.send(`${head([type, 'transfer-encoding: chunked'])}${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      });
    expect((await withBody(bodyMax)).status).toBe(200);
    const above = await withBody(bodyMax + 1);
    expect([above.status, codeOf(above)]).toEqual([413, 'body_too_large']);
    expect(gateway.simulator.requests).toHaveLength(1);
  });
});

describe('the structure of a body', () => {
  const withParameters = (parameters: object) =>
    chatBody({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });
  const measure = (text: string) => {
    const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
    let depth = 0;
    let deepest = 0;
    for (const character of bare) {
      if ('[{'.includes(character)) depth++;
      if (']}'.includes(character)) depth--;
      deepest = Math.max(deepest, depth);
    }
    return { deepest, structural: bare.replaceAll(/[^[\]{}:,]/g, '').length };
  };

  it('is limited in depth by the setting, without brackets in strings', async () => {
    const nested = (levels: number): object => (levels === 0 ? { const: '[[[[{{{{"' } : { items: nested(levels - 1) });
    const deep = (depth: number) => {
      const body = withParameters(nested(depth - measure(withParameters(nested(0))).deepest));
      expect(measure(body).deepest).toBe(depth);
      return ask(strict, body);
    };
    expect((await deep(20)).status).toBe(200);
    const above = await deep(21);
    expect(gatewayError(above)).toEqual([400, 'invalid_request', 'gateway']);
    expect(above.error?.message).toBe('the body is nested deeper than 20 levels');
  });

  it('is limited in structural characters by the setting, without those in strings', async () => {
    const wide = (count: number) => {
      const listOf = (length: number) => withParameters({ enum: Array.from({ length }, () => ':,[]{}"') });
      const body = listOf(count - measure(listOf(1)).structural + 1);
      expect(measure(body).structural).toBe(count);
      return ask(strict, body);
    };
    expect((await wide(1000)).status).toBe(200);
    const above = await wide(1001);
    expect(gatewayError(above)).toEqual([400, 'invalid_request', 'gateway']);
    expect(above.error?.message).toBe('the body is made of more than 1000 structural characters');
  });
});

describe('bytes of a response', () => {
  const tooLarge = [502, 'upstream_protocol_error', 'gateway'];

  it('that is whole are limited by the setting', async () => {
    const max = 50_000;
    const proxy = await gateway.startProxy({ GATEWAY_ANSWER_BYTES_MAX: String(max) });
    gateway.simulator.script(responseOf(max));
    expect((await ask(proxy, chatBody())).status).toBe(200);
    gateway.simulator.script(responseOf(max + 1));
    expect(gatewayError(await ask(proxy, chatBody()))).toEqual(tooLarge);
  });

  it.each([[eventMax], [1000], [7]])(
    'in one event of a stream are limited by the setting, in pieces of %i',
    async (piece) => {
      const event = (bytes: number) => `data: {"x":"${'x'.repeat(bytes - 'data: {"x":""}\n\n'.length)}"}\n\n`;
      const streamOf = (bytes: number) => {
        gateway.simulator.script({ body: `${event(bytes)}data: [DONE]\n\n`, pieceBytes: [piece] });
        return ask(strict, chatBody({ stream: true }));
      };
      expect(await streamOf(eventMax)).toMatchObject({ status: 200, end: 'clean' });
      expect(gatewayError(await streamOf(eventMax + 1))).toEqual(tooLarge);
    },
  );
});

describe('the timeout', () => {
  const type = 'content-type: application/json';

  /** Milliseconds of the work, beside its response. */
  async function timed<T>(work: Promise<T>): Promise<{ took: number; response: T }> {
    const started = performance.now();
    const result = await work;
    return { took: performance.now() - started, response: result };
  }

  const min = 400;
  let proxy: TestProxy;
  beforeAll(async () => {
    const environment = { GATEWAY_HEADERS_TIMEOUT: `${min}ms`, GATEWAY_BODY_GRACE: `${min}ms` };
    proxy = await gateway.startProxy({ ...environment, GATEWAY_BODY_RATE_MIN: '10KiB' });
  });

  async function expectTimeout(write: (connection: RawConnection) => void) {
    const { took, response: result } = await timed(raw(proxy, write));
    expect([result.status, codeOf(result)]).toEqual([408, 'request_timeout']);
    expect(took).toBeGreaterThan(min * 0.99);
    expect(took).toBeLessThan(min + 3000);
  }

  it('of headers is a 408', () => expectTimeout((c) => c.send(head().slice(0, 40))));

  it('of a body that does not arrive is a 408', () => expectTimeout((c) => c.send(head([type, 'content-length: 9']))));

  it('of a body slower than the rate is a 408, even if it never stops', async () => {
    await expectTimeout((c) => {
      c.send(head([type, 'content-length: 100000']));
      const drip = setInterval(() => c.send('x'), 10);
      void c.closed.then(() => clearInterval(drip));
    });
  });

  it('of a body faster than the rate is longer than the grace, but not than the total', async () => {
    const environment = { GATEWAY_BODY_GRACE: '100ms', GATEWAY_BODY_RATE_MIN: '1KiB' };
    const proxy = await gateway.startProxy(environment);
    const body = bodyOf(40_000);
    const slowly = async (c: RawConnection) => {
      c.send(head([type, `content-length: ${body.length}`]));
      for (let at = 0; at < body.length && !c.socket.closed; at += 1000) {
        c.send(body.slice(at, at + 1000));
        await sleep(15);
      }
    };
    const { took, response: result } = await timed(raw(proxy, slowly));
    expect(result.status).toBe(200);
    expect(took).toBeGreaterThan(400);
    const hasty = await gateway.startProxy({ ...environment, GATEWAY_TOTAL_TIMEOUT: '200ms' });
    const cut = await raw(hasty, slowly);
    expect([cut.status, codeOf(cut)]).toEqual([408, 'request_timeout']);
  });

  it('of a provider that does not accept the connection is a 502', async () => {
    const hole = await startBlackHole();
    // It accepts TCP connections, but never speaks TLS, which the gateway does not count as a connection.
    const proxy = await gateway.startProxy({
      GATEWAY_CONNECT_TIMEOUT: '600ms',
      GATEWAY_GPT_PROVIDER_URL: `https://127.0.0.1:${hole.port}/v1`,
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${hole.port}`,
    });
    const { took, response: result } = await timed(ask(proxy, chatBody()));
    expect(gatewayError(result)).toEqual([502, 'upstream_unreachable', 'gateway']);
    expect(took).toBeGreaterThan(590);
    expect(took).toBeLessThan(3000);
    await hole.stop();
  });
});
