// Routes that cache responses, through the vendors' own SDKs and a real Redis: equal requests get the cached response,
// whole or streamed, in the format of each client; and what it costs.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { hello, useCachedGateway } from '../../support/cached-gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequest, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';
import { logged, metric } from '../../support/telemetry.ts';

const cached = useCachedGateway();
const { createRoute, whole, streamed, storing, vendorCalls } = cached;
const claude = 'assistant-provider/claude-haiku-4-5';

describe('an equal request', () => {
  it('gets the cached whole response, whole and as a stream', async () => {
    await createRoute();
    cached.gateway.simulator.script({ text: 'first response' });
    const first = await storing(() => whole());
    expect([first.text, first.cache]).toEqual(['first response', 'miss']);
    const second = await whole({ user: 'another', metadata: { any: 'thing' } });
    expect([second.cache, second.data]).toEqual(['hit', first.data]);
    const third = await streamed();
    expect([third.text, third.cache]).toEqual(['first response', 'hit']);
    expect(third.chunks.some(({ usage }) => usage)).toBe(false);
    const fourth = await streamed({ stream_options: { include_usage: true } });
    expect(fourth.chunks.at(-1)?.usage).toMatchObject({ ...first.data.usage, x_svc_cost: '0' });
    expect(vendorCalls()).toBe(1);
    expect(second.headers.get('x-svc-cost')).toBe('0');
    expect(second.headers.get('x-svc-attempts')).toBeNull();
    expect(second.headers.get('x-svc-provider')).toBe('gpt-provider');
  });

  it('gets the cached stream, event by event and whole, with its usage and without', async () => {
    await createRoute();
    cached.gateway.simulator.script({ text: 'a stream of words', pieceBytes: [40] });
    const first = await storing(() => streamed());
    expect([first.text, first.cache]).toEqual(['a stream of words', 'miss']);
    // The provider was requested to report usage, and the caller had not requested it.
    expect(first.chunks.some(({ usage }) => usage)).toBe(false);
    const second = await streamed();
    expect([second.cache, second.chunks]).toEqual(['hit', first.chunks]);
    const third = await whole();
    expect([third.text, third.cache, third.data.object]).toEqual(['a stream of words', 'hit', 'chat.completion']);
    expect(third.data.usage?.completion_tokens).toBeGreaterThan(0);
    const fourth = await streamed({ stream_options: { include_usage: true } });
    expect(fourth.chunks.at(-1)?.usage).toMatchObject({ ...third.data.usage, x_svc_cost: '0' });
    expect(vendorCalls()).toBe(1);
    const messages = [{ role: 'user', content: 'Another' }];
    const paid = await streamed({ messages, stream_options: { include_usage: true } });
    expect(paid.chunks.at(-1)?.usage).toMatchObject({ x_svc_cost: expect.stringMatching(/^0\.0+[1-9]/) });
  });

  it('gets the calls of the cached response', async () => {
    await createRoute();
    const toolCalls = [{ name: 'look_up', arguments: '{"n":1.0}' }];
    cached.gateway.simulator.script({ text: '', toolCalls });
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }];
    const first = await storing(() => whole({ tools }));
    const calls = first.data.choices[0]?.message.tool_calls;
    expect(calls).toMatchObject([{ function: { name: 'look_up', arguments: '{"n":1.0}' } }]);
    const { chunks, cache } = await streamed({ tools });
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect([cache, pieces[0]?.id]).toEqual(['hit', calls?.[0]?.id]);
    expect(pieces.map((piece) => piece.function?.arguments ?? '').join('')).toBe('{"n":1.0}');
  });

  it('is on the request’s log line and counted', async () => {
    await createRoute();
    const count = (result: string) => metric(cached.gateway.proxy, 'gateway_response_cache_requests_total', { result });
    const [hits, misses] = [await count('hit'), await count('miss')];
    const first = await storing(() => whole());
    const second = await whole();
    const lines = () => logged(cached.gateway.logs, 'request').filter(({ cache }) => cache !== undefined);
    const of = (headers: Headers) => lines().find((line) => line.request_id === headers.get('x-request-id'));
    expect(await until(() => of(second.headers))).toMatchObject({ cache: 'hit', attempts: 0, model_route: 'faq' });
    expect(of(first.headers)).toMatchObject({ cache: 'miss', attempts: 1 });
    expect([(await count('hit')) - hits, (await count('miss')) - misses]).toEqual([1, 1]);
  });
});

describe('clients of every format', () => {
  const route = { groups: [{ targets: [{ model: claude }] }] };
  const respondingOnce = () => cached.gateway.simulator.script({ text: 'the response', reasoning: 'thought before' });

  it('of Messages', async () => {
    await createRoute({}, route);
    respondingOnce();
    const { key, gateway } = cached;
    const client = new Anthropic({ apiKey: key.value, baseURL: gateway.proxy.url, maxRetries: 0 });
    const body = {
      model: 'faq',
      max_tokens: 2000,
      messages: hello,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    };
    const params = body as Anthropic.MessageCreateParamsNonStreaming;
    const first = await storing(() => client.messages.create(params).withResponse());
    const second = await client.messages.create({ ...params, metadata: { user_id: 'other' } }).withResponse();
    expect([first, second].map(({ response }) => response.headers.get('x-svc-cache'))).toEqual(['miss', 'hit']);
    expect(second.data).toEqual(first.data);
    expect(first.data.content).toMatchObject([
      { type: 'thinking', thinking: 'thought before', signature: expect.stringMatching(/./) },
      { type: 'text', text: 'the response' },
    ]);
    const streamed = await client.messages.stream(params).finalMessage();
    expect(streamed.content).toMatchObject(
      first.data.content.map(({ type, ...fields }) => ({ type, ...withoutNull(fields) })),
    );
    const beta = { headers: { 'anthropic-beta': 'made-up-2026-01-01' } };
    expect((await client.messages.create(params, beta).withResponse()).response.headers.get('x-svc-cache')).toBe(
      'miss',
    );
    expect(vendorCalls()).toBe(2);
  });

  it('of Responses, from a stream', async () => {
    await createRoute({}, route);
    respondingOnce();
    const client = cached.openai();
    const body = { model: 'faq', input: 'Hello' };
    const events = await storing(async () => {
      const { data, response } = await client.responses.create({ ...body, stream: true }).withResponse();
      expect(response.headers.get('x-svc-cache')).toBe('miss');
      const received: string[] = [];
      for await (const event of data) received.push(event.type);
      return received;
    });
    expect(events.at(-1)).toBe('response.completed');
    const metadata = { mine: 'only' };
    const { data, response } = await client.responses.create({ ...body, metadata }).withResponse();
    expect([data.output_text, response.headers.get('x-svc-cache')]).toEqual(['the response', 'hit']);
    // What the response repeats of its request is this one's.
    expect(data.metadata).toEqual(metadata);
    expect((await client.responses.create(body)).metadata).toEqual({});
    expect(vendorCalls()).toBe(1);
  });

  it('of generateContent, also as a JSON array', async () => {
    await createRoute({}, route);
    respondingOnce();
    const { key, gateway } = cached;
    const google = new GoogleGenAI({ apiKey: key.value, httpOptions: { baseUrl: gateway.proxy.url } });
    const request = { model: 'faq', contents: 'Hello' };
    expect((await storing(() => google.models.generateContent(request))).text).toBe('the response');
    let text = '';
    for await (const piece of await google.models.generateContentStream(request)) text += piece.text ?? '';
    expect(text).toBe('the response');
    const response = await fetch(`${gateway.proxy.url}/v1beta/models/faq:streamGenerateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key.value },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }], role: 'user' }] }),
    });
    expect(response.headers.get('x-svc-cache')).toBe('hit');
    expect(JSON.stringify(await response.json())).toContain('the response');
    expect(vendorCalls()).toBe(1);
  });

  it('of Converse', async () => {
    await createRoute({}, route);
    respondingOnce();
    const requestHandler = new NodeHttpHandler();
    const client = new BedrockRuntimeClient({
      ...{ endpoint: cached.gateway.proxy.url, region: 'eu-west-1', token: { token: cached.key.value } },
      ...{ authSchemePreference: ['httpBearerAuth'], requestHandler, maxAttempts: 1 },
    });
    const input = { modelId: 'faq', messages: [{ role: 'user' as const, content: [{ text: 'Hello' }] }] };
    const first = await storing(() => client.send(new ConverseCommand(input)));
    expect(first.output?.message?.content?.at(-1)).toEqual({ text: 'the response' });
    let text = '';
    const { stream = [] } = await client.send(new ConverseStreamCommand(input));
    for await (const event of stream) text += event.contentBlockDelta?.delta?.text ?? '';
    expect(text).toBe('the response');
    expect(vendorCalls()).toBe(1);
    requestHandler.destroy();
  });
});

function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

describe('a cached response', () => {
  const recorded = (headers: Headers) =>
    recordedRequest(
      { controlPlane: cached.gateway.controlPlane, organization: cached.organization },
      headers.get('x-request-id') ?? '',
    );
  const limit = (kind: string, count: number) =>
    cached.organization.api.call('Limits/Create', {
      ...{ organizationId: cached.organization.id, kind: `LIMIT_KIND_${kind}`, count },
      subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: cached.key.id },
    });

  it('costs nothing, and has a row of usage without tokens and attempts', async () => {
    const { organization, key } = cached;
    const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    await createRoute();
    const first = await storing(() => whole());
    const [paid, free] = [await recorded(first.headers), await recorded((await whole()).headers)];
    expect(costOf(paid)).toBeGreaterThan(0);
    expect(free).toMatchObject({ attempts: 0, promptTokens: 0, completionTokens: 0, status: 200, estimated: false });
    expect([costOf(free), free.providerKeyId, free.modelAsked]).toEqual([0, undefined, paid.modelAsked]);
    await expect
      .poll(async () => (await wholeLedger(organization, budget)).map(({ spent }) => spent))
      .toEqual([costOf(paid)]);
  });

  it('costs a part of its price, exactly, if the route says so', async () => {
    const { organization, key } = cached;
    const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    await createRoute({ pricePercent: 7 });
    cached.gateway.simulator.script({ usage: { prompt_tokens: 11, completion_tokens: 5 } });
    const paid = await recorded((await storing(() => whole())).headers);
    // 0.15 and 0.60 dollars a million: 4,650 nano-dollars, of which 7 % are 325.5.
    expect(costOf(paid)).toBe(4650);
    const hit = await whole();
    expect([hit.cache, hit.headers.get('x-svc-cost')]).toEqual(['hit', '0.000000326']);
    expect([costOf(await recorded(hit.headers)), (await recorded(hit.headers)).promptTokens]).toEqual([326, 0]);
    const spent = async () => (await wholeLedger(organization, budget)).map((window) => window.spent);
    await expect.poll(spent).toEqual([4650 + 326]);
  });

  it('is returned under a spent budget, unless the route charges for it', async () => {
    const { organization, key } = cached;
    await createRoute();
    await createRoute({ pricePercent: 100 }, { name: 'paid' });
    await storing(() => whole());
    await storing(() => whole({ model: 'paid' }));
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.000001' });
    const refused = () =>
      whole({ messages: [{ role: 'user', content: String(Math.random()) }] }).catch(({ status }) => status);
    await until(async () => (await refused()) === 402, { what: 'the budget to reach the proxy' });
    // The budget has changed the key's record, which is no part of what is stored.
    expect((await whole()).cache).toBe('hit');
    await expect(whole({ model: 'paid' })).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
  });

  it('counts as a request, and its tokens count only if the route charges for it', async () => {
    await createRoute();
    await createRoute({ pricePercent: 100 }, { name: 'paid' });
    await storing(() => whole());
    await storing(() => whole({ model: 'paid' }));
    const another = { messages: [{ role: 'user', content: 'Another request' }] };
    const status = (fields: object) =>
      whole(fields).then(
        () => 200,
        (error) => error.status,
      );
    await limit('TOKENS_PER_MINUTE', 10);
    await until(async () => (await status(another)) === 400, { what: 'the limit of tokens to reach the proxy' });
    for (let hit = 0; hit < 3; hit++) expect((await whole()).cache).toBe('hit');
    // Its tokens are more than the limit ever admits, so it takes all of it.
    expect([await status({ model: 'paid' }), await status({ model: 'paid' })]).toEqual([200, 429]);
    await limit('REQUESTS_PER_MINUTE', 3);
    await until(async () => (await whole()).headers.get('x-ratelimit-limit-requests') === '3').catch(() => undefined);
    await expect.poll(() => status({})).toBe(429);
  });
});
