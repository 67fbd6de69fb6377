// The official SDK of the Messages API as a client of all five vendors: what it reads, and what each vendor gets.
import type Anthropic from '@anthropic-ai/sdk';
import { APIError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { png } from '../support/png.ts';
import { hello, useMessagesClient, weather } from './clients/messages.ts';
import { keyWithout, modelAt } from './clients/scene.ts';

const { clients, client, create } = useMessagesClient();
const { sent } = clients;

describe.each(vendorNames)('a model of %s', (vendor) => {
  it('returns text with its usage', async () => {
    const { data, response } = await client()
      .messages.create({ model: modelAt(vendor), max_tokens: 100, system: 'Be brief.', messages: hello })
      .withResponse();
    expect(data).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn', stop_sequence: null });
    expect(data.id).toMatch(/^msg_/);
    expect(data.content).toEqual([
      expect.objectContaining({ type: 'text', text: expect.stringContaining('simulated') }),
    ]);
    expect(data.usage.input_tokens).toBeGreaterThan(0);
    expect(data.usage.output_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-svc-provider')).toBe(vendor);
    expect(sent()).toContain('Be brief.');
  });

  it('streams the events that the SDK folds into a message', async () => {
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 100, messages: hello });
    const types: string[] = [];
    stream.on('streamEvent', ({ type }) => types.push(type));
    const message = await stream.finalMessage();
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('simulated') });
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    const order = types.filter((type, at) => type !== types[at - 1] && type !== 'ping');
    expect(order).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
  });

  it.each(['whole', 'streamed'])('calls tools in parallel and reads their results, %s', async (form) => {
    clients.scene.gateway.simulator.script({
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    });
    const params = { model: modelAt(vendor), max_tokens: 4096, messages: hello, tools: [weather] };
    const first =
      form === 'whole' ? await client().messages.create(params) : await client().messages.stream(params).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['weather', { city: 'Oslo' }],
      ['weather', { city: 'Rome' }],
    ]);
    const second = await create(vendor, {
      tools: [weather],
      messages: [
        ...hello,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: calls[0]?.id ?? '', content: 'rain' },
            { type: 'tool_result', tool_use_id: calls[1]?.id ?? '', content: [{ type: 'text', text: 'sun' }] },
            { type: 'text', text: 'Where is it dry?' },
          ],
        },
      ],
    });
    expect(second.stop_reason).toBe('end_turn');
    const body = sent();
    expect(body.indexOf('rain')).toBeLessThan(body.indexOf('sun'));
    expect(body).toContain('Where is it dry?');
  });

  it('sees images, also in results of tools', async () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
    };
    await create(vendor, {
      tools: [weather],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }] },
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
    const { content } = await create(vendor, {
      messages: hello,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(content[0]?.type).toBe('text');
    expect(sent()).toMatch(/"properties\\?":\{\\?"a\\?"/);
  });

  it('stops at a text', async () => {
    await create(vendor, { messages: hello, stop_sequences: ['END'] });
    expect(sent()).toContain('"END"');
  });

  it('reads a request that is too large for one tick', async () => {
    const text = 'large '.repeat(80_000);
    const { content } = await create(vendor, {
      system: 'Be brief.',
      messages: [{ role: 'user', content: text }, ...hello],
    });
    expect(content[0]?.type).toBe('text');
    expect(sent()).toContain(text.slice(0, -1));
    expect(sent()).toContain('Be brief.');
  });

  it('carries numbers as they are written, there and back', async () => {
    const input = '{"n":12345678901234567890,"x":1.10}';
    clients.scene.gateway.simulator.script({ toolCalls: [{ name: 'weather', arguments: input }] });
    const body = `{"model":"${modelAt(vendor)}","max_tokens":99,"tools":[${JSON.stringify(weather)}],"messages":[
      {"role":"user","content":"Hi"},
      {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":${input}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"rain"}]}]}`;
    const headers = {
      'x-api-key': clients.scene.key,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    };
    const response = await fetch(`${clients.scene.gateway.proxy.url}/v1/messages`, { method: 'POST', headers, body });
    expect(sent().replaceAll('\\"', '"')).toContain('"n":12345678901234567890,"x":1.10');
    // The other simulated vendors have arguments as an object, and round its numbers themselves.
    if (vendor === 'gpt-provider' || vendor === 'studio-ai') {
      expect(await response.text()).toContain('"n":12345678901234567890');
    }
  });

  it('fails with the error that the SDK knows', async () => {
    clients.scene.gateway.simulator.script({ status: 400, error: { message: 'the request is wrong' } });
    const error: unknown = await create(vendor, { messages: hello }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as APIError).error).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('the request is wrong') },
    });
  });

  it('ends a cut stream with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 100, messages: hello });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(APIError);
  });
});

it('a name that nobody lists is an error that the SDK knows, with the nearest names', async () => {
  const apiKey = await keyWithout('assistant-provider', ['gpt-provider/gpt-4o-mini'], clients);
  const params = { model: 'gpt-4o-mimi', max_tokens: 100, messages: hello };
  const error: unknown = await client({ apiKey })
    .messages.create(params)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotFoundError);
  expect((error as APIError).error).toMatchObject({
    type: 'error',
    error: {
      type: 'not_found_error',
      message: expect.stringMatching(/the nearest that this key may call: gpt-provider\/gpt-4o-mini$/),
      details: { error_code: 'model_not_found' },
    },
  });
  const counting = client({ apiKey }).messages.countTokens({ model: params.model, messages: hello });
  await expect(counting).rejects.toBeInstanceOf(NotFoundError);
});

describe('a history with blocks of the vendor’s betas', () => {
  const hop = { model: 'claude-opus-5' };
  const messages: Anthropic.Beta.BetaMessageParam[] = [
    {
      role: 'assistant',
      content: [{ type: 'compaction', content: 'They talked of rain.', encrypted_content: 'c2Vj' }],
    },
    { role: 'user', content: 'And tomorrow?' },
    { role: 'system', content: 'Say it in one word.', clear_at: 'next_user_message' },
    {
      role: 'assistant',
      content: [
        { type: 'fallback', from: hop, to: { model: 'claude-sonnet-4-5' } },
        { type: 'text', text: 'Sunny.' },
      ],
    },
    { role: 'user', content: 'And after that?' },
    { role: 'system', output_config: { effort: 'low' } },
  ];

  it.each(['gpt-provider', 'search-provider', 'managed-cloud-models'] as const)('continues at %s', async (vendor) => {
    const { data, response } = await client()
      .beta.messages.create({ model: modelAt(vendor), max_tokens: 100, messages })
      .withResponse();
    expect(data.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('simulated') });
    for (const text of ['They talked of rain.', 'Sunny.', 'And after that?']) expect(sent()).toContain(text);
    for (const text of ['one word', 'c2Vj', 'fallback']) expect(sent()).not.toContain(text);
    expect(response.headers.get('x-svc-dropped-params')?.split(',')).toEqual([
      'messages.content.encrypted_content',
      'messages.content.fallback',
      'messages.output_config',
    ]);
  });
});

describe('thinking', () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 2048 };
  const thinkers = [
    ['assistant-provider', 'claude-sonnet-4-5'],
    ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ] as const;

  it.each(thinkers)('of %s/%s keeps its signature over turns, whole and streamed', async (vendor, model) => {
    for (const form of ['whole', 'streamed']) {
      clients.scene.gateway.simulator.script({
        reasoning: 'Let me think.',
        toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }],
      });
      const params = { model: modelAt(vendor, model), max_tokens: 4096, thinking, tools: [weather], messages: hello };
      const first =
        form === 'whole'
          ? await client().messages.create(params)
          : await client().messages.stream(params).finalMessage();
      const [thought, call] = first.content;
      expect(thought).toMatchObject({
        type: 'thinking',
        thinking: 'Let me think.',
        signature: expect.stringMatching(/.{20}/),
      });
      if (thought?.type !== 'thinking' || call?.type !== 'tool_use') throw new Error('thinking, then a call');
      await client().messages.create({
        ...params,
        messages: [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'rain' }] },
        ],
      });
      expect(sent()).toContain(thought.signature);
    }
  });

  it.each([
    ['gpt-provider', 'gpt-5'],
    ['search-provider', 'gemini-2.5-flash'],
  ] as const)(
    'of %s/%s is requested by its effort, and is no thinking of Claude when it comes back',
    async (vendor, model) => {
      clients.scene.gateway.simulator.script({ reasoning: 'Let me think.' });
      const params = { model: modelAt(vendor, model), max_tokens: 4096, thinking, messages: hello };
      const { content } = await client().messages.create(params);
      expect(sent()).toMatch(/"reasoning_effort":"low"|thinkingConfig/);
      const messages = [...hello, { role: 'assistant' as const, content }, ...hello];
      await create('assistant-provider', { messages });
      expect(sent()).not.toContain('Let me think');
    },
  );
});
