// A sidecar and a real egress gateway over mutual TLS: responses and streams equal those of the egress gateway, for
// every vendor.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createForwardScene, type Egress, type ForwardScene } from '../../support/forward.ts';
import {
  chatBody,
  chatRequest,
  type Environment,
  startGateway,
  type TestGateway,
  type TestProxy,
} from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { ownHeaders, ownPath, plainModels } from '../../support/vendors.ts';

let gateway: TestGateway;
let scene: ForwardScene;
let egress: Egress;
let sidecar: TestProxy;
let key: string;

beforeAll(async () => {
  [gateway, scene] = await Promise.all([startGateway(), createForwardScene()]);
  await gateway.organization.storeProviderKeys();
  await gateway.organization.api.call('Organizations/UpdateSettings', {
    id: gateway.organization.id,
    settings: { access: { callerProviderKeys: true } },
  });
  egress = await scene.startEgress(gateway);
  key = (await gateway.organization.createKey()).value;
  sidecar = await scene.startSidecar(egress.url, { GATEWAY_ATTACH_KEY_FILE: scene.write('key', key) });
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await scene.close();
  await gateway.close();
});

const chat = `/v1/chat/completions`;
const withoutKey = (fields: object = {}, headers: Record<string, string> = {}) =>
  chatRequest('attached-by-model-gateway', fields, headers);

describe('an application without a key', () => {
  it.each(Object.entries(plainModels))('gets its response and its stream of %s with the SDK', async (vendor, model) => {
    const client = new OpenAI({
      baseURL: `${sidecar.url}/v1`,
      apiKey: 'attached-by-model-gateway',
      maxRetries: 0,
    });
    const body = { model: `${vendor}/${model}`, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const whole = await client.chat.completions.create(body);
    expect(whole.choices[0]?.message.content).toContain('simulated');
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  });

  it('gets the list of models', async () => {
    const client = new OpenAI({ baseURL: `${sidecar.url}/v1`, apiKey: 'any' });
    const { data } = await client.models.list();
    expect(data.length).toBeGreaterThan(5);
  });

  it('may use its own provider key, on the generic route and on the provider’s own', async () => {
    const { authorization } = ownHeaders['gpt-provider'];
    const generic = await fetch(`${sidecar.url}${chat}`, withoutKey({}, { authorization, 'x-svc-direct-key': 'true' }));
    expect(generic.status).toBe(200);
    const own = await fetch(
      `${sidecar.url}${ownPath('gpt-provider')}/chat/completions`,
      withoutKey({ model: 'gpt-4o-mini' }, { authorization }),
    );
    expect(own.status).toBe(200);
    expect(gateway.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
      authorization,
      authorization,
    ]);
  });
});

describe('a sidecar returns the same as the egress gateway for', () => {
  const through = (base: string, fields: object, id: string) =>
    fetch(`${base}${chat}`, withoutKey(fields, { 'x-svc-vk': key, 'x-request-id': id }));

  it.each([
    ['a response', {}],
    ['a stream', { stream: true, stream_options: { include_usage: true } }],
    ['a refusal of the request', { model: 'junk' }],
    ['an error of the provider', { messages: [{ role: 'user', content: '{"simulate":{"status":429}}' }] }],
  ])('%s: status, headers and bytes', async (_, fields) => {
    const [direct, forwarded] = [
      await through(egress.proxy.url, fields, 'same'),
      await through(sidecar.url, fields, 'same'),
    ];
    expect(forwarded.status).toBe(direct.status);
    expect(steady(forwarded.headers)).toEqual(steady(direct.headers));
    expect(steadyText(await forwarded.text())).toBe(steadyText(await direct.text()));
  });

  it('a refused key, which is not replaced by the attached one', async () => {
    const response = await fetch(`${sidecar.url}${chat}`, chatRequest(`${key.slice(0, -1)}~`));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'access_not_found' } });
  });

  it('a body that is too large, before it has been sent completely', async () => {
    const small: Environment = { GATEWAY_BODY_BYTES_MAX: '64KiB' };
    const tight = await scene.startEgress(gateway, small);
    const hop = await scene.startSidecar(tight.url, { GATEWAY_ATTACH_KEY: key });
    const outgoing = request(`${hop.url}${chat}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 100 * 1024 * 1024 },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(`{"filler":"${'f'.repeat(300 * 1024)}`);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(Buffer.concat(await response.toArray()).toString()).toContain('body_too_large');
    outgoing.destroy();
  });

  it('a body of megabytes', async () => {
    const body = chatBody({ messages: [{ role: 'user', content: 'x'.repeat(8 * 1024 * 1024) }] });
    const response = await fetch(`${sidecar.url}${chat}`, {
      ...withoutKey({}, { 'x-request-id': 'megabytes' }),
      body,
    });
    // The body is more than the model takes, and the provider decides about that.
    expect(response.headers.get('x-svc-error-source')).toBe('provider');
    for (const logs of [scene, gateway])
      expect(await accessLine(logs, 'megabytes')).toMatchObject({ request_bytes: body.length });
  });

  it('a request id, which is the same in both logs', async () => {
    await (await fetch(`${sidecar.url}${chat}`, withoutKey({ stream: true }, { 'x-request-id': 'both-logs' }))).text();
    const own = await accessLine(scene, 'both-logs');
    const theirs = await accessLine(gateway, 'both-logs');
    for (const field of ['route', 'status', 'provider', 'model', 'streamed', 'direct_key'])
      expect([field, own[field]]).toEqual([field, theirs[field]]);
  });
});

describe('the total timeout', () => {
  it('is reported by the egress gateway, whose limits apply first', async () => {
    const hasty = await scene.startEgress(gateway, { GATEWAY_TOTAL_TIMEOUT: '300ms' });
    const hop = await scene.startSidecar(hasty.url, {
      GATEWAY_TOTAL_TIMEOUT: '300ms',
      GATEWAY_ATTACH_KEY: key,
    });
    gateway.simulator.script({ headDelayMs: 5000 });
    const response = await fetch(`${hop.url}${chat}`, withoutKey());
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({
      error: { message: 'the provider did not respond in time' },
    });
  });
});

describe('the hop', () => {
  it('costs little time', async () => {
    const p50 = async (url: string) => {
      const times: number[] = [];
      for (let count = 0; count < 80; count++) {
        const started = performance.now();
        const response = await fetch(`${url}${chat}`, { ...withoutKey({}, { 'x-svc-vk': key }) });
        await response.arrayBuffer();
        if (count >= 20) times.push(performance.now() - started);
      }
      return times.sort((one, other) => one - other)[30] ?? 0;
    };
    const direct = await p50(egress.proxy.url);
    const forwarded = await p50(sidecar.url);
    console.info(`p50 of a request: ${direct.toFixed(2)} ms direct, ${forwarded.toFixed(2)} ms through a sidecar`);
    expect(forwarded).toBeLessThan(10 * direct);
  });

  it('ends a stream at once up to the provider when the caller leaves', async () => {
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 10 });
    const outgoing = request(`${sidecar.url}${chat}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'leaves' },
    });
    outgoing.end(chatBody({ stream: true }));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.on('error', () => undefined);
    outgoing.destroy();
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left');
    for (const logs of [scene, gateway])
      expect(await accessLine(logs, 'leaves')).toMatchObject({ status: 499, error_code: 'client_left' });
  });
});

/** Without the headers that differ from one request to the next. */
function steady(headers: Headers): [string, string][] {
  const varying = ['date', 'connection', 'keep-alive', 'openai-processing-ms', 'x-svc-upstream-request-id'];
  return [...headers].filter(([name]) => !varying.includes(name) && !name.includes('ratelimit-reset'));
}

function steadyText(text: string): string {
  return text.replace(/chatcmpl-simulated\d+|"created": ?\d+|req_\w+/g, '…');
}
