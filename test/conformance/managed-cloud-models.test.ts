// The official SDK of the callers' format, through a whole gateway, to the managed cloud service's models of several
// makers: with the stored keys, with the caller's own on the generic route, and on the service's route. All cases run
// with the stored keys; a third of them, the next third each time, in the other ways, which do not affect translation.
// GATEWAY_TEST_ROUNDS=3 runs all.
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { makeParseableResponseFormat } from 'openai/lib/parser';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { inTurn } from '../support/seed.ts';
import { modelFor, refusalOf, type Scene, startScene, type Way, ways } from './providers/scene.ts';
import { boil, stir } from './providers/tools.ts';

const vendor = 'managed-cloud-models';
const models = {
  claude: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  newerClaude: 'us.anthropic.claude-sonnet-4-6',
  newestClaude: 'global.anthropic.claude-opus-5',
  olderClaude: 'anthropic.claude-3-5-sonnet-20240620-v1:0',
  nova: 'amazon.nova-lite-v1:0',
  nova2: 'us.amazon.nova-2-lite-v1:0',
  llama: 'us.meta.llama3-3-70b-instruct-v1:0',
  mistral: 'mistral.mistral-large-2407-v1:0',
  smallMistral: 'mistral.mistral-7b-instruct-v0:2',
  command: 'cohere.command-r-plus-v1:0',
  gptOss: 'openai.gpt-oss-120b-1:0',
  deepseek: 'us.deepseek.r1-v1:0',
  profile: 'arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/simnovapro00',
} as const;
type Model = (typeof models)[keyof typeof models];
type Message = OpenAI.ChatCompletionMessageParam;

const profileAlias = 'our-profile';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  // With a stored key, an ARN is called by an alias alone.
  const { organization } = scene.gateway;
  const aliases = [{ name: profileAlias, model: `${vendor}/${models.profile}` }];
  await organization.api.call('Organizations/UpdateSettings', {
    ...{ id: organization.id, settings: { models: { aliases: { aliases } } }, allowUnmatched: true },
  });
  const isKnown = () =>
    whole({ way: 'stored key', model: models.profile }).then(
      () => true,
      () => false,
    );
  await until(isKnown, { what: 'the alias to apply' });
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

const question: Message[] = [{ role: 'user', content: 'Hello' }];
const system: Message = { role: 'system', content: 'Be brief.' };
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface RequestTarget {
  readonly way: Way;
  readonly model?: Model;
}
type Fields = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

const bodyOf = ({ way, model = models.claude }: RequestTarget, fields: Fields) => ({
  model: way === 'stored key' && model === models.profile ? profileAlias : modelFor(vendor, way, model),
  messages: question,
  ...fields,
});
const clientOf = ({ way }: RequestTarget) => scene.client(vendor, way);

function whole(request: RequestTarget, fields: Fields = {}) {
  return clientOf(request).chat.completions.create(bodyOf(request, fields));
}

function streamed(request: RequestTarget, fields: Fields = {}) {
  const body = { ...bodyOf(request, fields), stream: true, stream_options: { include_usage: true } } as const;
  return clientOf(request).chat.completions.stream(body).finalChatCompletion();
}

const forms = [
  ['whole', whole],
  ['streamed', streamed],
] as const;

const received = () => JSON.parse(scene.received().body.toString());

function responseOf({ choices: [choice] }: OpenAI.ChatCompletion) {
  if (choice === undefined) throw new Error('there is no choice');
  return choice;
}

function functionOf(calls: readonly OpenAI.ChatCompletionMessageToolCall[] | undefined, index = 0) {
  const call = calls?.[index];
  if (call?.type !== 'function') throw new Error('there is no such call');
  return call;
}

const everyModel = Object.entries(models);
const withoutTools: readonly string[] = [models.smallMistral, models.deepseek];
/** Models that call tools. One family does so in whole responses only. */
const callersIn = {
  whole: everyModel.filter(([, model]) => !withoutTools.includes(model)),
  streamed: everyModel.filter(([, model]) => ![...withoutTools, models.llama].includes(model)),
};

function casesIn<T>(way: Way, form: keyof typeof callersIn, cases: readonly T[]): readonly T[] {
  if (way === 'stored key') return cases;
  const turn = ways.indexOf(way) + (form === 'whole' ? 0 : 1);
  return inTurn(cases, turn, 3);
}

describe.each(ways)('%s', (way) => {
  describe.each(forms)('%s', (form, ask) => {
    const some = <T>(cases: readonly T[]) => casesIn(way, form, cases);

    it.each(some(everyModel))('a response of %s has the common shape', async (_name, model) => {
      const completion = await ask({ way, model }, { messages: [system, ...question], max_tokens: 100 });
      const { message, finish_reason } = responseOf(completion);
      expect(message.content).toContain('simulated');
      expect(finish_reason).toBe('stop');
      expect(completion).toMatchObject({ id: expect.stringMatching(/^chatcmpl-0{8}-/), model });
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = completion.usage ?? {};
      expect(prompt_tokens).toBeGreaterThan(0);
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    });

    it.each(some(callersIn[form]))(
      'trap 24: calls of %s and their results pass in both directions when the response is sent back unchanged',
      async (_name, model) => {
        const calls = [
          { name: 'boil', arguments: '{"cups":2}' },
          { name: 'stir', arguments: '' },
        ];
        scene.gateway.simulator.script({ text: 'On it.', toolCalls: calls });
        const tools = [boil, stir];
        const first = responseOf(await ask({ way, model }, { tools }));
        expect(first.finish_reason).toBe('tool_calls');
        const parsed = [0, 1].map((index) => functionOf(first.message.tool_calls, index));
        expect(parsed.map(({ function: called }) => called)).toMatchObject([
          calls[0] ?? {},
          { name: 'stir', arguments: '{}' },
        ]);
        const results = parsed.map(({ id }): Message => ({ role: 'tool', tool_call_id: id, content: 'done' }));
        const messages = [...question, first.message, ...results.toReversed(), ...question];
        const second = responseOf(await ask({ way, model }, { tools, messages }));
        expect(second).toMatchObject({
          finish_reason: 'stop',
          message: { content: expect.stringContaining('simulated') },
        });
      },
    );

    const forced = [
      ['claude', { tool: { name: 'boil' } }],
      ['nova', { tool: { name: 'boil' } }],
      ['mistral', { any: {} }],
      ['command', undefined],
    ] as const;

    it.each(some(forced))('a forced call becomes the tool choice of %s', async (name, toolChoice) => {
      const tool_choice = { type: 'function', function: { name: 'boil' } } as const;
      await ask({ way, model: models[name] }, { tools: [boil, stir], tool_choice });
      expect(received().toolConfig.toolChoice).toEqual(toolChoice);
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

    it.each(some(['claude', 'newerClaude', 'olderClaude', 'nova', 'mistral', 'gptOss'] as const))(
      'a response of %s in a JSON Schema is parsed',
      async (name) => {
        const completion = await ask({ way, model: models[name] }, { response_format: response });
        const { message, finish_reason } = responseOf(completion);
        expect(response.$parseRaw(message.content ?? '')).toEqual({
          name: expect.any(String),
          stars: expect.any(Number),
        });
        expect(finish_reason).toBe('stop');
        expect(message.tool_calls ?? []).toEqual([]);
      },
    );

    it('a JSON Schema is requested in the prompt when the model takes it in no other way', async () => {
      scene.gateway.simulator.script({ text: '```json\n{"name":"assam","stars":5}\n```' });
      const completion = await ask({ way, model: models.llama }, { response_format: response });
      expect(response.$parseRaw(responseOf(completion).message.content ?? '')).toEqual({
        name: 'assam',
        stars: 5,
      });
    });

    it('an image is sent as data', async () => {
      const content = [
        { type: 'text' as const, text: 'What is this?' },
        { type: 'image_url' as const, image_url: { url: png } },
      ];
      await ask({ way }, { messages: [{ role: 'user', content }] });
      expect(received().messages[0].content[1]).toMatchObject({ image: { format: 'png' } });
    });

    it.each(some(['claude', 'newerClaude', 'newestClaude'] as const))(
      '%s thinks, and continues to think after its calls',
      async (name) => {
        const calls = [{ name: 'boil', arguments: '{"cups":2}' }];
        scene.gateway.simulator.script({ reasoning: 'Need a kettle.', toolCalls: calls });
        const request = { way, model: models[name] };
        const fields = { tools: [boil], reasoning_effort: 'low' as const, max_tokens: 4000 };
        const first = responseOf(await ask(request, fields)).message;
        expect(first).toMatchObject({
          thinking_blocks: [{ type: 'thinking', thinking: 'Need a kettle.', signature: expect.any(String) }],
        });
        // The second call of one response has no thought of its own.
        scene.gateway.simulator.script({ reasoning: '', toolCalls: calls });
        const result = (message: OpenAI.ChatCompletionMessage): Message => ({
          role: 'tool',
          tool_call_id: functionOf(message.tool_calls).id,
          content: 'done',
        });
        const history = [...question, first, result(first)];
        const second = responseOf(await ask(request, { ...fields, messages: history })).message;
        const all = [...history, second, result(second)];
        const third = responseOf(await ask(request, { ...fields, messages: all })).message;
        expect(third.content).toContain('simulated');
        expect(received().messages[1].content[0]).toMatchObject({
          reasoningContent: { reasoningText: { text: 'Need a kettle.' } },
        });
        expect(received().additionalModelRequestFields.thinking).toMatchObject({
          type: expect.stringMatching(/enabled|adaptive/),
        });
      },
    );

    it.each([
      ['nova2', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
      ['gptOss', { reasoning_effort: 'low' }],
    ] as const)('the reasoning effort is sent in the format of %s', async (name, fields) => {
      const { message } = responseOf(await ask({ way, model: models[name] }, { reasoning_effort: 'low' }));
      expect(message).toMatchObject({ reasoning_content: expect.any(String) });
      expect(message).not.toHaveProperty('thinking_blocks');
      expect(received().additionalModelRequestFields).toEqual(fields);
    });

    it('a response ends at a stop text and at the token limit', async () => {
      scene.gateway.simulator.script({ text: 'one two END three' }, { times: 2 });
      const stopped = responseOf(await ask({ way }, { stop: ['END', ' '] }));
      expect(stopped).toMatchObject({ finish_reason: 'stop', message: { content: 'one two ' } });
      const cut = responseOf(await ask({ way }, { max_completion_tokens: 1 }));
      expect(cut.finish_reason).toBe('length');
    });

    it('usage reports the tokens read from the prompt cache and written to it', async () => {
      scene.gateway.simulator.script({
        usage: {
          inputTokens: 20,
          outputTokens: 57,
          totalTokens: 577,
          cacheReadInputTokens: 400,
          cacheWriteInputTokens: 100,
        },
      });
      expect((await ask({ way })).usage).toMatchObject({
        prompt_tokens: 520,
        completion_tokens: 57,
        total_tokens: 577,
        prompt_tokens_details: { cached_tokens: 400 },
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 400,
      });
    });

    it("the intervention of a vendor's guardrail ends a response with content_filter", async () => {
      scene.gateway.simulator.script({ finishReason: 'guardrail_intervened', text: 'Blocked.' });
      expect(responseOf(await ask({ way }))).toMatchObject({
        finish_reason: 'content_filter',
        message: { content: 'Blocked.' },
      });
    });

    const failures = [
      [400, { status: 400 }],
      [408, { status: 504, code: 'timeout' }],
      [424, { status: 502 }],
      [429, { status: 429, code: 'rate_limit_exceeded' }],
      [500, { status: 500 }],
      [503, { status: 503, code: 'server_is_overloaded' }],
    ] as const;

    it.each(some(failures))(
      "the vendor's %s is returned with its code and the error source provider",
      async (status, expected) => {
        scene.gateway.simulator.script({ status });
        const error = await refusalOf(ask({ way }));
        expect(error).toMatchObject(expected);
        expect(error.headers?.get('x-svc-error-source')).toBe('provider');
      },
    );

    it('an unknown model is a 404, and a model that needs a profile is a 400 with an example', async () => {
      const client = clientOf({ way });
      const nine = { model: modelFor(vendor, way, 'anthropic.claude-nine'), messages: question };
      expect(await refusalOf(client.chat.completions.create(nine))).toMatchObject({
        status: 404,
        code: 'model_not_found',
      });
      const bare = { model: modelFor(vendor, way, 'anthropic.claude-sonnet-4-6'), messages: question };
      expect(await refusalOf(client.chat.completions.create(bare))).toMatchObject({
        status: 400,
        message: expect.stringContaining('for example us.'),
      });
    });

    it('a prompt that is too long is a 400 with the code context_length_exceeded', async () => {
      const content = 'tea '.repeat(300_000);
      const error = await refusalOf(ask({ way, model: models.nova }, { messages: [{ role: 'user', content }] }));
      expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' });
    });
  });

  it("tools for a model that takes none in a stream are refused with the vendor's message", async () => {
    const error = await refusalOf(streamed({ way, model: models.llama }, { tools: [boil] }));
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('streaming') });
  });

  it('headers name the dropped parameters and the token limit of the response', async () => {
    const request = bodyOf({ way }, { seed: 1, temperature: 0.2, top_p: 0.5, user: 'u' });
    const { response } = await clientOf({ way }).chat.completions.create(request).withResponse();
    expect(response.headers.get('x-svc-dropped-params')).toBe('seed,user,top_p');
    expect(response.headers.get('x-svc-max-tokens')).toBe('8192');
    expect(response.headers.get('x-svc-upstream-request-id')).toMatch(/^0{8}-/);
  });

  it('trap 19: the usage chunk is sent only to callers who request it', async () => {
    const stream = await clientOf({ way }).chat.completions.create({ ...bodyOf({ way }, {}), stream: true });
    for await (const chunk of stream) expect(chunk.usage).toBeUndefined();
  });

  it('callers of the deprecated kind get calls as functions', async () => {
    const functions = [boil.function];
    const request = bodyOf({ way }, { functions, function_call: { name: 'boil' } });
    const { message, finish_reason } = responseOf(await clientOf({ way }).chat.completions.create(request));
    expect(message).toMatchObject({ function_call: { name: 'boil' }, tool_calls: null });
    expect(finish_reason).toBe('function_call');
  });

  it('an error inside a stream is an error, never a clean end', async () => {
    scene.gateway.simulator.script({ tokens: 5, errorAfterEvents: 3 });
    const pending = streamed({ way });
    await expect(pending).rejects.toBeInstanceOf(APIError);
  });

  it.each([0, 1])('trap 6: an error before any content has its own status: after %i frames', async (after) => {
    scene.gateway.simulator.script({ errorAfterEvents: after, error: { type: 'ThrottlingException' } });
    const stream = clientOf({ way }).chat.completions.create({ ...bodyOf({ way }, {}), stream: true });
    expect(await refusalOf(Promise.resolve(stream))).toMatchObject({ status: 429 });
  });

  it.each(['cut', 'reset', 'end'] as const)('a stream that stops early is an error: %s', async (by) => {
    scene.gateway.simulator.script({ tokens: 5, stop: { by, afterPieces: 4 } });
    await expect(streamed({ way })).rejects.toBeInstanceOf(Error);
  });

  it('trap 2: a stream in small pieces gives the same text', async () => {
    scene.gateway.simulator.script({ text: 'Grüße 🍵', pieceBytes: [7] });
    expect(responseOf(await streamed({ way })).message.content).toBe('Grüße 🍵');
  });
});
