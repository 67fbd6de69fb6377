import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModels as listCatalog } from '../../../proxy/catalog/models.ts';
import { findModel } from '../../../simulator/gpt-provider/models.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { type Posted, postChat, valid } from './post-chat.ts';
import { shapes, transcript } from './shapes.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

interface Choice {
  readonly index: number;
  readonly message: { readonly content: string | null; readonly tool_calls?: readonly object[] };
  readonly delta: { readonly content?: string };
  readonly finish_reason: string | null;
  readonly logprobs: { readonly content: readonly { readonly token: string }[] } | null;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

async function responseTo(change: object): Promise<{ choices: readonly Choice[]; usage?: Usage; model: string }> {
  const response = await postChat(simulator, { ...valid, ...change });
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  return (await response.json()) as unknown as { choices: readonly Choice[]; usage?: Usage; model: string };
}

const streamed = (change: object = {}): Promise<Posted> => postChat(simulator, { ...valid, stream: true, ...change });
const contentFor = (change: object) => responseTo(change).then(({ choices }) => choices[0]?.message.content);

describe('streams of the GPT provider', () => {
  it('have the shape of the vendor’s stream, event by event', async () => {
    const simulate = { text: 'Tea ready.' };
    const messages = [{ role: 'user', content: JSON.stringify({ simulate }) }];
    const response = await streamed({ messages, stream_options: { include_usage: true } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(shapes(response.events())).toEqual(shapes(await transcript('gpt-provider-text.sse')));
  });

  it('contain a refusal instead of text, as the whole response does', async () => {
    const refusal = 'I cannot help with that.';
    simulator.script({ refusal }, { times: 2 });
    const whole = await responseTo({});
    expect(whole.choices).toMatchObject([{ message: { content: null, refusal }, finish_reason: 'stop' }]);
    const deltas = (await streamed()).events().map((event) => (event as { choices: [Choice] }).choices[0].delta);
    expect(deltas.map((delta) => (delta as { refusal?: string }).refusal ?? '').join('')).toBe(refusal);
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('');
  });

  it('contain tool calls in the vendor’s deltas', async () => {
    simulator.script({
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '{}' },
      ],
    });
    const deltas = (events: readonly object[]) =>
      shapes(events.map((event) => ({ delta: (event as { choices: [Choice] }).choices[0].delta })));
    const ours = deltas((await streamed()).events());
    const theirs = deltas(await transcript('gpt-provider-tools.sse'));
    // The simulator has one more piece of arguments, because it also splits `{}` in two.
    expect(ours.toSpliced(-2, 1)).toEqual(theirs);
  });

  it('have one id, time and model, and the role once', async () => {
    const events = (await streamed()).events();
    for (const key of ['id', 'created', 'model', 'object']) {
      expect(new Set(events.map((event) => event[key])).size).toBe(1);
    }
    expect(events.filter((event) => JSON.stringify(event).includes('"role"'))).toHaveLength(1);
  });

  it('report usage only when requested, in a last event without choices', async () => {
    const without = (await streamed()).events();
    expect(without.some((event) => 'usage' in event)).toBe(false);
    const events = (await streamed({ stream_options: { include_usage: true } })).events();
    expect(events.slice(0, -1).every((event) => event.usage === null)).toBe(true);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it('contain the same text and usage as the response without streaming', async () => {
    const whole = await responseTo({});
    const events = (await streamed({ stream_options: { include_usage: true } })).events();
    const text = events.flatMap((event) => (event.choices as Choice[]).map((choice) => choice.delta.content ?? ''));
    expect(text.join('')).toBe(whole.choices[0]?.message.content);
    expect(events.at(-1)?.usage).toEqual(whole.usage);
  });

  it('leave out the obfuscation field when requested', async () => {
    const events = (await streamed({ stream_options: { include_obfuscation: false } })).events();
    expect(events.some((event) => 'obfuscation' in event)).toBe(false);
  });

  it('break off with an error event and without [DONE] when scripted', async () => {
    simulator.script({ tokens: 10, errorAfterEvents: 2, error: { message: 'broken', code: 'server_error' } });
    const frames = (await streamed()).text.trimEnd().split('\n\n');
    expect(frames).toHaveLength(3);
    expect(JSON.parse(frames[2]?.slice(6) ?? '')).toEqual({
      error: { message: 'broken', type: 'server_error', param: null, code: 'server_error' },
    });
  });

  it('interleave several choices by index', async () => {
    const events = (await streamed({ n: 2 })).events() as unknown as readonly { choices: [Choice] }[];
    expect(events.slice(0, 4).map((event) => event.choices[0].index)).toEqual([0, 1, 0, 1]);
    expect(events.filter((event) => event.choices[0].finish_reason === 'stop')).toHaveLength(2);
  });
});

describe('response texts of the GPT provider', () => {
  it('state that they are simulated, and are the same for the same request', async () => {
    const text = await contentFor({});
    expect(text).toContain('simulated');
    expect(text).toContain('gpt-4o-mini');
    expect(text).not.toContain('hello');
    expect(await contentFor({})).toBe(text);
  });

  it('come from the dated model behind an alias', async () => {
    expect((await responseTo({})).model).toBe('gpt-4o-mini-2024-07-18');
  });

  it('stop at the token limit, and report it', async () => {
    const { choices, usage } = await responseTo({ max_tokens: 5 });
    expect(choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'This is a simulated ' },
    });
    expect(usage?.completion_tokens).toBe(5);
  });

  it('stop before a stop sequence', async () => {
    const { choices } = await responseTo({ stop: ['nowhere', ' simulated'] });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'This is a' } });
  });

  it('come n times, and cost n times the tokens', async () => {
    const one = await responseTo({});
    const three = await responseTo({ n: 3 });
    expect(three.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(three.usage?.completion_tokens).toBe((one.usage?.completion_tokens ?? 0) * 3);
  });

  it('have as many tokens as scripted', async () => {
    simulator.script({ tokens: 7 });
    const { choices, usage } = await responseTo({});
    expect(choices[0]?.message.content).toBe('token '.repeat(7));
    expect(usage?.completion_tokens).toBe(7);
  });

  it('contain the requested log probabilities', async () => {
    const { choices } = await responseTo({ logprobs: true, top_logprobs: 2 });
    const tokens = choices[0]?.logprobs?.content ?? [];
    expect(tokens.map((one) => one.token).join('')).toBe(choices[0]?.message.content);
    expect(tokens[0]).toMatchObject({ bytes: expect.any(Array), top_logprobs: [{}, {}] });
  });

  it('of a reasoning model cost hidden tokens', async () => {
    const { usage } = await responseTo({ model: 'o4-mini', reasoning_effort: 'high' });
    expect(usage?.completion_tokens_details.reasoning_tokens).toBe(256);
    expect(usage?.completion_tokens).toBeGreaterThan(256);
  });

  it('of a reasoning model are empty when it reasoned up to the limit', async () => {
    const { choices, usage } = await responseTo({ model: 'o4-mini', max_completion_tokens: 10 });
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
    expect(usage).toMatchObject({
      completion_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 10 },
    });
  });
});

describe('usage of the GPT provider', () => {
  it('adds up', async () => {
    const { usage } = await responseTo({});
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(usage?.prompt_tokens).toBe(3 + 3 + 2);
  });

  it('is the scripted one, or missing', async () => {
    simulator.script({ usage: { prompt_tokens: 1_000_000, prompt_tokens_details: { cached_tokens: 9 } } });
    expect((await responseTo({})).usage).toMatchObject({
      prompt_tokens: 1_000_000,
      prompt_tokens_details: { cached_tokens: 9 },
    });
    simulator.script({ usage: null });
    expect(await responseTo({})).not.toHaveProperty('usage');
    simulator.script({ usage: null });
    const events = (await streamed({ stream_options: { include_usage: true } })).events();
    expect(events.every((event) => event.usage === null)).toBe(true);
  });
});

describe('structured responses of the GPT provider', () => {
  it('are a JSON object when one is requested', async () => {
    const messages = [{ role: 'user', content: 'respond in JSON' }];
    const text = await contentFor({ messages, response_format: { type: 'json_object' } });
    expect(JSON.parse(text ?? '')).toEqual({ simulated: true, model: 'gpt-4o-mini' });
  });

  it('match the schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        kind: { enum: ['black', 'green'] },
        cups: { type: 'integer', minimum: 2 },
        hot: { type: 'boolean' },
        leaves: { type: 'array', items: { $ref: '#/$defs/leaf' }, minItems: 1 },
        note: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
        unit: { const: 'g' },
        left: { type: 'string' },
      },
      required: ['name', 'kind', 'cups', 'hot', 'leaves', 'note', 'unit'],
      $defs: {
        leaf: { type: 'object', properties: { weight: { type: ['number', 'null'] } }, required: ['weight'] },
      },
    };
    const text = await contentFor({
      response_format: { type: 'json_schema', json_schema: { name: 'tea', schema } },
    });
    expect(JSON.parse(text ?? '')).toEqual({
      name: 'simulated',
      kind: 'black',
      cups: 2,
      hot: true,
      leaves: [{ weight: 0 }],
      note: null,
      unit: 'g',
    });
  });

  it('end even when the schema is recursive', async () => {
    const schema = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] };
    const text = await contentFor({
      response_format: { type: 'json_schema', json_schema: { name: 'loop', schema } },
    });
    expect(() => JSON.parse(text ?? '')).not.toThrow();
  });
});

describe('tool calls of the GPT provider', () => {
  const tools = [
    {
      type: 'function',
      function: {
        name: 'boil',
        parameters: { type: 'object', properties: { cups: { type: 'integer' } }, required: ['cups'] },
      },
    },
    { type: 'custom', custom: { name: 'shell' } },
  ];
  const boil = {
    id: 'call_simulated_1',
    type: 'function',
    function: { name: 'boil', arguments: '{"cups":0}' },
  };
  const shell = { id: 'call_simulated_1', type: 'custom', custom: { name: 'shell', input: 'simulated' } };

  it.each<readonly [string, unknown, readonly object[] | undefined, string]>([
    ['none of their own', undefined, undefined, 'stop'],
    ['none with auto', 'auto', undefined, 'stop'],
    ['the first when required', 'required', [boil], 'tool_calls'],
    ['the one named, ending with stop as documented', { type: 'function', function: { name: 'boil' } }, [boil], 'stop'],
    ['a custom one', { type: 'custom', custom: { name: 'shell' } }, [shell], 'stop'],
    [
      'one of those allowed',
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'shell' } }] },
      },
      [shell],
      'tool_calls',
    ],
  ])('are %s', async (_name, tool_choice, calls, finish) => {
    const { choices } = await responseTo({ tools, ...(tool_choice !== undefined && { tool_choice }) });
    expect(choices[0]?.message.tool_calls).toEqual(calls);
    expect(choices[0]?.finish_reason).toBe(finish);
    expect(choices[0]?.message.content === null).toBe(calls !== undefined);
  });

  it('are several when the request allows parallel calls', async () => {
    const { choices } = await responseTo({ tools, tool_choice: 'required', parallel_tool_calls: true });
    expect(choices[0]?.message.tool_calls).toEqual([boil, { ...shell, id: 'call_simulated_2' }]);
  });

  it('use the deprecated form when the request does', async () => {
    const functions = [{ name: 'boil', parameters: { type: 'object', properties: {} } }];
    const { choices } = await responseTo({ functions, function_call: { name: 'boil' } });
    expect(choices[0]?.message).toMatchObject({
      content: null,
      function_call: { name: 'boil', arguments: '{}' },
    });
  });
});

describe('the simulated vendor’s models', () => {
  it('include at least those of the catalog', () => {
    const chat = listCatalog().filter((model) => model.provider === 'gpt-provider' && model.chat);
    expect(chat.filter((model) => findModel(model.name)?.chat !== true).map((model) => model.name)).toEqual([]);
  });

  it('are listed in the vendor’s format', async () => {
    const response = await fetch(`${simulator.baseUrls['gpt-provider']}/models`, {
      headers: { authorization: 'Bearer sk-sim-x' },
    });
    const list = (await response.json()) as { data: readonly object[] };
    expect(list).toMatchObject({ object: 'list' });
    expect(list.data).toContainEqual({
      id: 'gpt-4o-mini-2024-07-18',
      object: 'model',
      created: Date.parse('2024-07-18') / 1000,
      owned_by: 'system',
    });
  });
});
