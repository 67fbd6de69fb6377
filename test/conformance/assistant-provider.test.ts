// The official SDK of the callers' format, through a whole gateway, to the assistant vendor's models: with the stored
// key on the generic route, and with the caller's own key on the vendor's route.
import OpenAI, { APIError } from 'openai';
import { makeParseableResponseFormat } from 'openai/lib/parser';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ownHeaders, ownPath } from '../support/vendors.ts';

const vendor = 'assistant-provider';
const ways = ['stored key', 'own route'] as const;
type Way = (typeof ways)[number];
type Message = OpenAI.ChatCompletionMessageParam;

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  const { api, id } = gateway.organization;
  await gateway.organization.storeProviderKeys();
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await gateway.organization.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

const question: Message[] = [{ role: 'user', content: 'Hello' }];
const tool = (
  name: string,
  parameters: Record<string, unknown> = {
    type: 'object',
    properties: { cups: { type: 'integer' } },
    required: ['cups'],
  },
) => ({ type: 'function' as const, function: { name, parameters } });
const tools = [tool('boil'), tool('stir')];
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The client of one way in, and the names that it gives to models. */
function requesting(way: Way, headers: Record<string, string> = {}) {
  const own = way === 'own route';
  const client = new OpenAI({
    baseURL: gateway.proxy.url + (own ? ownPath(vendor) : '/v1'),
    apiKey: key,
    maxRetries: 0,
    defaultHeaders: own ? { ...ownHeaders[vendor], 'project-api-key': key, ...headers } : headers,
  });
  const model = (name: string) => (own ? name : `${vendor}/${name}`);
  const body = (fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}, name = 'claude-sonnet-4-5') => ({
    model: model(name),
    messages: question,
    ...fields,
  });
  return { client, body };
}

type Requester = ReturnType<typeof requesting>;
type Fields = Parameters<Requester['body']>;

/** The same response, whole and streamed. */
const forms: readonly (readonly [string, (with_: Requester, ...fields: Fields) => Promise<OpenAI.ChatCompletion>])[] = [
  ['whole', ({ client, body }, ...fields) => client.chat.completions.create(body(...fields))],
  [
    'streamed',
    ({ client, body }, ...fields) =>
      client.chat.completions
        .stream({ ...body(...fields), stream: true, stream_options: { include_usage: true } })
        .finalChatCompletion(),
  ],
];

const received = () => JSON.parse(gateway.simulator.requests.at(-1)?.body.toString() ?? '{}');

function responseOf({ choices: [choice] }: OpenAI.ChatCompletion) {
  if (choice === undefined) throw new Error('there is no choice');
  return choice;
}

const failureOf = (pending: Promise<unknown>) =>
  pending.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(ways)('with %s', (way) => {
  describe.each(forms)('%s', (_form, ask) => {
    it('a response has the common shape', async () => {
      const completion = await ask(requesting(way));
      const { message, finish_reason } = responseOf(completion);
      expect(message.content).toContain('simulated');
      expect(finish_reason).toBe('stop');
      expect(completion.usage).toMatchObject({
        prompt_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0 },
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      });
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = completion.usage ?? {};
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    });

    it('trap 24: tool calls and results pass in both directions when the response is sent back unchanged', async () => {
      const first = responseOf(await ask(requesting(way), { tools, tool_choice: 'required' }));
      expect(first.finish_reason).toBe('tool_calls');
      const [call] = first.message.tool_calls ?? [];
      if (call?.type !== 'function') throw new Error('there is no call');
      expect(JSON.parse(call.function.arguments)).toEqual({ cups: expect.any(Number) });
      const result: Message = { role: 'tool', tool_call_id: call.id, content: 'done' };
      const messages = [...question, first.message, result, ...question];
      const second = responseOf(await ask(requesting(way), { tools, messages }));
      expect(second).toMatchObject({
        finish_reason: 'stop',
        message: { content: expect.stringContaining('simulated') },
      });
    });

    it('the results of several parallel calls reach the vendor in one message', async () => {
      gateway.simulator.script({
        text: 'On it.',
        toolCalls: [
          { name: 'boil', arguments: '{"cups":2}' },
          { name: 'stir', arguments: '' },
        ],
      });
      const { message } = responseOf(await ask(requesting(way), { tools }));
      const calls = message.tool_calls ?? [];
      expect(calls.map((call) => call.type === 'function' && [call.function.name, call.function.arguments])).toEqual([
        ['boil', '{"cups":2}'],
        ['stir', '{}'],
      ]);
      const results: Message[] = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
      await ask(requesting(way), { tools, messages: [...question, message, ...results.toReversed()] });
      expect(
        received()
          .messages.at(-1)
          .content.map(({ type }: { type: string }) => type),
      ).toEqual(['tool_result', 'tool_result']);
    });

    it('an image is sent as data', async () => {
      const content = [
        { type: 'text' as const, text: 'What is this?' },
        { type: 'image_url' as const, image_url: { url: png } },
      ];
      await ask(requesting(way), { messages: [{ role: 'user', content }] });
      expect(received().messages[0].content[1]).toMatchObject({
        type: 'image',
        source: { media_type: 'image/png' },
      });
    });

    const response = makeParseableResponseFormat(
      {
        type: 'json_schema',
        json_schema: {
          name: 'tea',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, stars: { type: 'integer', minimum: 1 } },
            required: ['name', 'stars'],
            additionalProperties: false,
          },
        },
      },
      (content): { name: string; stars: number } => JSON.parse(content),
    );

    it.each(['claude-sonnet-4-5', 'claude-opus-4-1'])('a response in a JSON Schema is parsed: %s', async (model) => {
      const { message, finish_reason } = responseOf(await ask(requesting(way), { response_format: response }, model));
      expect(response.$parseRaw(message.content ?? '')).toEqual({
        name: expect.any(String),
        stars: expect.any(Number),
      });
      expect(finish_reason).toBe('stop');
      expect(message.tool_calls ?? []).toEqual([]);
    });

    it.each(['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-5'])(
      '%s thinks, and continues to think after its calls',
      async (model) => {
        gateway.simulator.script({
          reasoning: 'Need a kettle.',
          toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }],
        });
        const fields = { tools, reasoning_effort: 'low' as const, max_tokens: 4000 };
        const first = responseOf(await ask(requesting(way), fields, model));
        expect(first.message).toMatchObject({
          thinking_blocks: [{ type: 'thinking', thinking: 'Need a kettle.', signature: expect.any(String) }],
        });
        const [call] = first.message.tool_calls ?? [];
        const result: Message = { role: 'tool', tool_call_id: call?.id ?? '', content: 'done' };
        const second = await ask(requesting(way), { ...fields, messages: [...question, first.message, result] }, model);
        expect(responseOf(second).message.content).toContain('simulated');
        expect(received().messages[1].content[0]).toMatchObject({
          type: 'thinking',
          thinking: 'Need a kettle.',
        });
        expect(received().thinking).toMatchObject({ type: expect.stringMatching(/enabled|adaptive/) });
      },
    );

    it('a response ends at a stop text and at the token limit', async () => {
      gateway.simulator.script({ text: 'one two END three' }, { times: 2 });
      const stopped = responseOf(await ask(requesting(way), { stop: ['END', '\n'] }));
      expect(stopped).toMatchObject({ finish_reason: 'stop', message: { content: 'one two ' } });
      const cut = responseOf(await ask(requesting(way), { max_completion_tokens: 1 }));
      expect(cut.finish_reason).toBe('length');
    });

    it('a paused turn continues when it is sent back unchanged', async () => {
      gateway.simulator.script({ finishReason: 'pause_turn', text: 'Let me look.' });
      const { message, ...paused } = responseOf(await ask(requesting(way)));
      expect(paused).toMatchObject({ finish_reason: 'length', native_finish_reason: 'pause_turn' });
      const messages = [...question, message as Message];
      const { message: next, finish_reason } = responseOf(await ask(requesting(way), { messages }));
      expect([finish_reason, next.content]).toEqual(['stop', expect.stringMatching(/./)]);
      expect(received().messages).toMatchObject([
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'server_tool_use' },
            { type: 'web_search_tool_result' },
          ],
        },
      ]);
    });

    it('usage reports the tokens read from the prompt cache and written to it', async () => {
      gateway.simulator.script({
        usage: {
          input_tokens: 20,
          cache_creation_input_tokens: 100,
          cache_read_input_tokens: 400,
          output_tokens: 57,
        },
      });
      const { usage } = await ask(requesting(way));
      expect(usage).toMatchObject({
        prompt_tokens: 520,
        completion_tokens: 57,
        total_tokens: 577,
        prompt_tokens_details: { cached_tokens: 400 },
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 400,
      });
    });

    it('a refusal is returned in the field refusal', async () => {
      gateway.simulator.script({ finishReason: 'refusal', text: '' });
      const { message, finish_reason } = responseOf(await ask(requesting(way)));
      expect(finish_reason).toBe('content_filter');
      expect(message.refusal).toContain('refuse');
    });

    it.each([
      [429, { status: 429, code: 'rate_limit_exceeded' }],
      [400, { status: 400 }],
      [500, { status: 500 }],
      [529, { status: 503, code: 'server_is_overloaded' }],
      [504, { status: 504 }],
      [413, { status: 413, code: 'request_too_large' }],
    ])("the vendor's %s is returned with its code and the error source provider", async (status, expected) => {
      gateway.simulator.script({ status });
      const error = await failureOf(ask(requesting(way)));
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject(expected);
      expect((error as APIError).headers?.get('x-svc-error-source')).toBe('provider');
    });

    it('an unknown model is a 404 with the code model_not_found', async () => {
      const error = await failureOf(ask(requesting(way), {}, 'claude-nine'));
      expect(error).toMatchObject({ status: 404, code: 'model_not_found' });
    });

    it('headers name the dropped parameters and the token limit of the response', async () => {
      const { client, body } = requesting(way);
      const request = body({ seed: 1, temperature: 0.2, reasoning_effort: 'none' }, 'claude-opus-5-5');
      const { response } = await client.chat.completions.create(request).withResponse();
      expect(response.headers.get('x-svc-dropped-params')).toBe('seed,reasoning_effort,temperature');
      expect(response.headers.get('x-svc-max-tokens')).toBe('128000');
    });
  });

  it('the usage chunk is sent only to callers who request it', async () => {
    const { client, body } = requesting(way);
    const stream = await client.chat.completions.create({ ...body(), stream: true });
    for await (const chunk of stream) expect(chunk.usage).toBeUndefined();
  });

  it('an error inside a stream is an error, never a clean end', async () => {
    gateway.simulator.script({ tokens: 5, errorAfterEvents: 5 });
    const { client, body } = requesting(way);
    const error = await failureOf(client.chat.completions.stream({ ...body(), stream: true }).finalChatCompletion());
    expect(error).toBeInstanceOf(APIError);
  });

  it('trap 6: an error as the first event of a stream has its own status', async () => {
    gateway.simulator.script({ errorAfterEvents: 0 });
    const { client, body } = requesting(way);
    const error = await failureOf(client.chat.completions.create({ ...body(), stream: true }));
    expect(error).toMatchObject({ status: 503 });
  });

  it.each(['cut', 'reset', 'end'] as const)('a stream that stops early is an error: %s', async (by) => {
    gateway.simulator.script({ tokens: 5, stop: { by, afterPieces: 4 } });
    const { client, body } = requesting(way);
    const error = await failureOf(client.chat.completions.stream({ ...body(), stream: true }).finalChatCompletion());
    expect(error).toBeInstanceOf(Error);
  });
});

describe('a key that the vendor refuses', () => {
  it("is a 401 when it is the caller's own", async () => {
    const { client, body } = requesting('own route', { authorization: 'sk-ant-wrong-0123456789' });
    const error = await failureOf(client.chat.completions.create(body()));
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it('is a 502 when it is the stored key', async () => {
    gateway.simulator.script({ status: 401 });
    const { client, body } = requesting('stored key');
    const error = await failureOf(client.chat.completions.create(body()));
    expect(error).toMatchObject({ status: 502, code: 'upstream_authentication_failed' });
  });
});
