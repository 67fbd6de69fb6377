// Tests of the vendor's SDK against the simulator, shared by all clients of the SDK.
import type OpenAI from 'openai';
import {
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
import { beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/index.ts';

export interface ClientOptions {
  readonly apiKey?: string;
  readonly maxRetries?: number;
}

export interface ChatClient {
  readonly clientWith: (options?: ClientOptions) => OpenAI;
  readonly simulator: () => Simulator;
  readonly model: string;
}

export const messages = [{ role: 'user' as const, content: 'hello' }];
export const boil = {
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

export function describeChatClient(name: string, chat: ChatClient): void {
  describe(`the SDK’s ${name}`, () => {
    let client: OpenAI;
    beforeAll(() => {
      client = chat.clientWith();
    });
    testResponses(chat, () => client);
    errors(chat, () => client);
  });
}

function testResponses({ model, simulator }: ChatClient, client: () => OpenAI): void {
  it('creates a completion and reads its request id', async () => {
    const completion = await client().chat.completions.create({ model, messages });
    expect(completion.choices[0]?.message.content).toContain('simulated');
    expect(completion._request_id).toMatch(/^req_/);
  });

  it('streams to a final completion with usage', async () => {
    const request = { model, messages, stream_options: { include_usage: true } };
    const stream = client().chat.completions.stream(request);
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(deltas.length).toBeGreaterThan(5);
    expect(final.choices[0]?.message.content).toBe(deltas.join(''));
    expect(final.usage).toMatchObject({ total_tokens: expect.any(Number) });
  });

  it('iterates raw chunks', async () => {
    const chunks = [];
    for await (const chunk of await client().chat.completions.create({ model, messages, stream: true }))
      chunks.push(chunk);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('calls several tools and sends their results back, streaming', async () => {
    const stir = { name: 'stir', parameters: { type: 'object', properties: {} } };
    const tools = [boil, { type: 'function' as const, function: stir }];
    const wanted = { tools, tool_choice: 'required', parallel_tool_calls: true } as const;
    const first = client().chat.completions.stream({ model, messages, ...wanted });
    const request = (await first.finalChatCompletion()).choices[0];
    const calls = request?.message.tool_calls ?? [];
    expect(request?.finish_reason).toBe('tool_calls');
    expect(calls).toMatchObject([
      { type: 'function', function: { name: 'boil', arguments: '{"cups":1}' } },
      { type: 'function', function: { name: 'stir', arguments: '{}' } },
    ]);
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
    const second = await client().chat.completions.create({
      model,
      tools,
      messages: [...messages, { role: 'assistant', content: null, tool_calls: calls }, ...results],
    });
    const response = { finish_reason: 'stop', message: { content: expect.any(String) } };
    expect(second.choices[0]).toMatchObject(response);
  });

  it('runs tools until the model returns text', async () => {
    simulator().script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const cups: number[] = [];
    const take = (args: { cups: number }) => {
      cups.push(args.cups);
      return 'boiling';
    };
    const definition = { ...boil.function, description: 'boils water', parse: JSON.parse, function: take };
    const tools = [{ type: 'function' as const, function: definition }];
    const runner = client().chat.completions.runTools({ model, messages, tools });
    expect(await runner.finalContent()).toContain('simulated');
    expect(cups).toEqual([2]);
    expect(simulator().requests).toHaveLength(2);
  });

  it('sends images', async () => {
    const image = { url: 'data:image/png;base64,AA==', detail: 'low' as const };
    const content = [
      { type: 'text' as const, text: 'what is this?' },
      { type: 'image_url' as const, image_url: image },
    ];
    const request = { model, messages: [{ role: 'user' as const, content }] };
    expect((await client().chat.completions.create(request)).choices).toHaveLength(1);
  });

  it('parses a response by a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, cups: { type: 'integer' } },
      required: ['name', 'cups'],
      additionalProperties: false,
    };
    const completion = await client().chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'order', schema, strict: true } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ name: 'simulated', cups: 0 });
  });

  it('reports that a response ended at its limit or at a stop text', async () => {
    const cut = await client().chat.completions.create({ model, messages, max_tokens: 5 });
    expect(cut).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 5 } });
    const stopped = await client().chat.completions.create({ model, messages, stop: ' simulated' });
    expect(stopped.choices[0]?.message.content).toBe('This is a');
  });

  it('accepts a response unchanged as history', async () => {
    const { choices } = await client().chat.completions.create({ model, messages });
    const response = choices[0]?.message;
    if (response === undefined) throw new Error('no response');
    const history = [...messages, response, ...messages];
    const again = await client().chat.completions.create({ model, messages: history });
    expect(again.choices[0]?.message.content).toContain('3 messages');
  });
}

function errors({ model, simulator, clientWith }: ChatClient, client: () => OpenAI): void {
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
  ])('throws the error class of status %i', async (status, kind) => {
    simulator().script({ status, error: { message: 'as scripted', code: 'scripted', param: 'model' } });
    const request = client().chat.completions.create({ model, messages });
    const error = await request.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      status,
      code: 'scripted',
      param: 'model',
      message: expect.stringContaining('as scripted'),
      requestID: expect.stringMatching(/^req_/),
    });
  });

  it('throws for a wrong key and for an unknown parameter without a script', async () => {
    await expect(clientWith({ apiKey: 'sk-other' }).models.list()).rejects.toBeInstanceOf(AuthenticationError);
    const wrong = { model, messages, nonsense: true };
    const refusal = { status: 400, code: 'unknown_parameter', param: 'nonsense' };
    await expect(client().chat.completions.create(wrong)).rejects.toMatchObject(refusal);
  });

  it('throws for an error event in a stream', async () => {
    simulator().script({ tokens: 5, errorAfterEvents: 2, error: { code: 'scripted' } });
    const stream = client().chat.completions.stream({ model, messages });
    const error = await stream.finalChatCompletion().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'scripted' });
  });

  it('throws for a stream that was cut and for a connection that was reset', async () => {
    simulator().script({ tokens: 50, stop: { by: 'cut', afterPieces: 10 } });
    const cut = client().chat.completions.stream({ model, messages });
    await expect(cut.finalChatCompletion()).rejects.toThrow();
    simulator().script({ stop: { by: 'reset', beforeHead: true } });
    const reset = client().chat.completions.create({ model, messages });
    await expect(reset).rejects.toBeInstanceOf(APIConnectionError);
  });

  it('retries when a retry helps', async () => {
    simulator().script({ status: 503, headers: { 'retry-after-ms': '1' } });
    const completion = await clientWith({ maxRetries: 1 }).chat.completions.create({ model, messages });
    expect(completion.choices).toHaveLength(1);
    expect(simulator().requests.map((request) => request.status)).toEqual([503, 200]);
  });
}
