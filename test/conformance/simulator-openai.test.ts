// The vendor's own SDK against the simulator, nothing between them: what the gateway's tests lean on is what the SDK accepts.
import OpenAI, {
  APIConnectionError,
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';

let simulator: Simulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientWith('sk-sim-conformance');
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientWith(apiKey: string, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey, baseURL: simulator.baseUrls['gpt-provider'], maxRetries });
}

const model = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'hello' }];

describe('the SDK', () => {
  it('creates a completion and reads its request id', async () => {
    const completion = await client.chat.completions.create({ model, messages });
    expect(completion.choices[0]?.message.content).toContain('simulated');
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

  it('iterates raw chunks', async () => {
    const chunks = [];
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
      chunks.push(chunk);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('lists and retrieves models', async () => {
    const names = [];
    for await (const one of client.models.list()) names.push(one.id);
    expect(names).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
    await expect(client.models.retrieve('openai/gpt-4o')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('calls a tool and sends its result back, streaming', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'boil',
          parameters: {
            type: 'object',
            properties: { cups: { type: 'integer', minimum: 1 } },
            required: ['cups'],
          },
        },
      },
    ];
    const first = client.chat.completions.stream({ model, messages, tools, tool_choice: 'required' });
    const asked = (await first.finalChatCompletion()).choices[0]?.message;
    const call = asked?.tool_calls?.[0];
    if (asked === undefined || call === undefined) throw new Error('no tool call');
    expect(call).toMatchObject({ type: 'function', function: { name: 'boil', arguments: '{"cups":1}' } });
    const second = await client.chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: asked.content, tool_calls: asked.tool_calls ?? [] },
        { role: 'tool', tool_call_id: call.id, content: 'boiling' },
      ],
    });
    expect(second.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.any(String) },
    });
  });

  it('runs tools by itself until the model answers in words', async () => {
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const cups: number[] = [];
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'boil',
            description: 'boils water',
            parameters: { type: 'object', properties: { cups: { type: 'integer' } } },
            parse: JSON.parse,
            function: (args: { cups: number }) => {
              cups.push(args.cups);
              return 'boiling';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('simulated');
    expect(cups).toEqual([2]);
    expect(simulator.requests).toHaveLength(2);
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

  it('takes an answer back as history as it came', async () => {
    const { choices } = await client.chat.completions.create({ model, messages });
    const answer = choices[0]?.message;
    if (answer === undefined) throw new Error('no answer');
    const again = await client.chat.completions.create({
      model,
      messages: [...messages, answer, ...messages],
    });
    expect(again.choices[0]?.message.content).toContain('3 messages');
  });
});

describe('the SDK’s errors', () => {
  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [409, ConflictError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
    [500, InternalServerError],
    [502, InternalServerError],
    [503, InternalServerError],
  ])('tell status %i by its class', async (status, kind) => {
    simulator.script({ status, error: { message: 'as scripted', code: 'scripted', param: 'model' } });
    const error = await client.chat.completions
      .create({ model, messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      status,
      code: 'scripted',
      param: 'model',
      message: expect.stringContaining('as scripted'),
      requestID: expect.stringMatching(/^req_/),
    });
  });

  it('tell a wrong key and a wrong parameter without a script', async () => {
    await expect(clientWith('sk-other').models.list()).rejects.toBeInstanceOf(AuthenticationError);
    const wrong = { model, messages, nonsense: true };
    await expect(client.chat.completions.create(wrong)).rejects.toMatchObject({
      status: 400,
      code: 'unknown_parameter',
      param: 'nonsense',
    });
  });

  it('tell an error event in a stream', async () => {
    simulator.script({ tokens: 5, errorAfterEvents: 2 });
    const stream = client.chat.completions.stream({ model, messages });
    const error = await stream.finalChatCompletion().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ type: 'server_error' });
  });

  it('tell a stream that was cut, and a connection that was reset', async () => {
    simulator.script({ tokens: 50, stop: { by: 'cut', afterPieces: 10 } });
    await expect(client.chat.completions.stream({ model, messages }).finalChatCompletion()).rejects.toThrow();
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    await expect(client.chat.completions.create({ model, messages })).rejects.toBeInstanceOf(
      APIConnectionError,
    );
  });

  it('do not appear where a retry helps', async () => {
    simulator.script({ status: 503, headers: { 'retry-after-ms': '1' } });
    const completion = await clientWith('sk-sim-x', 1).chat.completions.create({ model, messages });
    expect(completion.choices).toHaveLength(1);
    expect(simulator.requests.map((request) => request.status)).toEqual([503, 200]);
  });
});
