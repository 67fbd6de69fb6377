// A custom provider in the Responses format: the official SDKs of three formats as clients, and a simulated server that
// refuses what the API does not have.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { guardrailFields, openGuardrailFixture } from '../../support/guardrails/fixture.ts';
import { png } from '../../support/png.ts';
import { until } from '../../support/process.ts';
import { createBudget } from '../../support/spending.ts';

const model = 'in-house/gpt-4.1-mini';
const thinker = 'in-house/gpt-5';

let server: Simulator;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  server = await startSimulator({ host: '127.0.0.1', port: 0, modelServer: 'none' });
  const env = { GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${server.port}` };
  gateway = await startGateway({ controlPlane: env, proxy: env });
  const { api, id: organizationId, createKey } = gateway.organization;
  const prices = { input: '1', output: '2' };
  await api.call('Providers/Create', {
    ...{ organizationId, name: 'in-house', wireFormat: 'WIRE_FORMAT_RESPONSES', keyForm: 'KEY_FORM_NONE' },
    ...{ baseUrl: `${server.url}/v1`, passedFields: { fields: ['max_tool_calls'] } },
    models: { models: [{ name: 'gpt-4.1-mini', prices, maxInputTokens: 100_000, maxOutputTokens: 4096 }] },
  });
  key = (await createKey()).value;
  await until(async () => {
    const models = await openai().models.list();
    return models.data.some(({ id }) => id === model);
  });
});
beforeEach(() => server.reset());
afterAll(async () => {
  await gateway.close();
  await server.close();
});

const openai = (apiKey = key) => new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.proxy.url, apiKey: key, maxRetries: 0 });

function received() {
  const last = server.requests.at(-1);
  if (last === undefined) throw new Error('the server received nothing');
  return { target: last.target, body: last.json() as Record<string, unknown>, text: last.body.toString() };
}

const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' };

describe('a Responses client', () => {
  it('gets the server’s own response, and the server its bytes with nothing to store', async () => {
    const response = await openai().responses.create({ model, input: 'Hello', metadata: { team: 'web' } });
    expect(response.output_text).toContain('simulated');
    expect(response.id).toMatch(/^resp_[0-9a-f]+$/);
    const { target, text } = received();
    expect(target).toBe('/v1/responses');
    expect(text).toBe('{"model":"gpt-4.1-mini","input":"Hello","metadata":{"team":"web"},"store":false}');
  });

  it('gets its stream event by event', async () => {
    const final = await openai().responses.stream({ model, input: 'Hello' }).finalResponse();
    expect(final.output_text).toContain('simulated');
    expect(final.usage?.output_tokens).toBeGreaterThan(0);
  });

  it('cannot name another model, host or key, nor a field that nobody lists', async () => {
    const routing = {
      models: ['dear'],
      route: 'fallback',
      fallbacks: ['dear'],
      api_base: 'http://10.0.0.1',
      lora: 'x',
    };
    const params = { model, input: 'Hello', max_tool_calls: 3, ...routing };
    const { response } = await openai().responses.create(params).withResponse();
    expect(Object.keys(received().body).toSorted()).toEqual(['input', 'max_tool_calls', 'model', 'store']);
    expect(response.headers.get('x-svc-dropped-params')?.split(',').toSorted()).toEqual(
      Object.keys(routing).toSorted(),
    );
  });

  it('has the same when its request is too large for one tick', async () => {
    const input = 'large '.repeat(80_000);
    const params = { model, input, fallbacks: ['dear'], store: true };
    const { data, response } = await openai().responses.create(params).withResponse();
    expect(data.output_text).toContain('simulated');
    expect(received().body).toEqual({ model: 'gpt-4.1-mini', input, store: false });
    expect(response.headers.get('x-svc-dropped-params')).toBe('fallbacks');
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
  ])('cannot use what only the server’s account has: %s', async (param, fields) => {
    const pending = openai().responses.create({ model, input: 'Hello', ...fields });
    await expect(pending).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter', param });
    expect(server.requests).toEqual([]);
  });
});

describe.each(['whole', 'streamed'])('a client of chat completions, %s', (form) => {
  const complete = async (
    params: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model' | 'stream'>,
    name = model,
  ) => {
    const { completions } = openai().chat;
    if (form === 'whole') return completions.create({ model: name, ...params });
    return completions
      .stream({ model: name, ...params, stream_options: { include_usage: true } })
      .finalChatCompletion();
  };

  it('gets a completion of a translated request', async () => {
    const completion = await complete({
      max_completion_tokens: 100,
      temperature: 0.5,
      user: 'u1',
      stop: 'END',
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: 'Be brief, in JSON.' },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect(completion.choices[0]?.message.content).toBeTruthy();
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.completion_tokens).toBeGreaterThan(0);
    expect(received().body).toMatchObject({
      ...{ instructions: 'Be brief, in JSON.', max_output_tokens: 100, temperature: 0.5, user: 'u1', store: false },
      input: [{ type: 'message', role: 'user', content: 'Hello' }],
      text: { format: { type: 'json_object' } },
    });
  });

  it('calls tools and sends their results', async () => {
    server.script({ toolCalls: [oslo, { ...oslo, arguments: '{"city":"Rome"}' }] });
    const tools = [{ type: 'function' as const, function: weather }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
    const first = await complete({ messages, tools, tool_choice: { type: 'function', function: { name: 'weather' } } });
    expect(received().body).toMatchObject({
      tools: [{ type: 'function', name: 'weather', strict: false }],
      tool_choice: { type: 'function', name: 'weather' },
    });
    const [choice] = first.choices;
    const calls = choice?.message.tool_calls ?? [];
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(calls.map((call) => call.type === 'function' && call.function)).toMatchObject([
      oslo,
      { name: 'weather', arguments: '{"city":"Rome"}' },
    ]);
    if (choice === undefined) throw new Error('there is a choice');
    const second = await complete({
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: 'Let me see.', tool_calls: calls },
        ...calls.map(({ id }, index) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: index === 0 ? 'rain' : 'sun',
        })),
      ],
    });
    expect(second.choices[0]?.message.content).toContain('simulated');
    expect(received().body.input).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me see.' },
      { type: 'function_call', call_id: calls[0]?.id },
      { type: 'function_call', call_id: calls[1]?.id },
      { type: 'function_call_output', call_id: calls[0]?.id, output: 'rain' },
      { type: 'function_call_output', call_id: calls[1]?.id, output: 'sun' },
    ]);
  });

  it('sends images, a schema and an effort', async () => {
    const image = {
      type: 'image_url' as const,
      image_url: { url: `data:image/png;base64,${png}`, detail: 'low' as const },
    };
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    await complete(
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image] }],
        response_format: { type: 'json_schema', json_schema: { name: 'shape', schema, strict: true } },
        reasoning_effort: 'low',
      },
      thinker,
    );
    expect(received().body).toMatchObject({
      input: [
        {
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', detail: 'low' },
          ],
        },
      ],
      text: { format: { type: 'json_schema', name: 'shape', schema, strict: true } },
      reasoning: { effort: 'low' },
    });
  });
});

describe('a Messages client', () => {
  it('calls a tool', async () => {
    server.script({ toolCalls: [oslo] });
    const { parameters, ...named } = weather;
    const message = await anthropic().messages.create({
      model,
      max_tokens: 100,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ ...named, input_schema: parameters }],
    });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } });
    expect(received().body).toMatchObject({ instructions: 'Be brief.', max_output_tokens: 100 });
  });
});

describe('guardrails', () => {
  it('rewrite requests and responses of clients of both formats', async () => {
    const { organization } = gateway;
    const guardrails = openGuardrailFixture(gateway, organization, key);
    const check = { words: { phrases: ['swordfish'] } };
    await guardrails.replace(guardrailFields(['both', 'redact'], check));
    server.reset();
    const calls = [
      async () => (await openai().responses.create({ model, input: 'It is swordfish.' })).output_text,
      async () => {
        const messages = [{ role: 'user' as const, content: 'It is swordfish.' }];
        return (await openai().chat.completions.create({ model, messages })).choices[0]?.message.content;
      },
    ];
    for (const responded of calls) {
      server.script({ text: 'No, it is swordfish.' });
      expect(await responded()).not.toContain('swordfish');
      expect(received().text).not.toContain('swordfish');
    }
    await guardrails.clear();
  });
});

describe('money', () => {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const calls = (client: OpenAI, max = 100) => [
    () => client.responses.create({ model, input: 'Hello', max_output_tokens: max }).withResponse(),
    () => client.chat.completions.create({ model, messages, max_completion_tokens: max }).withResponse(),
  ];

  it('is charged by the listed price, for clients of both formats', async () => {
    for (const call of calls(openai())) {
      const { data, response } = await call();
      const { usage } = data;
      const [input, output] =
        usage && 'input_tokens' in usage
          ? [usage.input_tokens, usage.output_tokens]
          : [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0];
      expect(Number(response.headers.get('x-svc-cost'))).toBeCloseTo((input + 2 * output) / 1e6, 9);
    }
  });

  it('that a budget does not have is not spent', async () => {
    const { organization } = gateway;
    const limited = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: limited.id }, { amountUsd: '0.0001' });
    for (const call of calls(openai(limited.value), 1000)) await expect(call()).rejects.toMatchObject({ status: 402 });
    expect(server.requests).toEqual([]);
  });
});
