// The official SDK of the GPT vendor as a client of the Responses API at all five vendors: what it reads, and what each
// vendor gets.
import type OpenAI from 'openai';
import { APIError, BadRequestError, NotFoundError } from 'openai';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { png } from '../support/png.ts';
import { type Item, orderOf, type Params, patch, thrown, useResponsesClient, weather } from './clients/responses.ts';
import { keyWithout, modelAt } from './clients/scene.ts';

const { clients, client, create, stream } = useResponsesClient();
const { sent } = clients;

const respond = (form: string, vendor: VendorName, params: Params): Promise<OpenAI.Responses.Response> =>
  form === 'whole' ? create(vendor, params) : stream(vendor, params).finalResponse();
/** All events of a stream. */
async function eventsOf(vendor: VendorName, params: Params): Promise<OpenAI.Responses.ResponseStreamEvent[]> {
  const events = await client().responses.create({ model: modelAt(vendor), ...params, stream: true });
  return Array.fromAsync(events);
}

const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' };
const rome = { name: 'weather', arguments: '{"city":"Rome"}' };
const opening = ['response.created', 'response.in_progress', 'response.output_item.added'];
const call = ['response.function_call_arguments.delta', 'response.function_call_arguments.done'];

describe.each(vendorNames)('a model of %s', (vendor) => {
  it('returns text with its usage', async () => {
    const { data, response } = await client()
      .responses.create({ model: modelAt(vendor), instructions: 'Be brief.', input: 'Hello', max_output_tokens: 100 })
      .withResponse();
    // The vendor of the format stores it, and its ids are sealed.
    const store = vendor === 'gpt-provider';
    const ids = store ? /^(?:resp|msg)_gw1_[\w-]+$/ : /^(?:resp|msg)_[0-9a-f]{48}$/;
    expect(data).toMatchObject({ object: 'response', status: 'completed', error: null, store });
    expect(data).toMatchObject({ instructions: 'Be brief.', max_output_tokens: 100, incomplete_details: null });
    expect(data.id).toMatch(ids);
    expect(data.output).toEqual([
      {
        ...{ id: expect.stringMatching(ids), type: 'message', role: 'assistant', status: 'completed' },
        content: [expect.objectContaining({ type: 'output_text', text: expect.stringContaining('simulated') })],
      },
    ]);
    expect(data.output_text).toContain('simulated');
    const { usage } = data;
    expect(usage?.input_tokens).toBeGreaterThan(0);
    expect(usage?.output_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    expect(usage?.output_tokens_details).toEqual({ reasoning_tokens: expect.any(Number) });
    expect(response.headers.get('x-svc-provider')).toBe(vendor);
    expect(sent()).toContain('Be brief.');
  });

  it('streams each event in its order, numbered without gaps', async () => {
    const events = await eventsOf(vendor, { input: 'Hello' });
    expect(orderOf(events)).toEqual([
      ...opening,
      ...['response.content_part.added', 'response.output_text.delta', 'response.output_text.done'],
      ...['response.content_part.done', 'response.output_item.done', 'response.completed'],
    ]);
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_event, index) => index));
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('a stream ends with the response');
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
    expect(last.response.output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text }] }]);
    expect(last.response.usage?.output_tokens).toBeGreaterThan(0);
    expect(text).toContain('simulated');
  });

  it('streams parallel calls one after another', async () => {
    clients.scene.gateway.simulator.script({ toolCalls: [oslo, rome] });
    const events = await eventsOf(vendor, { input: 'Hello', tools: [weather] });
    const item = ['response.output_item.added', ...call, 'response.output_item.done'];
    expect(orderOf(events).slice(-9)).toEqual([...item, ...item, 'response.completed']);
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_event, index) => index));
  });

  it.each(['whole', 'streamed'])('calls tools in parallel and reads their results, %s', async (form) => {
    clients.scene.gateway.simulator.script({ toolCalls: [oslo, rome] });
    const first = await respond(form, vendor, { input: 'Hello', tools: [weather] });
    expect(first.status).toBe('completed');
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['weather', { city: 'Oslo' }],
      ['weather', { city: 'Rome' }],
    ]);
    const results: Item[] = [
      { type: 'function_call_output', call_id: calls[0]?.call_id ?? '', output: 'rain' },
      {
        type: 'function_call_output',
        call_id: calls[1]?.call_id ?? '',
        output: [{ type: 'input_text', text: 'sun' }],
      },
    ];
    const second = await create(vendor, {
      tools: [weather],
      input: [
        { role: 'user', content: 'Hello' },
        ...calls,
        ...results,
        { role: 'user', content: [{ type: 'input_text', text: 'Where is it dry?' }] },
      ],
    });
    expect(second.output_text).toContain('simulated');
    const body = sent();
    expect(body.indexOf('rain')).toBeLessThan(body.indexOf('sun'));
    expect(body).toContain('Where is it dry?');
  });

  it.each(['whole', 'streamed'])('calls a tool whose input is text, %s', async (form) => {
    clients.scene.gateway.simulator.script({ toolCalls: [{ name: 'patch', arguments: '{"input":"+ \\"a\\"\\n"}' }] });
    const { output } = await respond(form, vendor, { input: 'Hello', tools: [patch] });
    const made = output.find((item) => item.type === 'custom_tool_call');
    if (made === undefined) throw new Error('a custom tool is called');
    expect(made).toMatchObject({ name: 'patch', input: '+ "a"\n', id: expect.stringMatching(/^ctc_/) });
    expect(sent()).toContain('start: /.+/');
    await create(vendor, {
      tools: [patch],
      input: [
        { role: 'user', content: 'Hello' },
        made,
        { type: 'custom_tool_call_output', call_id: made.call_id, output: 'changed' },
      ],
    });
    expect(sent()).toContain('changed');
  });

  it.each(['whole', 'streamed'])('calls a function of a namespace, %s', async (form) => {
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'namespace', name: 'maps', description: 'Maps of the world', tools: [weather] },
    ];
    clients.scene.gateway.simulator.script({ toolCalls: [{ ...oslo, name: 'maps__weather' }] });
    const { output } = await respond(form, vendor, { input: 'Hello', tools });
    const made = output.find((item) => item.type === 'function_call');
    if (made === undefined) throw new Error('a function is called');
    expect(made).toMatchObject({ name: 'weather', namespace: 'maps' });
    await create(vendor, {
      tools,
      input: [
        { role: 'user', content: 'Hello' },
        made,
        { type: 'function_call_output', call_id: made.call_id, output: 'rain' },
      ],
    });
    expect(sent()).toContain('Maps of the world');
    const named = vendor === 'gpt-provider' ? '"namespace":"maps"' : 'maps__weather';
    expect(sent()).toContain(named);
  });

  it('sees images, also in outputs of tools', async () => {
    const image = { type: 'input_image' as const, detail: 'auto' as const, image_url: `data:image/png;base64,${png}` };
    await create(vendor, {
      tools: [weather],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Look' }, image] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: [image] },
      ],
    });
    expect(sent().split(png)).toHaveLength(3);
  });

  it('responds in the form of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const { output_text: text } = await create(vendor, {
      input: 'Hello',
      text: { format: { type: 'json_schema', name: 'shape', schema, strict: true } },
    });
    expect(text).not.toBe('');
    expect(sent()).toMatch(/"properties\\?":\{\\?"a\\?"/);
  });

  it.each(['whole', 'streamed'])('is incomplete at the maximum of its tokens, %s', async (form) => {
    clients.scene.gateway.simulator.script({ finishReason: cut[vendor] });
    const params = { input: 'Hello', max_output_tokens: 100 };
    if (form === 'whole') {
      const response = await create(vendor, params);
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
      });
      return;
    }
    const events = await eventsOf(vendor, params);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
  });

  it('fails with the error that the SDK knows', async () => {
    clients.scene.gateway.simulator.script({ status: 400, error: { message: 'the request is wrong' } });
    const error = await thrown(create(vendor, { input: 'Hello' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining('the request is wrong'),
    });
  });

  it('ends a cut stream with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    const { gateway, key } = clients.scene;
    const response = await fetch(`${gateway.proxy.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: modelAt(vendor), input: 'Hello', stream: true }),
    });
    const pieces: Uint8Array[] = [];
    const read = async () => {
      for await (const piece of response.body ?? []) pieces.push(piece);
    };
    await expect(read()).rejects.toThrow();
    const events = Buffer.concat(pieces)
      .toString()
      .split('\n\n')
      .filter((event) => event !== '');
    const seen = events.map((event): Record<string, unknown> => JSON.parse(event.replace(/^.*\ndata: /, '')));
    expect(seen.slice(-2)).toMatchObject([
      { type: 'error', message: expect.any(String) },
      { type: 'response.failed', response: { status: 'failed', id: expect.stringMatching(/^resp_/) } },
    ]);
    expect(seen.map(({ sequence_number: at }) => at)).toEqual(seen.map((_event, index) => index));
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    await expect(stream(vendor, { input: 'Hello' }).finalResponse()).rejects.toBeInstanceOf(APIError);
  });

  it('is not offered tools that another vendor would run, and the response names them', async () => {
    const { response } = await client()
      .responses.create({ model: modelAt(vendor), input: 'Hello', tools: [{ type: 'web_search' }, weather] })
      .withResponse();
    expect(response.headers.get('x-svc-dropped-params')).toContain('tools.web_search');
    expect(sent()).toContain('weather');
    expect(sent()).not.toContain('web_search');
  });

  it.each([
    ['a tool that another vendor would run', { tool_choice: { type: 'web_search_preview' } }, 'tool_choice'],
    ['a stored file', { input: message([{ type: 'input_file', file_id: 'file_1' }]) }, 'input[0].content[0].file_id'],
    ['an item that is stored', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    ['a response before it', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['the background', { background: true }, 'background'],
    ['cutting the input', { truncation: 'auto' }, 'truncation'],
  ])('is not called with %s', async (_what, fields, param) => {
    // It cuts itself, and it stores.
    if (vendor === 'gpt-provider' && ['truncation', 'previous_response_id', 'input[0]'].includes(param)) return;
    const params: object = { input: [{ role: 'user', content: 'Hello' }], tools: [{ type: 'web_search' }], ...fields };
    const error = await thrown(create(vendor, params));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_parameter', param });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

it('a name that nobody lists is an error that the SDK knows, with the nearest names', async () => {
  const apiKey = await keyWithout('gpt-provider', ['assistant-provider/claude-sonnet-4-5'], clients);
  const params = { model: 'claude-sonet-4-5', input: 'Hello' };
  const error = await thrown(client(apiKey).responses.create(params));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({
    code: 'model_not_found',
    param: 'model',
    message: expect.stringMatching(/the nearest that this key may call: assistant-provider\/claude-sonnet-4-5$/),
  });
  // Chat completions have the refusal of the specification.
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const chat = await thrown(client(apiKey).chat.completions.create({ model: params.model, messages }));
  expect(chat).toBeInstanceOf(BadRequestError);
  expect(chat).toMatchObject({ code: 'invalid_request', param: 'model' });
});

/** The vendors' words for the end of the tokens. */
const cut: Record<VendorName, string> = {
  'gpt-provider': 'length',
  'studio-ai': 'length',
  'assistant-provider': 'max_tokens',
  'managed-cloud-models': 'max_tokens',
  'search-provider': 'MAX_TOKENS',
};

function message(content: readonly object[]): readonly object[] {
  return [{ role: 'user', content }];
}
