// The proxy's telemetry of requests: one access-log line each, written when the response is finished, with exactly
// these fields; metrics that count them, with labels that no caller and no provider can choose.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { knownLabels } from '../../support/metric-labels.ts';
import { type AccessLine, accessLine, accessLines, observe } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { startRawUpstream } from '../../support/raw-upstream.ts';
import { metric } from '../../support/telemetry.ts';

let gateway: TestGateway;
let key: { readonly id: string; readonly value: string };
let project: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = await createKey();
  project = await createKey();
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly fields?: object;
}

function send({ path = '/v1/chat/completions', method = 'POST', headers, fields = {} }: Sent = {}) {
  return observe(gateway, gateway.proxy.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(headers ?? { authorization: `Bearer ${key.value}` }) },
    ...(method === 'POST' && { body: chatBody(fields) }),
  });
}

/** Fields of every line of this proxy's log. */
const always = [
  'level',
  'time',
  'name',
  'msg',
  'request_id',
  'route',
  'client_format',
  'status',
  'streamed',
  'direct_key',
  'attempts',
  'duration_ms',
  'request_bytes',
];
const caller = ['organization_id', 'key_id'];
const target = ['provider', 'model', 'first_byte_ms'];
const stored = ['provider_key_id'];
const tokens = ['prompt_tokens', 'completion_tokens'];
const failed = ['error_code', 'error_source', 'address'];

function expectFields(line: AccessLine, ...fields: readonly (readonly string[])[]) {
  expect(Object.keys(line).sort()).toEqual([...always, ...fields.flat()].sort());
}

describe('the access log line', () => {
  it('of a whole response has all fields of caller, target and tokens', async () => {
    const { line } = await send();
    expectFields(line, caller, target, stored, tokens);
    expect(line).toMatchObject({
      ...{ msg: 'request', level: 'info', route: 'chat', status: 200, streamed: false, direct_key: false },
      ...{ organization_id: gateway.organization.id, key_id: key.id, attempts: 1 },
      ...{ provider: 'gpt-provider', model: 'gpt-4o-mini', request_bytes: chatBody().length },
      ...{ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
    expect(line.first_byte_ms).toBeLessThanOrEqual(line.duration_ms as number);
  });

  it('of a stream has the tokens, even if the caller did not request usage', async () => {
    const { line } = await send({ fields: { stream: true } });
    expectFields(line, caller, target, stored, tokens);
    expect(line).toMatchObject({ status: 200, streamed: true });
  });

  it("of a provider's own route has both keys", async () => {
    const headers = {
      'project-api-key': project.value,
      'x-svc-vk': key.value,
      authorization: 'Bearer sk-sim-own',
    };
    const { line } = await send({
      path: '/v1/openai/chat/completions',
      headers,
      fields: { model: 'gpt-4o-mini' },
    });
    expectFields(line, caller, ['project_key_id'], target, tokens);
    expect(line).toMatchObject({
      key_id: key.id,
      project_key_id: project.id,
      provider: 'gpt-provider',
      direct_key: true,
    });
  });

  it('of the list of models has the fields of the caller', async () => {
    const { line } = await send({ path: '/v1/models', method: 'GET' });
    expectFields(line, caller);
    expect(line).toMatchObject({
      route: 'models',
      client_format: 'chat_completions',
      status: 200,
      attempts: 0,
      request_bytes: 0,
    });
  });

  it('of a refusal has only the fields that are known by then', async () => {
    const stranger = await send({ headers: {} });
    expectFields(stranger.line, failed);
    expect(stranger.line).toMatchObject({ route: 'chat', status: 401, level: 'info' });
    const malformed = await send({ fields: { stream: 'yes' } });
    expectFields(malformed.line, failed, caller);
  });

  it('is written when the response is finished, not before', async () => {
    gateway.simulator.script({ tokens: 5, pieceDelayMs: 30 });
    const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-vk': key.value, 'x-request-id': 'unfinished' },
      body: chatBody({ stream: true }),
    });
    let received = '';
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (!received.includes('[DONE]')) expect(accessLines(gateway, 'unfinished')).toEqual([]);
    }
    expect(await accessLine(gateway, 'unfinished')).toMatchObject({ status: 200 });
  });

  it('is written once per request, also for pipelined requests', async () => {
    const connection = await openConnection(gateway.proxy.port);
    const ids = Array.from({ length: 50 }, (_, index) => `pipelined-${index}`);
    for (const id of ids)
      connection.send(`GET /v1/models HTTP/1.1\r\nhost: g\r\nx-api-key: ${key.value}\r\nx-request-id: ${id}\r\n\r\n`);
    for (const id of ids) expect((await connection.respond()).headers.get('x-request-id')).toBe(id);
    connection.socket.destroy();
    for (const id of ids) expect(await accessLine(gateway, id)).toMatchObject({ status: 200 });
    expect(ids.map((id) => accessLines(gateway, id).length)).toEqual(ids.map(() => 1));
  });
});

describe('the metrics of requests', () => {
  /** How much the work increases each of these samples. */
  async function growth(samples: readonly (readonly [string, Record<string, string>])[], work: () => Promise<unknown>) {
    const read = () => Promise.all(samples.map(([name, labels]) => metric(gateway.proxy, name, labels)));
    const before = await read();
    await work();
    const after = await read();
    return after.map((value, index) => value - (before[index] ?? 0));
  }

  const requests = (labels: Record<string, string>) => ['gateway_requests_total', labels] as const;
  const provider = { gen_ai_provider_name: 'gpt-provider' };

  it('count a whole response, its attempt, its tokens, its cost and its time', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 4 };
    gateway.simulator.script({ usage });
    const labels = { provider: 'gpt-provider', model: 'gpt-4o-mini' };
    // 0.15 and 0.60 dollars a million.
    const cost = 11 * 150 + 4 * 600;
    const samples = [
      requests({
        ...{ route: 'chat', client_format: 'chat_completions', provider: 'gpt-provider' },
        ...{ status: '200', code: 'none', source: 'none' },
      }),
      ['gateway_attempts_total', { provider: 'gpt-provider' }],
      ['gateway_tokens_total', { ...labels, kind: 'input' }],
      ['gateway_tokens_total', { ...labels, kind: 'output' }],
      ['gateway_cost_nano_usd_total', labels],
      ['gateway_cost_usd_total', labels],
      ['gateway_overhead_seconds_count', {}],
      ['gen_ai_server_request_duration_seconds_count', { ...provider, error_type: 'none' }],
      ['gen_ai_client_token_usage_sum', { ...provider, gen_ai_token_type: 'input' }],
      ['gen_ai_client_token_usage_count', { ...provider, gen_ai_token_type: 'output' }],
      ['gen_ai_server_time_to_first_token_seconds_count', provider],
    ] as const;
    expect(await growth(samples, () => send())).toEqual([
      1,
      1,
      11,
      4,
      cost,
      expect.closeTo(cost / 1e9, 12),
      1,
      1,
      11,
      1,
      0,
    ]);
  });

  it("count requests by their client's format, and those without a route as none", async () => {
    const formats = ['messages', 'responses', 'generate_content', 'none'] as const;
    const samples = formats.map((name) => requests({ client_format: name, provider: 'none' }));
    const work = async () => {
      await send({ path: '/v1/messages?beta=true', headers: {} });
      await send({ path: '/openai/responses', headers: {} });
      await send({ path: '/v1beta/models/a:countTokens', headers: {} });
      await send({ path: '/v1/models', method: 'GET', headers: { 'anthropic-version': '2023-06-01' } });
      await send({ path: '/v1beta/nowhere' });
    };
    expect(await growth(samples, work)).toEqual([2, 1, 1, 1]);
  });

  it('count a count of tokens as a request of its own route, and as no response of a model', async () => {
    const count = { route: 'count', client_format: 'responses', provider: 'gpt-provider', status: '200' };
    const samples = [
      requests(count),
      ['gateway_attempts_total', { provider: 'gpt-provider' }],
      ['gateway_tokens_total', {}],
      ['gateway_cost_nano_usd_total', {}],
      ['gateway_estimated_requests_total', {}],
      ['gateway_unpriced_requests_total', {}],
      ['gen_ai_server_request_duration_seconds_count', provider],
      ['gen_ai_client_token_usage_count', provider],
    ] as const;
    const work = () => send({ path: '/v1/responses/input_tokens', fields: { messages: undefined, input: 'Hello' } });
    expect(await growth(samples, work)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
  });

  it('count the cost that the ledger settles as estimated when the provider reports no usage', async () => {
    gateway.simulator.script({ tokens: 5, usage: null });
    const cost = ['gateway_cost_nano_usd_total', { model: 'gpt-4o-mini' }] as const;
    const tokens = ['gateway_tokens_total', { model: 'gpt-4o-mini' }] as const;
    const [grownCost = 0, grownTokens] = await growth([cost, tokens], () => send());
    expect(grownCost).toBeGreaterThan(0);
    expect(grownTokens).toBe(0);
  });

  it('count no cost for a request that a provider refused', async () => {
    gateway.simulator.script({ status: 429 });
    expect(await growth([['gateway_cost_nano_usd_total', {}]], () => send())).toEqual([0]);
  });

  it('count a stream, and its time to the first token and per token', async () => {
    const samples = [
      requests({ status: '200' }),
      ['gen_ai_server_time_to_first_token_seconds_count', provider],
      ['gen_ai_server_time_per_output_token_seconds_count', provider],
    ] as const;
    expect(await growth(samples, () => send({ fields: { stream: true } }))).toEqual([1, 1, 1]);
  });

  it('count refusals by code, provider errors as one, callers that left, and malformed requests', async () => {
    const malformed = ['gateway_malformed_requests_total', { code: 'invalid_request' }] as const;
    const samples = [
      requests({ provider: 'none', status: '401', code: 'virtual_key_required', source: 'gateway' }),
      requests({ provider: 'gpt-provider', status: '418', code: 'provider_error', source: 'provider' }),
      requests({ status: '499', code: 'client_left', source: 'none' }),
      malformed,
      ['gateway_requests_total', {}],
    ] as const;
    const work = async () => {
      await send({ headers: {} });
      gateway.simulator.script({ status: 418, error: { code: 'teapot' } });
      await send();
      gateway.simulator.script({ headDelayMs: 900 });
      const abort = new AbortController();
      const leaving = fetch(`${gateway.proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-vk': key.value, 'x-request-id': 'leaving' },
        body: chatBody(),
        signal: abort.signal,
      }).catch(() => undefined);
      await until(() => gateway.simulator.requests.length === 2);
      abort.abort();
      await leaving;
      await accessLine(gateway, 'leaving');
      const connection = await openConnection(gateway.proxy.port);
      connection.send('no HTTP\r\n\r\n');
      await connection.respond();
    };
    expect(await growth(samples, work)).toEqual([1, 1, 1, 1, 3]);
  });

  it('count look-ups by tier', async () => {
    const fresh = await gateway.organization.createKey();
    const tier = (name: string) => ['gateway_key_lookups_total', { tier: name }] as const;
    const ask = () => send({ path: '/v1/models', method: 'GET', headers: { 'x-svc-vk': fresh.value } });
    expect(await growth([tier('control_plane'), tier('memory')], ask)).toEqual([1, 0]);
    expect(await growth([tier('control_plane'), tier('memory')], ask)).toEqual([0, 1]);
  });

  it('show the present state: requests in flight, buffered bytes, the age of the feed', async () => {
    gateway.simulator.script({ headDelayMs: 300 });
    const inFlight = send();
    await until(() => gateway.simulator.requests.length === 1);
    expect(await metric(gateway.proxy, 'gateway_in_flight_requests')).toBe(1);
    expect(await metric(gateway.proxy, 'gateway_buffered_bytes')).toBe(chatBody().length);
    await inFlight;
    expect(await metric(gateway.proxy, 'gateway_in_flight_requests')).toBe(0);
    expect(await metric(gateway.proxy, 'gateway_feed_age_seconds')).toBeLessThan(20);
    expect(await metric(gateway.proxy, 'gateway_in_flight_limit')).toBe(4096);
    expect(await metric(gateway.proxy, 'gateway_buffered_bytes_limit')).toBeGreaterThan(1_000_000);
  });

  it('have labels that neither a caller nor a provider can choose', async () => {
    const odd = 'evil"}\n\\name';
    const response = '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
    const upstream = await startRawUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${response.length}\r\n\r\n${response}`);
    });
    const proxy = await gateway.startProxy(upstream.settings);
    const headers = { 'content-type': 'application/json', 'x-svc-vk': key.value };
    for (const model of [
      'gpt-provider/made-up-1',
      'openai/made-up-2',
      'nobody/x',
      odd,
      `gpt-provider/${odd}`,
      'gpt-provider/__proto__',
    ]) {
      await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', headers, body: chatBody({ model }) });
    }
    for (const path of ['/evil', '/v1/evil/chat/completions', '/v1/models/evil', '/v1/models/gpt-provider%2Fevil']) {
      for (const method of ['GET', 'POST', 'DELETE', 'PURGE']) await fetch(proxy.url + path, { method, headers });
    }
    const connection = await openConnection(proxy.port);
    connection.send('EVIL / HTTP/1.1\r\nhost: evil\r\n\r\n');
    await connection.respond();
    await upstream.close();
    for (const error of [{ code: 'evil_code' }, { code: odd }]) {
      gateway.simulator.script({ status: 499, error });
      await send();
    }

    for (const adminUrl of [proxy.adminUrl, gateway.proxy.adminUrl]) {
      const text = await (await fetch(`${adminUrl}/metrics`)).text();
      expect(text).not.toMatch(/evil|made-up|nobody|__proto__|PURGE/);
      const samples = text.split('\n').filter((line) => /^(gateway_|gen_ai_)/.test(line));
      const labels = samples.flatMap((line) => [...line.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]);
      const unknown = labels.filter(([, name = '', value = '']) => knownLabels[name]?.(value) !== true);
      expect(unknown.map(([pair]) => pair)).toEqual([]);
      expect(labels.length).toBeGreaterThan(20);
    }
    expect(await metric(proxy, 'gateway_tokens_total', { model: 'other' })).toBeGreaterThan(0);
  });
});
