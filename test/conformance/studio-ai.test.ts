// The official SDK of the callers' format, through a whole gateway, to the hosted studio in each of its dialects: with
// a stored key whose URL is the dialect's, and with the caller's own key on the vendor's route.
import OpenAI, { APIError, AuthenticationError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ownHeaders, ownPath, storedKeys } from '../support/vendors.ts';
import { boil, messages } from './chat-client.ts';

type Message = OpenAI.ChatCompletionMessageParam;

/** Path of the base URL, and the models of that dialect. */
const dialects = {
  inference: {
    path: '/models',
    models: ['gpt-4o', 'gpt-5', 'Mistral-Large-3', 'DeepSeek-V3.2', 'team-chat'],
  },
  undated: { path: '/openai/v1', models: ['gpt-4o', 'gpt-5', 'Mistral-Large-3', 'Llama-3.3-70B-Instruct'] },
  dated: { path: '/openai', models: ['gpt-4o', 'gpt-5', 'gpt-4o-async-filter', 'gpt-4o-failing-filter'] },
  'host of one model': { path: '', models: ['Llama-3.3-70B-Instruct'] },
} as const;
type Dialect = keyof typeof dialects;

const everyModel = Object.entries(dialects).flatMap(([dialect, { models }]) =>
  models.map((model) => [dialect as Dialect, model] as const),
);

let gateway: TestGateway;
/** Virtual keys of organizations whose stored provider key is for one dialect. */
const keys = new Map<Dialect, string>();

beforeAll(async () => {
  gateway = await startGateway();
  for (const [dialect, { path }] of Object.entries(dialects)) {
    const { id, api, createKey } = await gateway.createOrganization(dialect.replaceAll(' ', '-'));
    const settings = { baseUrl: gateway.simulator.baseUrls['studio-ai'] + path };
    const { secret } = storedKeys['studio-ai'];
    await api.call('ProviderKeys/Create', {
      organizationId: id,
      provider: 'studio-ai',
      name: 's',
      secret,
      settings,
    });
    keys.set(dialect as Dialect, (await createKey()).value);
  }
  const { api, id } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

function clientOf(dialect: Dialect): OpenAI {
  return new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: keys.get(dialect) ?? '', maxRetries: 0 });
}

const received = () => gateway.simulator.requests.at(-1);
const failureOf = (pending: Promise<unknown>) =>
  pending.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(everyModel)('%s, %s', (dialect, deployment) => {
  const model = `studio-ai/${deployment}`;
  const create = (fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
    clientOf(dialect).chat.completions.create({ model, messages, ...fields });

  it('returns a completion', async () => {
    const completion = await create();
    expect(completion).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'stop', message: { content: expect.stringContaining('simulated') } }],
    });
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = completion.usage ?? {};
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  it('streams to a final completion, with usage if the caller requests it', async () => {
    const stream = clientOf(dialect).chat.completions.stream({
      ...{ model, messages, stream: true, stream_options: { include_usage: true } },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('simulated') },
    });
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  it('streams only chunks with a choice and a delta when no usage is requested', async () => {
    for await (const chunk of await clientOf(dialect).chat.completions.create({
      model,
      messages,
      stream: true,
    })) {
      expect(chunk).toMatchObject({
        id: expect.stringMatching(/./),
        choices: [{ delta: expect.any(Object) }],
      });
    }
  });

  it('accepts calls, their results and a further question, also streamed', async () => {
    const tools = [boil, { type: 'function' as const, function: { name: 'stir', parameters: { type: 'object' } } }];
    const effort = deployment === 'gpt-5' ? { reasoning_effort: 'low' as const } : {};
    gateway.simulator.script({
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '{}' },
      ],
    });
    const stream = clientOf(dialect).chat.completions.stream({
      model,
      messages,
      tools,
      ...effort,
      stream: true,
    });
    const request = (await stream.finalChatCompletion()).choices[0];
    expect(request?.finish_reason).toBe('tool_calls');
    const calls = request?.message.tool_calls ?? [];
    expect(calls).toHaveLength(2);
    const results: Message[] = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
    const called: Message[] = [...messages, ...(request ? [request.message] : []), ...results.toReversed()];
    const second = (await create({ tools, messages: called })).choices[0];
    expect(second?.message.content).toContain('simulated');
    const third = await create({
      tools,
      messages: [...called, ...(second ? [second.message] : []), ...messages],
    });
    expect(third.choices[0]?.finish_reason).toBe('stop');
  });

  it('accepts instructions anywhere, a question after results, and a response begun by the caller', async () => {
    const call = { id: 'toolu_01AbC-long_id_of_another_vendor', type: 'function' as const };
    const history: Message[] = [
      { role: 'developer', content: 'Be brief.' },
      ...messages,
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'assistant',
        content: 'Hm.',
        tool_calls: [{ ...call, function: { name: 'boil', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: call.id, content: 'done' },
      ...messages,
      { role: 'assistant', content: 'It' },
    ];
    // In a dated version the GPT models accept all of it unchanged.
    const completion = await create({ messages: history, tools: [boil] });
    expect(completion.choices[0]?.message.content).toContain('simulated');
  });

  it('stops at the output limit of either field', async () => {
    for (const limit of [{ max_tokens: 300 }, { max_completion_tokens: 300 }]) {
      gateway.simulator.script({ tokens: 400 });
      const completion = await create(limit);
      expect(completion.choices[0]?.finish_reason).toBe('length');
      expect(completion.usage?.completion_tokens).toBe(300);
    }
  });

  it('returns a response in a JSON schema', async () => {
    const completion = await clientOf(dialect).chat.completions.parse({
      model,
      messages,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'order',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, cups: { type: 'integer' } },
            required: ['name', 'cups'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ name: 'simulated', cups: 0 });
  });

  it('names dropped parameters in a header', async () => {
    const response = await create({ metadata: { team: 'tea' } }).asResponse();
    expect(response.headers.get('x-svc-dropped-params')).toBe('metadata');
  });

  it('returns errors with their code and retry time', async () => {
    gateway.simulator.script({ status: 429 });
    const limited = await failureOf(create());
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ code: 'rate_limit_exceeded' });
    expect((limited as APIError).headers?.get('retry-after')).toBe('12');
    gateway.simulator.script({ status: 503 });
    expect(await failureOf(create())).toMatchObject({ status: 503, code: 'server_is_overloaded' });
    gateway.simulator.script({ status: 400, error: { code: 'content_filter' } });
    expect(await failureOf(create())).toMatchObject({ status: 400, code: 'content_filter' });
  });

  it('never ends a broken stream as if it were complete', async () => {
    const consume = async () => {
      const request = { model, messages, stream: true, stream_options: { include_usage: true } } as const;
      for await (const _chunk of await clientOf(dialect).chat.completions.create(request));
    };
    gateway.simulator.script({ tokens: 8, errorAfterEvents: 5 });
    expect(await failureOf(consume())).toBeInstanceOf(APIError);
    gateway.simulator.script({ tokens: 8, stop: { by: 'cut', afterPieces: 6 } });
    expect(await failureOf(consume())).toBeInstanceOf(APIError);
    gateway.simulator.script({ tokens: 8, stop: { by: 'end', afterPieces: 6 } });
    expect(await failureOf(consume())).toBeInstanceOf(APIError);
  });
});

describe('models of the studio', () => {
  const create = (dialect: Dialect, fields: object) =>
    clientOf(dialect).chat.completions.create({
      ...({ messages, ...fields } as OpenAI.ChatCompletionCreateParamsNonStreaming),
    });

  it.each(['inference', 'undated', 'dated'] as const)('see images, sent as data: %s', async (dialect) => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url, detail: 'low' } },
    ];
    const completion = await create(dialect, {
      model: 'studio-ai/gpt-4o',
      messages: [{ role: 'user', content }],
    });
    expect(completion.choices).toHaveLength(1);
    expect(received()?.body.toString()).toContain(url);
  });

  it.each(['inference', 'undated', 'dated'] as const)('reason: %s', async (dialect) => {
    const request = { model: 'studio-ai/gpt-5', reasoning_effort: 'high', max_tokens: 2000 };
    const completion = await create(dialect, request);
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });

  it('return their thoughts, and take them back', async () => {
    gateway.simulator.script({ reasoning: 'Tea calms.' });
    const model = 'studio-ai/DeepSeek-R1-0528';
    const response = (await create('inference', { model })).choices[0]?.message;
    expect(response).toHaveProperty('reasoning_content', 'Tea calms.');
    const again = await create('inference', { model, messages: [...messages, response, ...messages] });
    expect(again.choices[0]?.message.content).toContain('simulated');
  });

  it('stop at one stop text or several', async () => {
    for (const stop of [' simulated', ['nothing', ' simulated']]) {
      const completion = await create('inference', { model: 'studio-ai/gpt-4o', stop });
      expect(completion.choices[0]?.message.content).toBe('This is a');
    }
  });

  it('call functions for callers who do not use tools', async () => {
    const model = 'studio-ai/Llama-3.3-70B-Instruct';
    const functions = [boil.function];
    gateway.simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const { choices } = await create('host of one model', { model, functions });
    const call = { name: 'boil', arguments: '{"cups":2}' };
    expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { function_call: call } });
    const history = [
      ...messages,
      choices[0]?.message,
      { role: 'function', name: 'boil', content: 'boiling' },
      ...messages,
    ];
    const second = await create('host of one model', { model, functions, messages: history });
    expect(second.choices[0]?.message.content).toContain('simulated');
  });

  it('are a 404 when their deployment does not exist', async () => {
    for (const dialect of ['inference', 'undated', 'dated'] as const) {
      const error = await failureOf(create(dialect, { model: 'studio-ai/nope' }));
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ code: 'model_not_found' });
    }
  });

  it('can be called by the vendor’s other names', async () => {
    for (const name of ['azure', 'azure-ai']) {
      const { response } = await clientOf('inference')
        .chat.completions.create({ model: `${name}/gpt-4o`, messages })
        .withResponse();
      expect(response.headers.get('x-svc-provider')).toBe('studio-ai');
    }
  });
});

describe('the vendor’s own route', () => {
  const clientWith = async (authorization: string, baseURL = `${gateway.proxy.url}${ownPath('studio-ai')}`) => {
    const { value } = await gateway.organization.createKey();
    const defaultHeaders = { authorization, 'project-api-key': value };
    return new OpenAI({ baseURL, apiKey: 'unused', maxRetries: 0, defaultHeaders });
  };
  const body = { model: 'gpt-4o', messages };

  it.each([
    ['a token', ownHeaders['studio-ai'].authorization],
    ['a key', 'Bearer sk-sim-own-plain'],
  ])('accepts %s', async (_what, authorization) => {
    const client = await clientWith(authorization);
    expect((await client.chat.completions.create(body)).choices[0]?.message.content).toContain('simulated');
    expect(received()?.headers.authorization).toBe(authorization);
    const stream = client.chat.completions.stream({ ...body, stream: true });
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe('stop');
  });

  it('returns a 401 for a wrong key of the caller', async () => {
    for (const wrong of ['Bearer sk-other', 'Bearer eyJ.eyJ.wrong']) {
      const client = await clientWith(wrong);
      const error = await failureOf(client.chat.completions.create(body));
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({ code: 'invalid_api_key' });
      expect((error as APIError).headers?.get('x-svc-error-source')).toBe('provider');
    }
  });

  it('inserts the endpoint only at the placeholder of the platform’s URL', async () => {
    const proxy = await gateway.startProxy({
      GATEWAY_STUDIO_AI_URL: `http://{endpoint}:${gateway.simulator.port}/studio-ai/models`,
      GATEWAY_ENDPOINT_HOST_SUFFIXES: '.0.0.1',
    });
    const at = (endpoint: string) =>
      clientWith(ownHeaders['studio-ai'].authorization, `${proxy.url}/v1/studio-ai/${endpoint}`);
    const good = await at('127.0.0.1');
    expect((await good.chat.completions.create(body)).choices).toHaveLength(1);
    const before = gateway.simulator.requests.length;
    for (const endpoint of ['localhost', '127.0.0.1.example', 'UPPER', '-a', 'a_b']) {
      const client = await at(endpoint);
      const error = await failureOf(client.chat.completions.create(body));
      expect(error).toMatchObject({ status: 400, code: 'invalid_endpoint' });
    }
    expect(gateway.simulator.requests).toHaveLength(before);
  });
});
