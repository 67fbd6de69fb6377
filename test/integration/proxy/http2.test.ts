// HTTP/2 at the traffic listeners: the same request path, by prior knowledge in plain text and by ALPN with TLS, for the
// AWS SDK for JavaScript too, which speaks nothing else. Limits of its own end a hostile session.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createForwardScene, type ForwardScene } from '../../support/forward.ts';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

let gateway: TestGateway;
let proxy: TestProxy;
let key: string;
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await gateway.startProxy({ GATEWAY_HEADERS_TIMEOUT: '1s', GATEWAY_BODY_BYTES_MAX: '1MiB' });
  key = (await gateway.organization.createKey()).value;
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
  gateway.simulator.reset();
});
afterAll(() => gateway.close());

function open(url = proxy.url, options: object = {}): ClientHttp2Session {
  const session = connect(url, options);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

interface Http2Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function send(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<Http2Response> {
  const stream = session.request(headers, { endStream: body === undefined });
  stream.on('error', () => undefined);
  const responding = once(stream, 'response');
  if (body !== undefined) stream.end(body);
  const [received] = (await responding) as [Record<string, unknown>];
  let text = '';
  for await (const part of stream) text += part;
  return { status: Number(received[':status']), headers: received, body: text };
}

const chat = (value = key): OutgoingHttpHeaders => ({
  ...{ ':method': 'POST', ':path': '/v1/chat/completions', 'content-type': 'application/json' },
  authorization: `Bearer ${value}`,
});

describe('a session of HTTP/2', () => {
  it('serves several requests at a time, whole ones and streams', async () => {
    const session = open();
    const responses = await Promise.all([
      send(session, chat(), chatBody()),
      send(session, chat(), chatBody({ stream: true })),
      send(session, { ':path': '/v1/models', 'x-api-key': key }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.parse(responses[0].body)).toMatchObject({ object: 'chat.completion' });
    expect(responses[1].body).toMatch(/^data: [\s\S]*data: \[DONE\]\n\n$/);
    expect(responses[1].headers['transfer-encoding']).toBeUndefined();
    expect(responses.map(({ headers }) => typeof headers['x-request-id'])).toEqual(['string', 'string', 'string']);
  });

  it.each([
    ['an unknown key', { authorization: 'Bearer sk-svc-nobody' }, 401],
    ['an unknown path', { ':path': '/v1/nothing' }, 404],
    ['another method', { ':method': 'DELETE' }, 405],
    ['another media type', { 'content-type': 'text/plain' }, 415],
    ['a Host that is not the authority', { ':authority': 'x', host: 'y' }, 400],
  ])('refuses %s with the same envelope', async (_what, headers, status) => {
    const response = await send(open(), { ...chat(), ...headers }, chatBody());
    expect([response.status, response.headers['x-svc-error-source']]).toEqual([status, 'gateway']);
    expect(Object.keys(JSON.parse(response.body))).toContain('error');
  });

  it('ends after a refusal before authentication, and continues after others', async () => {
    const refused = open();
    await send(refused, chat('sk-svc-nobody'), chatBody());
    await until(() => refused.closed);
    const known = open();
    await send(known, { ...chat(), 'content-type': 'text/plain' }, chatBody());
    expect((await send(known, chat(), chatBody())).status).toBe(200);
  });

  it('gets the response to a body that is too large before its end', async () => {
    const response = await send(open(), { ...chat(), 'content-length': 2_000_000 }, ' '.repeat(2_000_000));
    expect(response.status).toBe(413);
  });

  it('that aborts a stream cancels its request at the provider', async () => {
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 50 });
    const stream = open().request(chat());
    stream.on('error', () => undefined).end(chatBody({ stream: true }));
    await once(stream, 'data');
    stream.close(constants.NGHTTP2_CANCEL);
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
  });

  it('that does not read slows down only its own stream', async () => {
    gateway.simulator.script({ tokens: 2000, tokenBytes: 5000 });
    const session = open();
    const slow = session.request(chat());
    slow.on('error', () => undefined).pause();
    slow.end(chatBody({ stream: true }));
    await sleep(100);
    expect((await send(session, { ':path': '/v1/models', 'x-api-key': key })).status).toBe(200);
    expect(gateway.simulator.requests[0]?.ended).toBeUndefined();
  });
});

describe('a hostile session', () => {
  it('that aborts its requests in a flood is ended', async () => {
    const session = open();
    await send(session, { ':path': '/v1/models', 'x-api-key': key });
    let sent = 0;
    for (; sent < 3000 && !session.destroyed; sent++) {
      session
        .request(chat())
        .on('error', () => undefined)
        .close(constants.NGHTTP2_CANCEL);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => session.destroyed, { timeoutMs: 5000 });
    expect(sent).toBeLessThan(3000);
    expect((await send(open(), { ':path': '/v1/models', 'x-api-key': key })).status).toBe(200);
  });

  it('that opens too many streams has the others refused', async () => {
    const session = open();
    await once(session, 'remoteSettings');
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, enablePush: false });
  });

  it('that sends large headers gets 431, as in HTTP/1.1', async () => {
    const response = await send(open(), { ...chat(), 'x-long': 'a'.repeat(30_000) }, chatBody());
    expect([response.status, JSON.parse(response.body)]).toMatchObject([431, { error: { code: 'headers_too_large' } }]);
  });

  it('that sends no request in time is ended, and frees its slot', async () => {
    const session = open();
    await once(session, 'connect');
    await until(() => session.destroyed || session.closed, { timeoutMs: 5000 });
    await until(async () => (await metric(proxy, 'gateway_share_used', { resource: 'connections' })) === 0);
  });
});

describe('the AWS SDK for JavaScript with its own handler', () => {
  it('speaks HTTP/2 to a plain listener, whole and in streams', async () => {
    const client = new BedrockRuntimeClient({
      ...{ endpoint: proxy.url, region: 'eu-west-1', token: { token: key }, maxAttempts: 1 },
      authSchemePreference: ['httpBearerAuth'],
    });
    const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
    const input = { modelId: 'gpt-provider/gpt-4o-mini', messages };
    expect((await client.send(new ConverseCommand(input))).output?.message?.content?.[0]?.text).toBeTruthy();
    let text = '';
    const { stream = [] } = await client.send(new ConverseStreamCommand(input));
    for await (const event of stream) text += event.contentBlockDelta?.delta?.text ?? '';
    expect(text).not.toBe('');
    client.destroy();
  });
});

describe('the listener with TLS', () => {
  let scene: ForwardScene;
  beforeAll(async () => {
    scene = await createForwardScene();
  });
  afterAll(() => scene.close());

  it('speaks HTTP/2 to who offers it, and HTTP/1.1 to others', async () => {
    const { proxy: egress } = await scene.startEgress(gateway);
    const identity = {
      ca: readFileSync(scene.servers.caFile),
      cert: readFileSync(scene.client.certFile),
      key: readFileSync(scene.client.keyFile),
    };
    const session = open(`https://127.0.0.1:${egress.tlsPort}`, identity);
    expect((await send(session, chat(), chatBody())).status).toBe(200);
    expect(session.alpnProtocol).toBe('h2');
  });

  it('serves a sidecar, which speaks HTTP/2 to its app', async () => {
    const egress = await scene.startEgress(gateway);
    const sidecar = await scene.startSidecar(egress.url, { GATEWAY_ATTACH_KEY: key });
    const session = open(sidecar.url);
    const { authorization: _none, ...withoutKey } = chat();
    const [whole, stream] = await Promise.all([
      send(session, withoutKey, chatBody()),
      send(session, withoutKey, chatBody({ stream: true })),
    ]);
    expect([whole.status, stream.status]).toEqual([200, 200]);
    expect(stream.body).toContain('data: [DONE]');
  });
});
