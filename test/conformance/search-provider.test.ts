// The callers' SDK through a whole gateway to the search company's strict simulator: on the generic route with the
// stored key, and on the provider's own route with the caller's key. The simulator must also take every request of the
// golden files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ownHeaders, ownPath } from '../support/vendors.ts';

type Create = OpenAI.ChatCompletionCreateParamsNonStreaming;

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { api, id, storeProviderKeys, createKey } = gateway.organization;
  await storeProviderKeys();
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

const messages = [{ role: 'user' as const, content: 'Hello' }];
const boil = {
  type: 'function' as const,
  function: {
    name: 'boil',
    parameters: { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] },
  },
};
/** The SDK parses a response only if all tools are strict. */
const strictBoil = { ...boil, function: { ...boil.function, strict: true } };
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The vendor's last request. */
function received() {
  const last = gateway.simulator.requests.at(-1);
  if (last === undefined) throw new Error('the vendor was sent nothing');
  return {
    target: last.target,
    headers: last.headers,
    body: last.json() as Readonly<Record<string, unknown>>,
  };
}

const generic = {
  open: (headers: Record<string, string> = {}) =>
    new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: key, maxRetries: 0, defaultHeaders: headers }),
  name: (model: string) => `search-provider/${model}`,
};
const own = {
  open: (headers: Record<string, string> = {}) =>
    new OpenAI({
      baseURL: gateway.proxy.url + ownPath('search-provider'),
      apiKey: 'unused',
      maxRetries: 0,
      defaultHeaders: { ...ownHeaders['search-provider'], 'project-api-key': key, ...headers },
    }),
  name: (model: string) => model,
};

describe.each([
  ['the generic route, stored key', generic],
  ["the provider's own route, caller's key", own],
])('%s', (_route, { open, name }) => {
  const create = (fields: Partial<Create> = {}, model = 'gemini-2.5-flash') =>
    open().chat.completions.create({ model: name(model), messages, ...fields });
  const stream = (fields: Partial<Create> = {}, model = 'gemini-2.5-flash') =>
    open().chat.completions.stream({ model: name(model), messages, ...fields, stream: true });

  it('a response has the common shape', async () => {
    const { data, response } = await create().withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'gemini-2.5-flash',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', tool_calls: [] } }],
      cloud_ai_citation_metadata: [],
      cloud_ai_grounding_metadata: [],
      cloud_ai_safety_results: [],
    });
    expect(data.choices[0]?.message.content).toContain('simulated');
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = data.usage ?? {};
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(response.headers.get('x-svc-provider')).toBe('search-provider');
    expect(received().target).toBe('/search-provider/v1beta/models/gemini-2.5-flash:generateContent');
    expect(received().headers).not.toHaveProperty('authorization');
  });

  it('trap 24: a stream ends in a final completion', async () => {
    gateway.simulator.script({ text: 'Two words 👍.' });
    const streaming = stream({ stream_options: { include_usage: true } } as Partial<Create>);
    const completion = await streaming.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Two words 👍.' },
    });
    expect(completion.usage?.completion_tokens).toBeGreaterThan(0);
  });

  it.each(['gemini-2.5-flash', 'gemini-3-flash-preview', 'gemini-3.8-flash'])(
    'tools are called and their results are accepted: %s',
    async (model) => {
      const first = await create({ tools: [boil], tool_choice: 'required' }, model);
      const [choice] = first.choices;
      expect(choice?.finish_reason).toBe('tool_calls');
      const [call] = choice?.message.tool_calls ?? [];
      expect(call).toMatchObject({ type: 'function', function: { name: 'boil', arguments: '{"cups":1}' } });
      // A client that knows only its SDK's fields sends it back like this.
      const response = {
        role: 'assistant' as const,
        content: null,
        tool_calls: choice?.message.tool_calls ?? [],
      };
      const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'done' };
      const second = await create({ tools: [boil], messages: [...messages, response, result] }, model);
      expect(second.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: expect.any(String) },
      });
      const third = await create(
        {
          tools: [boil],
          messages: [
            ...messages,
            response,
            result,
            { role: 'assistant', content: second.choices[0]?.message.content ?? '' },
            ...messages,
          ],
        },
        model,
      );
      expect(third.choices[0]?.finish_reason).toBe('stop');
    },
  );

  it('several tools are called in one stream, and their results are accepted in any order', async () => {
    const model = 'gemini-3-flash-preview';
    gateway.simulator.script({
      text: 'On it.',
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'boil', arguments: '{"cups":3}' },
      ],
    });
    const final = await stream({ tools: [boil] }, model).finalChatCompletion();
    const [choice] = final.choices;
    const calls = choice?.message.tool_calls ?? [];
    expect(calls.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
      '{"cups":2}',
      '{"cups":3}',
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const results = calls.toReversed().map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
    const message = {
      role: 'assistant' as const,
      content: choice?.message.content ?? null,
      tool_calls: calls,
    };
    const response = await create({ tools: [boil], messages: [...messages, message, ...results] }, model);
    expect(response.choices[0]?.finish_reason).toBe('stop');
  });

  it('a history whose signatures were lost is accepted', async () => {
    const called = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'boil', arguments: '{"cups":2}' },
    };
    const history = [...messages, { role: 'assistant' as const, content: null, tool_calls: [called] }];
    const result = { role: 'tool' as const, tool_call_id: 'call_1', content: 'done' };
    const response = await create({ tools: [boil], messages: [...history, result] }, 'gemini-3.5-flash');
    expect(response.choices[0]?.finish_reason).toBe('stop');
  });

  it('images are sent', async () => {
    const url = `data:image/png;base64,${png}`;
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    const plain = await create({ messages: [{ role: 'user', content: 'What is this?' }] });
    const { usage } = await create({ messages: [{ role: 'user', content }] });
    expect(usage?.prompt_tokens).toBeGreaterThan((plain.usage?.prompt_tokens ?? 0) + 200);
  });

  it.each([
    ['alone', 'gemini-2.5-flash', undefined],
    ['alone, in the vendor’s own schemas', 'gemini-2.0-flash', undefined],
    ['beside tools', 'gemini-3.5-flash', [strictBoil]],
    ['beside tools, as the input of a further tool', 'gemini-2.5-flash', [strictBoil]],
  ])('a response is parsed by a JSON schema %s', async (_how, model, tools) => {
    const schema = {
      type: 'object',
      properties: { cups: { type: 'integer' }, note: { type: ['string', 'null'] } },
      required: ['cups', 'note'],
      additionalProperties: false,
    };
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'tea', strict: true, schema },
    };
    if (tools !== undefined && model === 'gemini-2.5-flash') {
      gateway.simulator.script({
        toolCalls: [{ name: 'json_tool_call', arguments: '{"cups":0,"note":null}' }],
      });
    }
    const parsed = await open().chat.completions.parse({
      model: name(model),
      messages,
      response_format,
      ...(tools && { tools }),
    });
    const [choice] = parsed.choices;
    expect(choice?.finish_reason).toBe('stop');
    expect(choice?.message.tool_calls ?? []).toEqual([]);
    expect(JSON.parse(choice?.message.content ?? '')).toMatchObject({ cups: expect.any(Number) });
  });

  it('a response in any JSON is valid JSON', async () => {
    const response = await create({ response_format: { type: 'json_object' } });
    expect(JSON.parse(response.choices[0]?.message.content ?? '')).toMatchObject({ simulated: true });
  });

  it.each(['gemini-2.5-flash', 'gemini-3.1-pro-preview'])(
    'thoughts are returned when the request has an effort: %s',
    async (model) => {
      gateway.simulator.script({ reasoning: 'Weighing kettles.', text: 'Done.' });
      const response = await create({ reasoning_effort: 'low' }, model);
      expect(response.choices[0]?.message).toMatchObject({
        content: 'Done.',
        reasoning_content: 'Weighing kettles.',
      });
      const { completion_tokens_details: details, completion_tokens = 0 } = response.usage ?? {};
      expect(details?.reasoning_tokens).toBeGreaterThan(0);
      expect(completion_tokens).toBeGreaterThan(details?.reasoning_tokens ?? 0);
    },
  );

  it('a response ends at a stop text and at the token limit', async () => {
    gateway.simulator.script({ text: 'One END two.' }, { times: 2 });
    const stopped = await create({ stop: ['END'] });
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'One ' } });
    const cut = await create({ max_completion_tokens: 2 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
  });

  it('citations of a searched response have offsets in the caller’s characters', async () => {
    gateway.simulator.script(
      {
        text: '👍 Tea is hot.',
        citations: [{ uri: 'https://example.test/tea', title: 'Tea', text: 'Tea is hot.' }],
      },
      { times: 2 },
    );
    const whole = await create({ web_search_options: {} });
    const streamed = await stream({ web_search_options: {} }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const [annotation] = choices[0]?.message.annotations ?? [];
      const { start_index, end_index, url, title } = annotation?.url_citation ?? {};
      expect(choices[0]?.message.content?.slice(start_index, end_index)).toBe('Tea is hot.');
      expect([url, title]).toEqual(['https://example.test/tea', 'Tea']);
    }
  });

  it('a filtered response, stream or prompt ends with content_filter', async () => {
    gateway.simulator.script({ finishReason: 'SAFETY' }, { times: 2 });
    expect((await create()).choices[0]?.finish_reason).toBe('content_filter');
    const streamed = await stream().finalChatCompletion();
    expect(streamed.choices[0]?.finish_reason).toBe('content_filter');
    gateway.simulator.script({ blocked: 'PROHIBITED_CONTENT' });
    const blocked = await create();
    expect(blocked).toMatchObject({
      choices: [{ finish_reason: 'content_filter', message: { content: '' } }],
      cloud_ai_safety_results: [[{ probability: 'HIGH' }]],
    });
  });

  it('dropped fields are named in a header', async () => {
    const { response } = await create({ user: 'u', store: true, logit_bias: { 1: 1 } }).withResponse();
    expect(response.headers.get('x-svc-dropped-params')).toBe('user,store,logit_bias');
  });

  it('a parameter that the vendor would misread is refused', async () => {
    const error = await create({ n: 2 }, 'gemini-3.5-flash').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'n' });
    expect(gateway.simulator.requests).toHaveLength(0);
  });

  it('an unknown model is a 404', async () => {
    const error = await create({}, 'gemini-9-unknown').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found' });
  });

  it('a 429 has the retry time of the vendor’s body', async () => {
    gateway.simulator.script({ status: 429 });
    const error = await create().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
    expect((error as APIError).headers?.get('retry-after')).toBe('20');
  });

  it.each([
    [500, 500],
    [503, 503],
    [504, 504],
  ])('%i is returned unchanged', async (status, expected) => {
    gateway.simulator.script({ status });
    const error = await create().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: expected, type: 'server_error' });
    expect((error as APIError).headers?.get('x-svc-error-source')).toBe('provider');
  });

  it.each([
    ['an error inside it', { tokens: 20, errorAfterEvents: 3 }],
    ['a connection that breaks', { tokens: 20, stop: { by: 'cut', afterPieces: 3 } }],
    ['an end without a reason', { tokens: 20, stop: { by: 'end', afterPieces: 3 } }],
    ['an end inside an event', { tokens: 20, stop: { by: 'end', afterBytes: 700 } }],
  ] as const)('a stream with %s never ends as if complete', async (_what, behaviour) => {
    gateway.simulator.script(behaviour);
    const consume = async () => {
      for await (const _chunk of stream());
    };
    await expect(consume()).rejects.toBeInstanceOf(APIError);
  });

  it('a stream that begins with an error is an error with a status', async () => {
    gateway.simulator.script({ tokens: 5, errorAfterEvents: 0 });
    const error = await stream()
      .finalChatCompletion()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 503 });
  });
});

describe('a key of the search provider', () => {
  it('is a 401 when the caller’s own is refused, although the vendor returns 400', async () => {
    const client = own.open({ authorization: 'AIzaNobody' });
    const error = await client.chat.completions
      .create({ model: 'gemini-2.5-flash', messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'invalid_api_key' });
    expect((error as APIError).headers?.get('x-svc-error-source')).toBe('provider');
  });

  it('is a 502 when the stored one is refused', async () => {
    gateway.simulator.script({
      status: 400,
      error: { message: 'API key not valid.', reason: 'API_KEY_INVALID' },
    });
    const request = generic.open().chat.completions.create({ model: generic.name('gemini-2.5-flash'), messages });
    await expect(request).rejects.toMatchObject({ status: 502, code: 'upstream_authentication_failed' });
  });

  it.each(['gemini', 'google'])('is found by the alias %s', async (alias) => {
    const { response } = await generic
      .open()
      .chat.completions.create({ model: `${alias}/gemini-2.5-flash`, messages })
      .withResponse();
    expect(response.headers.get('x-svc-provider')).toBe('search-provider');
  });
});

describe('golden files of the search provider', () => {
  const folder = join(import.meta.dirname, '../golden/search-provider');
  // The simulator has no models for images or sound, and accepts only signatures that it made itself.
  const beyond = [
    ...['image-output', 'images-of-another-model', 'images-of-the-assistant', 'signatures-of-the-vendor'],
    ...['sound-output', 'stream-sound'],
  ];
  const cases = readdirSync(folder).filter(
    (name) => !beyond.includes(name) && existsSync(join(folder, name, 'upstream.json')),
  );

  it.each(cases)('contain requests that the vendor takes: %s', async (name) => {
    const { path, body } = JSON.parse(readFileSync(join(folder, name, 'upstream.json'), 'utf8'));
    const response = await fetch(gateway.simulator.baseUrls['search-provider'] + path, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'AIzaSimGolden', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, '']);
  });
});
