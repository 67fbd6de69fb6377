// The vendor's own SDK directly against the simulator's Responses API: the SDK accepts the simulator's responses, on
// which the gateway's tests rely.
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Event = OpenAI.Responses.ResponseStreamEvent;

let simulator: Simulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientOf('sk-sim-conformance');
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: simulator.baseUrls['gpt-provider'], maxRetries: 0 });
}

const model = 'gpt-4o-mini';
const thinker = 'gpt-5';
const weather = {
  type: 'function' as const,
  name: 'weather',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const city = { type: 'json_schema' as const, name: 'city', strict: true, schema: weather.parameters };
const patch = {
  type: 'custom' as const,
  name: 'patch',
  format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: /.+/' },
};
const maps = { type: 'namespace' as const, name: 'maps', description: 'Maps of the world', tools: [weather] };
const search = { type: 'web_search' as const };

const create = (params: Partial<Params>) => client.responses.create({ model, input: 'Hello', ...params });
async function eventsOf(params: Partial<Params>): Promise<Event[]> {
  return Array.fromAsync(await client.responses.create({ model, input: 'Hello', ...params, stream: true }));
}
/** The types of the events, with repeated ones once. */
function orderOf(events: readonly Event[]): readonly string[] {
  const types = events.map(({ type }) => type.replace(/^response\./, ''));
  return types.filter((type, index) => type !== types[index - 1]);
}
const itemOf = <Type extends OpenAI.Responses.ResponseOutputItem['type']>(
  { output }: OpenAI.Responses.Response,
  type: Type,
) => {
  const found = output.find((item) => item.type === type);
  if (found === undefined) throw new Error(`the output has ${type}`);
  return found as Extract<OpenAI.Responses.ResponseOutputItem, { type: Type }>;
};
const opened = ['created', 'in_progress'];
const item = (...inner: readonly string[]) => ['output_item.added', ...inner, 'output_item.done'];
const text = ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'];

describe('a response', () => {
  it('has text, usage and the parameters with their defaults', async () => {
    const { data, response } = await client.responses.create({ model, input: 'Hello' }).withResponse();
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'gpt-4o-mini-2024-07-18',
      store: true,
    });
    expect(data).toMatchObject({
      error: null,
      incomplete_details: null,
      tools: [],
      tool_choice: 'auto',
      truncation: 'disabled',
    });
    expect(data).toMatchObject({ parallel_tool_calls: true, temperature: 1, text: { format: { type: 'text' } } });
    expect(data.id).toMatch(/^resp_[0-9a-f]{48}$/);
    expect(itemOf(data, 'message').id).toMatch(/^msg_[0-9a-f]{48}$/);
    expect(data.output_text).toContain('simulated');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('counts the tokens that chat completions count', async () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'How many cups?' },
    ];
    const chat = await client.chat.completions.create({ model: thinker, messages, reasoning_effort: 'low' });
    const { usage } = await create({
      ...{ model: thinker, instructions: 'Be brief.', input: 'How many cups?', reasoning: { effort: 'low' } },
    });
    expect(usage).toEqual({
      input_tokens: chat.usage?.prompt_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: chat.usage?.completion_tokens,
      output_tokens_details: { reasoning_tokens: chat.usage?.completion_tokens_details?.reasoning_tokens },
      total_tokens: chat.usage?.total_tokens,
    });
    expect(usage?.output_tokens_details.reasoning_tokens).toBe(16);
  });

  it('ends at the limit of its tokens', async () => {
    simulator.script({ tokens: 50 });
    const response = await create({ max_output_tokens: 20 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(response.usage?.output_tokens).toBe(20);
    expect(itemOf(response, 'message').status).toBe('incomplete');
    const events = await eventsOf({ model: thinker, max_output_tokens: 16 });
    expect(orderOf(events)).toEqual([...opened, ...item(), 'incomplete']);
  });

  it('follows a directive in its input, scripts and schemas', async () => {
    expect((await create({ input: '{"simulate":{"text":"Tea is ready."}}' })).output_text).toBe('Tea is ready.');
    simulator.script({ text: 'Coffee.' });
    expect((await create({})).output_text).toBe('Coffee.');
    const parsed = await client.responses.parse({ model, input: 'Which city?', text: { format: city } });
    expect(parsed.output_parsed).toEqual({ city: 'simulated' });
  });

  it('has a refusal, usage and failures as scripted', async () => {
    simulator.script({ refusal: 'I cannot help with that.', usage: { prompt_tokens: 7, output_tokens: 9 } });
    const refused = await create({});
    expect(itemOf(refused, 'message').content).toEqual([{ type: 'refusal', refusal: 'I cannot help with that.' }]);
    expect(refused.usage).toMatchObject({ input_tokens: 7, output_tokens: 9 });
    simulator.script({ finishReason: 'failed', error: { code: 'server_error', message: 'It broke.' } });
    expect(await create({})).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'It broke.' } });
    simulator.script({ status: 429 });
    await expect(create({})).rejects.toBeInstanceOf(RateLimitError);
    const wrongKey = clientOf('sk-wrong').responses.create({ model, input: 'Hello' });
    await expect(wrongKey).rejects.toBeInstanceOf(AuthenticationError);
  });
});

describe('a stream', () => {
  it('has each event of a text in its order, numbered without gaps', async () => {
    const events = await eventsOf({});
    expect(orderOf(events)).toEqual([...opened, ...item(...text), 'completed']);
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_event, index) => index));
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('a stream ends with the response');
    expect(last.response.output).toMatchObject([{ content: [{ text: deltas.join('') }] }]);
    expect(deltas.filter(Boolean).length).toBeGreaterThan(5);
  });

  it.each([
    { name: 'text', params: {}, script: { text: 'One two three.' } },
    { name: 'refusal', params: {}, script: { refusal: 'I cannot help.' } },
    {
      name: 'reasoning',
      params: { model: thinker, reasoning: { summary: 'auto' } },
      script: { reasoning: 'A.\n\nB.' },
    },
    {
      ...{ name: 'calls', params: { tools: [weather, patch] } },
      script: {
        toolCalls: [
          { name: 'weather', arguments: '{"city":"Oslo"}' },
          { name: 'patch', arguments: '+ a' },
        ],
      },
    },
    { name: 'search', params: { tools: [search] }, script: { text: 'Rain.', citations: [{ uri: 'https://a.test/' }] } },
  ] as const)('gathers to the whole response: $name', async ({ params, script }) => {
    simulator.script(script, { times: 2 });
    const request = { model, input: 'Hello', ...structuredClone(params) } as Params;
    const whole = await client.responses.create(request);
    const gathered = await client.responses.stream({ ...request, stream: true }).finalResponse();
    const plain = (response: OpenAI.Responses.Response) =>
      JSON.parse(
        JSON.stringify(response.output, (key, value: unknown) =>
          ['id', 'call_id', 'encrypted_content', 'parsed', 'parsed_arguments'].includes(key) ? undefined : value,
        ),
      );
    expect(plain(gathered)).toEqual(plain(whole));
    expect(gathered.usage).toEqual(whole.usage);
  });

  it('has the events of reasoning, calls, searches and refusals', async () => {
    simulator.script({ reasoning: 'First.\n\nSecond.', text: 'Done.' });
    const summary = ['part.added', 'text.delta', 'text.done', 'part.done'].map((one) => `reasoning_summary_${one}`);
    expect(orderOf(await eventsOf({ model: thinker, reasoning: { summary: 'auto' } }))).toEqual([
      ...opened,
      ...item(...summary, ...summary),
      ...item(...text),
      'completed',
    ]);
    const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' };
    simulator.script({ toolCalls: [oslo, { name: 'patch', arguments: '{"input":"+ a"}' }] });
    expect(orderOf(await eventsOf({ tools: [weather, patch] }))).toEqual([
      ...opened,
      ...item('function_call_arguments.delta', 'function_call_arguments.done'),
      ...item('custom_tool_call_input.delta', 'custom_tool_call_input.done'),
      'completed',
    ]);
    simulator.script({ text: 'Rain.', citations: [{ uri: 'https://a.test/', text: 'Rain' }] });
    expect(orderOf(await eventsOf({ tools: [search] }))).toEqual([
      ...opened,
      ...item(...['in_progress', 'searching', 'completed'].map((step) => `web_search_call.${step}`)),
      ...item(...text.toSpliced(2, 0, 'output_text.annotation.added')),
      'completed',
    ]);
    simulator.script({ refusal: 'I cannot help.' });
    const refusal = ['content_part.added', 'refusal.delta', 'refusal.done', 'content_part.done'];
    expect(orderOf(await eventsOf({}))).toEqual([...opened, ...item(...refusal), 'completed']);
  });

  it('breaks with an error event, a failed response or a cut connection', async () => {
    simulator.script({ errorAfterEvents: 3, error: { code: 'server_error', message: 'It broke.' } });
    const response = await client.responses.create({ model, input: 'Hello', stream: true }).asResponse();
    const frames = (await response.text()).split('\n\n');
    expect(frames.slice(3)).toEqual([expect.stringMatching(/^event: error\ndata: \{.+\}$/), '']);
    const error = { type: 'error', code: 'server_error', message: 'It broke.', param: null, sequence_number: 3 };
    expect(JSON.parse(frames[3]?.split('data: ')[1] ?? '')).toEqual(error);
    simulator.script({ errorAfterEvents: 3, error: { message: 'It broke.' } });
    await expect(eventsOf({})).rejects.toThrow('It broke.');
    simulator.script({ finishReason: 'failed', text: 'Half' });
    expect((await eventsOf({})).at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    await expect(eventsOf({})).rejects.toThrow();
  });
});

describe('tools', () => {
  it('are called in parallel, and their outputs are read by the next response', async () => {
    simulator.script({
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Where is it dry?' }];
    const first = await create({ input, tools: [weather] });
    const calls = first.output.filter((one) => one.type === 'function_call');
    expect(calls.map((call) => [call.name, call.arguments, call.status])).toEqual([
      ['weather', '{"city":"Oslo"}', 'completed'],
      ['weather', '{"city":"Rome"}', 'completed'],
    ]);
    const outputs = calls.map((call) => ({
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: 'sun',
    }));
    const second = await create({ input: [...input, ...calls, ...outputs], tools: [weather], store: false });
    expect(second.output_text).toContain('simulated');
    const third = await create({ input: outputs, tools: [weather], previous_response_id: first.id });
    expect(third.usage?.input_tokens).toBe(second.usage?.input_tokens);
    const stray = create({ input: outputs, tools: [weather] });
    await expect(stray).rejects.toThrow(
      `No tool call found for function call output with call_id ${calls[0]?.call_id}.`,
    );
    const open = create({ input: [...input, ...calls, ...outputs.slice(1)] });
    await expect(open).rejects.toThrow(`No tool output found for function call ${calls[0]?.call_id}.`);
  });

  it('take text, are in namespaces, come as items, and are forced', async () => {
    simulator.script({ toolCalls: [{ name: 'patch', arguments: '+ a\n' }] });
    const made = itemOf(await create({ tools: [patch] }), 'custom_tool_call');
    expect(made).toMatchObject({ name: 'patch', input: '+ a\n', id: expect.stringMatching(/^ctc_/) });
    const output = { type: 'custom_tool_call_output' as const, call_id: made.call_id, output: 'changed' };
    expect((await create({ tools: [patch], input: [made, output] })).output_text).toContain('simulated');
    const tools: OpenAI.Responses.ResponseInputItem[] = [
      { type: 'additional_tools', role: 'developer', tools: [maps] },
      { role: 'user', content: 'Hello' },
      { type: 'configuration_update', reasoning: { effort: 'low' } },
    ];
    simulator.script({ toolCalls: [{ name: 'maps__weather', arguments: '{}' }] });
    const inNamespace = await create({ model: thinker, input: tools });
    expect(itemOf(inNamespace, 'function_call')).toMatchObject({ name: 'weather', namespace: 'maps' });
    expect(inNamespace.usage?.output_tokens_details.reasoning_tokens).toBe(16);
    const forced = await create({ tools: [weather], tool_choice: { type: 'function', name: 'weather' } });
    expect(itemOf(forced, 'function_call').arguments).toBe('{"city":"simulated"}');
    const both = await create({ tools: [weather, patch], tool_choice: 'required', parallel_tool_calls: true });
    expect(both.output.map(({ type }) => type)).toEqual(['function_call', 'custom_tool_call']);
  });

  it('search the web if that is scripted or forced', async () => {
    expect((await create({ tools: [search] })).output).toHaveLength(1);
    simulator.script({ text: 'It rains.', citations: [{ uri: 'https://a.test/', title: 'A', text: 'rains' }] });
    const found = await create({ tools: [search] });
    const call = itemOf(found, 'web_search_call');
    expect(call).toMatchObject({ status: 'completed', action: { type: 'search', query: 'simulated' } });
    expect(itemOf(found, 'message').content).toMatchObject([
      { annotations: [{ type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 3, end_index: 8 }] },
    ]);
    simulator.script({ toolCalls: [{ name: 'web_search', arguments: '{"query":"rain"}' }] });
    expect(itemOf(await create({ tools: [search] }), 'web_search_call').action).toMatchObject({ query: 'rain' });
    const forced = await create({ tools: [search], tool_choice: 'required' });
    expect(forced.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
  });
});

describe('reasoning', () => {
  it('is summarized on request and returns with its encrypted content', async () => {
    simulator.script({ reasoning: 'Cups first.' });
    const first = await create({ model: thinker, store: false, reasoning: { summary: 'auto' } });
    const thought = itemOf(first, 'reasoning');
    expect(thought).toMatchObject({ summary: [{ type: 'summary_text', text: 'Cups first.' }] });
    const input = (content: string) => [
      { role: 'user' as const, content: 'Hello' },
      { ...thought, encrypted_content: content },
      itemOf(first, 'message'),
      { role: 'user' as const, content: 'And then?' },
    ];
    const content = thought.encrypted_content ?? '';
    const next = { model: thinker, store: false };
    expect((await create({ ...next, input: input(content) })).status).toBe('completed');
    const refused = { status: 400, code: 'invalid_encrypted_content' };
    await expect(create({ ...next, input: input(`${content}AAAA`) })).rejects.toMatchObject(refused);
    const other = clientOf('sk-sim-other').responses.create({ ...next, input: input(content) });
    await expect(other).rejects.toMatchObject(refused);
    const { encrypted_content: _content, ...bare } = thought;
    const missing = create({ ...next, input: [bare, itemOf(first, 'message')] });
    await expect(missing).rejects.toThrow(/Items are not persisted when `store` is set to false/);
    const alone = create({ ...next, input: [...input(content).slice(0, 2), { role: 'user', content: 'And?' }] });
    await expect(alone).rejects.toThrow(/was provided without its required following item/);
  });

  it('is encrypted only, unless a summary is requested', async () => {
    const quiet = itemOf(await create({ model: thinker, include: ['reasoning.encrypted_content'] }), 'reasoning');
    expect(quiet).toMatchObject({ summary: [], encrypted_content: expect.stringMatching(/^gAAAAA/) });
    expect((await create({ model: 'gpt-5.1', reasoning: { effort: 'none' } })).output).toHaveLength(1);
  });
});

describe('a refused request', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    ['an unknown parameter', { messages: [] }, { param: 'messages', code: 'unknown_parameter' }],
    ['a wrong type', { temperature: 'hot' }, { param: 'temperature', code: 'invalid_type' }],
    ['no input', { input: undefined }, { param: 'input', code: 'missing_required_parameter' }],
    ['no model', { model: undefined }, { param: 'model', code: 'missing_required_parameter' }],
    ['an unknown model', { model: 'gpt-none' }, { status: 404, code: 'model_not_found' }],
    ['fewer than 16 tokens', { max_output_tokens: 15 }, { code: 'integer_below_min_value' }],
    ['an unknown item', { input: [{ type: 'dream' }] }, { param: 'input[0].type', code: 'invalid_value' }],
    [
      'input of the assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: '' }] }] },
      { param: 'input[0].content[0].type' },
    ],
    [
      'an id of another kind',
      { input: [{ type: 'function_call', id: 'call_1', call_id: 'call_1', name: 'a', arguments: '' }] },
      { param: 'input[0].id' },
    ],
    [
      'a tool in the form of chat',
      { tools: [{ type: 'function', function: { name: 'a' } }] },
      { param: 'tools[0].name' },
    ],
    ['a choice without its tool', { tool_choice: { type: 'function', name: 'a' } }, { param: 'tool_choice' }],
    ['a temperature while it reasons', { model: thinker, temperature: 0.5 }, { param: 'temperature' }],
    [
      'an effort without reasoning',
      { reasoning: { effort: 'low' } },
      { param: 'reasoning.effort', code: 'unsupported_parameter' },
    ],
    ['an effort of other models', { model: thinker, reasoning: { effort: 'xhigh' } }, { code: 'unsupported_value' }],
    ['encryption without reasoning', { include: ['reasoning.encrypted_content'] }, { param: 'include' }],
    ['a reference to nothing', { input: [{ type: 'item_reference', id: 'msg_1' }] }, { status: 404, param: 'input' }],
    ['an unknown previous response', { previous_response_id: 'resp_1' }, { code: 'previous_response_not_found' }],
    [
      'a strict schema that leaves something open',
      { text: { format: { ...city, schema: { ...weather.parameters, additionalProperties: true } } } },
      { param: 'text.format.schema', code: 'invalid_json_schema' },
    ],
    [
      'a strict function whose property is optional',
      { tools: [{ ...weather, parameters: { ...weather.parameters, required: [] } }] },
      { param: 'tools[0].parameters', code: 'invalid_function_parameters' },
    ],
    ['an unknown conversation', { conversation: 'conv_1' }, { status: 404 }],
    ['an unknown prompt', { prompt: { id: 'pmpt_1' } }, { status: 404 }],
    ['background without storage', { background: true, store: false }, { param: 'background' }],
    ['JSON that is not mentioned', { text: { format: { type: 'json_object' } } }, { param: 'input' }],
    ['options of a stream without one', { stream_options: {} }, { param: 'stream_options' }],
  ];
  it.each(cases)('has %s', async (_name, params, expected) => {
    const { status = 400, ...fields } = expected as { status?: number };
    const kind = status === 404 ? NotFoundError : BadRequestError;
    const thrown = await create(params as Partial<Params>).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ status, type: 'invalid_request_error', ...fields });
  });
});
