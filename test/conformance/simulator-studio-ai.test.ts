// The SDK's two clients for the hosted model studio against the simulator, nothing between them: dated deployments by the
// one, the undated API by the other. The inference API has no client here, so its test speaks HTTP itself.
import OpenAI, {
  APIConnectionError,
  APIError,
  AuthenticationError,
  AzureOpenAI,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

interface Options {
  readonly apiKey?: string;
  readonly apiVersion?: string;
  readonly maxRetries?: number;
}

function dated({
  apiKey = 'sk-sim-x',
  apiVersion = '2024-10-21',
  maxRetries = 0,
}: Options = {}): AzureOpenAI {
  return new AzureOpenAI({ endpoint: simulator.baseUrls['studio-ai'], apiKey, apiVersion, maxRetries });
}

function undated({ apiKey = 'sk-sim-x', maxRetries = 0 }: Options = {}): OpenAI {
  return new OpenAI({ baseURL: `${simulator.baseUrls['studio-ai']}/openai/v1`, apiKey, maxRetries });
}

const model = 'gpt-4o';
const messages = [{ role: 'user' as const, content: 'hello' }];
const boil = {
  type: 'function' as const,
  function: {
    name: 'boil',
    parameters: {
      type: 'object',
      properties: { cups: { type: 'integer', minimum: 1 } },
      required: ['cups'],
      additionalProperties: false,
    },
  },
};

describe.each<readonly [string, (options?: Options) => OpenAI]>([
  ['dated', dated],
  ['undated', undated],
])('the SDK’s %s client', (_name, clientWith) => {
  let client: OpenAI;
  beforeAll(() => {
    client = clientWith();
  });

  it('creates a completion and reads its request id', async () => {
    const completion = await client.chat.completions.create({ model, messages });
    expect(completion.choices[0]?.message.content).toContain('simulated');
    expect(completion.model).toBe('gpt-4o-2024-11-20');
    expect(completion._request_id).toMatch(/^req_/);
  });

  it('streams to a final completion with usage', async () => {
    const stream = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(deltas.length).toBeGreaterThan(5);
    expect(final.choices[0]?.message.content).toBe(deltas.join(''));
    expect(final.usage).toMatchObject({ total_tokens: expect.any(Number) });
  });

  it('iterates raw chunks, the first without choices', async () => {
    const chunks = [];
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      chunks.push(chunk);
    }
    expect(chunks[0]).toMatchObject({ id: '', choices: [], prompt_filter_results: [{}] });
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('iterates a stream whose filter works alongside', async () => {
    const texts = [];
    const asked = { model: 'gpt-4o-async-filter', messages, stream: true } as const;
    for await (const chunk of await client.chat.completions.create(asked)) {
      // Against the SDK's type: such frames have no delta.
      texts.push(chunk.choices[0]?.delta?.content ?? '');
    }
    expect(texts.join('')).toContain('simulated');
  });

  it('lists models', async () => {
    const names = [];
    for await (const one of client.models.list()) names.push(one.id);
    expect(names).toContain('gpt-4o-2024-11-20');
  });

  it('calls several tools and sends their results back, streaming', async () => {
    const stir = {
      type: 'function' as const,
      function: { name: 'stir', parameters: { type: 'object', properties: {} } },
    };
    const tools = [boil, stir];
    const first = client.chat.completions.stream({
      model,
      messages,
      tools,
      tool_choice: 'required',
      parallel_tool_calls: true,
    });
    const asked = (await first.finalChatCompletion()).choices[0];
    const calls = asked?.message.tool_calls ?? [];
    expect(asked?.finish_reason).toBe('tool_calls');
    expect(calls).toMatchObject([
      { type: 'function', function: { name: 'boil', arguments: '{"cups":1}' } },
      { type: 'function', function: { name: 'stir', arguments: '{}' } },
    ]);
    const second = await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: calls },
        ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' })),
      ],
    });
    expect(second.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.any(String) },
    });
  });

  it('shows images', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
          ],
        },
      ],
    });
    expect(completion.choices).toHaveLength(1);
  });

  it('parses an answer by a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, cups: { type: 'integer' } },
      required: ['name', 'cups'],
      additionalProperties: false,
    };
    const completion = await client.chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'order', schema, strict: true } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ name: 'simulated', cups: 0 });
  });

  it('is told of limits and stops', async () => {
    const cut = await client.chat.completions.create({ model, messages, max_tokens: 5 });
    expect(cut).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 5 } });
    const stopped = await client.chat.completions.create({ model, messages, stop: ' simulated' });
    expect(stopped.choices[0]?.message.content).toBe('This is a');
  });

  it('takes an answer back as history as it came', async () => {
    const { choices } = await client.chat.completions.create({ model, messages });
    const answer = choices[0]?.message;
    if (answer === undefined) throw new Error('no answer');
    const asked = { model, messages: [...messages, answer, ...messages] };
    const again = await client.chat.completions.create(asked);
    expect(again.choices[0]?.message.content).toContain('3 messages');
  });

  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
    [500, InternalServerError],
    [503, InternalServerError],
  ])('tells status %i by the error’s class', async (status, kind) => {
    simulator.script({ status, error: { message: 'as scripted', code: 'scripted' } });
    const error = await client.chat.completions
      .create({ model, messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      status,
      code: 'scripted',
      message: expect.stringContaining('as scripted'),
    });
  });

  it('tells a prompt that the filter refused', async () => {
    simulator.script({ status: 400, error: { code: 'content_filter' } });
    const error = await client.chat.completions
      .create({ model, messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 400,
      code: 'content_filter',
      param: 'prompt',
      error: { innererror: { code: 'ResponsibleAIPolicyViolation' } },
    });
  });

  it('tells an error event in a stream, and a stream that was cut', async () => {
    simulator.script({ tokens: 5, errorAfterEvents: 3 });
    const stream = client.chat.completions.stream({ model, messages });
    const error = await stream.finalChatCompletion().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'InternalServerError' });
    simulator.script({ tokens: 50, stop: { by: 'cut', afterPieces: 10 } });
    await expect(client.chat.completions.stream({ model, messages }).finalChatCompletion()).rejects.toThrow();
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    const reset = client.chat.completions.create({ model, messages });
    await expect(reset).rejects.toBeInstanceOf(APIConnectionError);
  });

  it('comes again where that helps', async () => {
    simulator.script({ status: 429, headers: { 'retry-after': '0', 'retry-after-ms': '1' } });
    const completion = await clientWith({ maxRetries: 1 }).chat.completions.create({ model, messages });
    expect(completion.choices).toHaveLength(1);
    expect(simulator.requests.map((request) => request.status)).toEqual([429, 200]);
  });

  it('tells a wrong key, an unknown deployment and a wrong parameter without a script', async () => {
    const create = (client: OpenAI, change: object = {}) =>
      client.chat.completions.create({ model, messages, ...change });
    await expect(create(clientWith({ apiKey: 'wrong' }))).rejects.toMatchObject({ status: 401, code: '401' });
    await expect(create(client, { model: 'nope' })).rejects.toMatchObject({
      status: 404,
      code: 'DeploymentNotFound',
    });
    await expect(create(client, { nonsense: 1 })).rejects.toMatchObject({
      status: 400,
      code: 'unknown_parameter',
    });
  });
});

describe('the SDK’s dated client', () => {
  it('comes with a directory’s token', async () => {
    const client = new AzureOpenAI({
      endpoint: simulator.baseUrls['studio-ai'],
      azureADTokenProvider: async () => 'eyJh.eyJh.sk-sim-token',
      apiVersion: '2024-10-21',
    });
    const completion = await client.chat.completions.create({ model, messages });
    expect(completion.choices).toHaveLength(1);
    expect(simulator.requests[0]?.headers.authorization).toBe('Bearer eyJh.eyJh.sk-sim-token');
  });

  it('is told of another version', async () => {
    const client = dated({ apiVersion: '2020-01-01' });
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('Resource not found'),
    });
  });

  it('reasons in later versions', async () => {
    const asked = { model: 'o4-mini', messages, reasoning_effort: 'high' } as const;
    const completion = await dated({ apiVersion: '2025-04-01-preview' }).chat.completions.create(asked);
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBe(256);
    await expect(dated().chat.completions.create(asked)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the inference API', () => {
  it('carries a conversation with tools of a make that is strict about ids', async () => {
    const url = `${simulator.baseUrls['studio-ai']}/models/chat/completions?api-version=2024-05-01-preview`;
    const ask = async (list: readonly object[]) => {
      const body = {
        model: 'Mistral-Large-3',
        messages: list,
        tools: [boil],
        tool_choice: list.length === 1 ? 'required' : 'auto',
      };
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'api-key': 'sk-sim-x', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
    };
    const { message } = (await ask(messages)).choices[0];
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'boiling' };
    const { choices } = await ask([
      ...messages,
      { role: 'assistant', tool_calls: message.tool_calls },
      result,
    ]);
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) } });
  });
});
