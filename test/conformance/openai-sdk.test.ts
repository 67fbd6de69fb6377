// The official SDK of the GPT vendor with the gateway as its base URL: the results that its users get.
import OpenAI, { APIError, AuthenticationError, NotFoundError, PermissionDeniedError, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let key: string;
const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const client = (apiKey = key, options: object = {}) =>
  new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey, maxRetries: 0, ...options });

beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.organization.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

describe('chat completions', () => {
  it('have the common shape', async () => {
    const { data, response, request_id } = await client()
      .chat.completions.create({ model, messages })
      .withResponse()
      .then(async (result) => ({ ...result }));
    expect(data).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: expect.any(String) } }],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
    expect(response.headers.get('x-svc-provider')).toBe('gpt-provider');
    expect(request_id).toBe(response.headers.get('x-request-id'));
  });

  it('stream to a final completion', async () => {
    const stream = client().chat.completions.stream({ model, messages });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toContain('simulated');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });

  it('end with a usage chunk for callers who request it, and for no others', async () => {
    const collect = async (options?: { include_usage: boolean }) => {
      const stream = await client().chat.completions.create({
        model,
        messages,
        stream: true,
        ...(options && { stream_options: options }),
      });
      const usages: unknown[] = [];
      for await (const chunk of stream) if (chunk.usage) usages.push(chunk.usage);
      return usages;
    };
    expect(await collect({ include_usage: true })).toHaveLength(1);
    expect(await collect()).toHaveLength(0);
  });

  it('call tools and take their results when the response is sent back unchanged', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'boil', parameters: { type: 'object' } } }];
    const first = await client().chat.completions.create({ model, messages, tools, tool_choice: 'required' });
    const response = first.choices[0]?.message;
    const call = response?.tool_calls?.[0];
    expect(call?.id).toEqual(expect.any(String));
    const second = await client().chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        ...(response ? [response] : []),
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'ok' },
      ],
    });
    const reply = second.choices[0]?.message;
    expect(reply?.content).toEqual(expect.any(String));
    const third = await client().chat.completions.create({
      model,
      messages: [
        ...messages,
        { role: 'assistant', content: reply?.content ?? '', refusal: null, tool_calls: [] },
        ...messages,
      ],
    });
    expect(third.choices[0]?.finish_reason).toBe('stop');
  });
});

describe('parameters that the vendor would refuse', () => {
  it('are renamed or dropped, and the dropped ones are named in a header', async () => {
    const { data, response } = await client()
      .chat.completions.create({
        ...{ model: 'gpt-provider/o4-mini', messages, max_tokens: 300, metadata: { team: 'tea' } },
      })
      .withResponse();
    expect(data.choices[0]?.message.content).toContain('simulated');
    expect(response.headers.get('x-svc-dropped-params')).toBe('metadata');
    const body = JSON.parse(gateway.simulator.requests.at(-1)?.body.toString() ?? '');
    expect(body).toMatchObject({ max_completion_tokens: 300 });
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('are removed from a history with traces of other providers', async () => {
    const id = 'call_1__sig_c2lnbmF0dXJl';
    const call = { id, type: 'function' as const, function: { name: 'boil', arguments: '{}' } };
    const response = { reasoning_content: 'Hm.', thinking_blocks: [{ type: 'thinking' }] };
    const completion = await client().chat.completions.create({
      model,
      messages: [
        ...messages,
        { role: 'assistant', content: '', tool_calls: [call], ...response },
        { role: 'tool', tool_call_id: id, content: 'done' },
      ],
    });
    expect(completion.choices[0]?.message.content).toContain('simulated');
  });
});

describe('the list of models', () => {
  it('contains what the key may call, and each model can be retrieved alone', async () => {
    const listed = await client().models.list();
    const ids = listed.data.map(({ id }) => id);
    expect(ids).toContain(model);
    expect(ids.every((id) => id.startsWith('gpt-provider/'))).toBe(true);
    expect(await client().models.retrieve(model)).toMatchObject({
      id: model,
      object: 'model',
      owned_by: 'gpt-provider',
    });
    const narrow = await gateway.organization.createKey({
      allowedModels: { globs: ['gpt-provider/gpt-4o*'] },
    });
    const narrowed = await client(narrow.value).models.list();
    expect(narrowed.data.length).toBeGreaterThan(0);
    expect(narrowed.data.every(({ id }) => id.startsWith('gpt-provider/gpt-4o'))).toBe(true);
    await expect(client(narrow.value).models.retrieve('gpt-provider/gpt-4.1')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('a typed error', () => {
  const create = (fields: object = {}, apiKey?: string) =>
    client(apiKey).chat.completions.create({ model, messages, ...fields });

  it('is AuthenticationError for 401', async () => {
    const error = await create({}, 'sk-svc-unknown').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'access_not_found', type: 'authentication_error' });
  });

  it('is PermissionDeniedError for 403', async () => {
    const narrow = await gateway.organization.createKey({
      allowedModels: { globs: ['gpt-provider/gpt-4.1'] },
    });
    const error = await create({}, narrow.value).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ status: 403, code: 'model_not_allowed', param: 'model' });
  });

  it('is NotFoundError for 404', async () => {
    const error = await create({ model: 'nobody/gpt-4o' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it("is RateLimitError with a retry time for a provider's 429", async () => {
    gateway.simulator.script({ status: 429, headers: { 'retry-after': '7' } });
    const error = await create().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as APIError).headers?.get('retry-after')).toBe('7');
    expect((error as APIError).headers?.get('x-svc-error-source')).toBe('provider');
  });

  it('is APIError for 502 when the provider breaks off', async () => {
    gateway.simulator.script({ stop: { by: 'reset', beforeHead: true } }, { times: 2 });
    const error = await create().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 502, code: 'upstream_unreachable', type: 'server_error' });
  });

  it('is thrown for an error inside a stream, which never ends cleanly', async () => {
    gateway.simulator.script({ tokens: 5, errorAfterEvents: 3 });
    const consume = async () => {
      const stream = await client().chat.completions.create({ model, messages, stream: true });
      for await (const _chunk of stream);
    };
    await expect(consume()).rejects.toBeInstanceOf(APIError);
  });
});
