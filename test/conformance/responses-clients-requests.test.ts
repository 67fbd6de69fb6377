// What the gateway makes of requests of the Responses API: the official SDK of the GPT vendor as the client, and the
// body that a vendor gets.
import type OpenAI from 'openai';
import { BadRequestError } from 'openai';
import { describe, expect, it } from 'vitest';
import { isObject, objectsOf } from '../../common/json.ts';
import { vendorNames } from '../../common/vendors.ts';
import { type Item, orderOf, patch, thrown, useResponsesClient, weather } from './clients/responses.ts';
import { modelAt } from './clients/scene.ts';

const { clients, client, create, stream } = useResponsesClient();
const { sent } = clients;

const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' };

describe('a request', () => {
  const vendor = 'studio-ai';
  const body = (): Record<string, unknown> => {
    const read: unknown = JSON.parse(sent());
    if (!isObject(read)) throw new Error('a body is an object');
    return read;
  };

  it('has one message of the model for its text and its calls', async () => {
    await create(vendor, {
      tools: [weather],
      input: [
        { role: 'user', content: 'Hello' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'a' },
        { type: 'function_call_output', call_id: 'call_2', output: 'b' },
      ],
    });
    expect(objectsOf(body().messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it('names a field of the input as the client wrote it', async () => {
    const input: object[] = [
      { role: 'user', content: 'Hello' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'user', content: [{ type: 'input_image', detail: 'auto', image_url: 'ftp://x' }] },
    ];
    const params: object = { instructions: 'Be brief.', input };
    const error = await thrown(create('search-provider', params));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: expect.stringContaining('input[2]') });
  });

  it('has the tools of its items too, and only those that are allowed', async () => {
    const item: Item = { type: 'additional_tools', role: 'developer', tools: [weather] };
    await create(vendor, {
      input: [{ role: 'user', content: 'Hello' }, item],
      tools: [patch],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'patch' }] },
    });
    expect(body()).toMatchObject({
      tools: [{ function: { name: 'patch' } }],
      tool_choice: 'auto',
    });
    await create('search-provider', { input: [{ role: 'user', content: 'Hello' }, item], tools: [patch] });
    expect(sent()).toMatch(/"name":"patch".*"name":"weather"/s);
  });

  it('has the options of the last update among its items', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema' as const, name: 'shape', schema, strict: true };
    const update = (fields: object): Item => ({ type: 'configuration_update', ...fields });
    const params = {
      model: 'studio-ai/gpt-5',
      reasoning: { effort: 'low' as const },
      text: { verbosity: 'low' as const },
      input: [
        update({ reasoning: { effort: 'medium' } }),
        { role: 'user' as const, content: 'Hello' },
        update({ reasoning: { effort: 'high' }, text: { format } }),
        update({ text: { format } }),
      ],
    };
    const { response } = await client().responses.create(params).withResponse();
    expect(body()).toMatchObject({
      reasoning_effort: 'high',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'shape', schema } },
    });
    expect(response.headers.get('x-svc-dropped-params')).toBeNull();
  });

  it('has no option that needs tools without tools', async () => {
    await create(vendor, {
      ...{ input: 'Hello', tools: [], tool_choice: 'auto', parallel_tool_calls: true },
      ...{ metadata: { team: 'a' }, store: true, text: { format: { type: 'text' } }, truncation: 'disabled' },
    });
    expect(Object.keys(body()).toSorted()).toEqual(['messages', 'model']);
  });

  it.each(vendorNames)('with what agents send reaches a model of %s', async (name) => {
    const { data, response } = await client()
      .responses.create({
        ...{ model: name === 'gpt-provider' ? 'gpt-provider/gpt-5' : modelAt(name), input: 'Hello' },
        tools: [weather, { type: 'web_search_preview_2025_03_11' }],
        ...{ tool_choice: 'auto', parallel_tool_calls: true, store: false, include: ['reasoning.encrypted_content'] },
        ...{ prompt_cache_key: 'session', metadata: { team: 'a' }, stream_options: null },
      })
      .withResponse();
    expect(data).toMatchObject({ status: 'completed', metadata: { team: 'a' }, prompt_cache_key: 'session' });
    expect(response.headers.get('x-svc-dropped-params')).toContain('tools.web_search_preview');
  });

  it('of a large size is translated too', async () => {
    const input = 'word '.repeat(80_000);
    const { output_text: text } = await create('search-provider', { input });
    expect(text).toContain('simulated');
    expect(sent()).toContain(input.trim());
  });

  it('gets the probabilities of tokens', async () => {
    const params = { input: 'Hello', top_logprobs: 2 };
    const { output } = await create(vendor, params);
    expect(output).toMatchObject([{ content: [{ logprobs: expect.arrayContaining([expect.anything()]) }] }]);
    const streamed = await stream(vendor, params).finalResponse();
    expect(streamed.output).toMatchObject([{ content: [{ logprobs: expect.arrayContaining([expect.anything()]) }] }]);
  });

  it.each([
    ['gpt-provider', 'gpt-5'],
    ['studio-ai', 'gpt-5'],
    ['assistant-provider', 'claude-sonnet-4-5'],
    ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['search-provider', 'gemini-2.5-flash'],
  ])('of a turn after reasoning and a call reaches %s/%s', async (name, model) => {
    const params = {
      ...{ model: `${name}/${model}`, tools: [weather], reasoning: { effort: 'low' as const } },
      ...{ max_output_tokens: 8000, include: ['reasoning.encrypted_content' as const] },
    };
    clients.scene.gateway.simulator.script({ reasoning: 'Let me think.', toolCalls: [oslo] });
    const { output } = await client().responses.create({ ...params, input: 'Hello' });
    const made = output.find((item) => item.type === 'function_call');
    if (made === undefined) throw new Error('a function is called');
    const result: Item = { type: 'function_call_output', call_id: made.call_id, output: 'rain' };
    const input: Item[] = [{ role: 'user', content: 'Hello' }, ...(output as Item[]), result];
    const second = await client().responses.create({ ...params, input });
    expect(second.status).toBe('completed');
  });

  it.each([false, true])('has its numbers in the response as they were written, streamed: %s', async (streamed) => {
    const response = await fetch(`${clients.scene.gateway.proxy.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clients.scene.key}`, 'content-type': 'application/json' },
      body: `{"model": "${modelAt(vendor)}", "input": "Hello", "temperature": 1.0, "max_output_tokens": 1e3, "stream": ${streamed}}`,
    });
    const text = await response.text();
    expect(text).toContain('"temperature":1.0,');
    expect(text).toContain('"max_output_tokens":1e3,');
  });

  it('does not name a function twice', async () => {
    const twice = { ...weather, name: 'maps__weather' };
    const group: OpenAI.Responses.NamespaceTool = {
      ...{ type: 'namespace', name: 'maps', description: 'Maps' },
      tools: [weather],
    };
    const error = await thrown(create(vendor, { input: 'Hello', tools: [twice, group] }));
    expect(error).toMatchObject({ status: 400, param: 'tools[1].tools[0].name' });
  });

  it('shortens a long name, and calls have the client’s', async () => {
    const namespace = 'n'.repeat(40);
    const name = 'f'.repeat(40);
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'namespace', name: namespace, description: '', tools: [{ ...weather, name }] },
    ];
    await create(vendor, { input: 'Hello', tools });
    const [tool] = objectsOf(body().tools);
    const short = isObject(tool?.function) ? String(tool.function.name) : '';
    expect(short).toHaveLength(64);
    clients.scene.gateway.simulator.script({ toolCalls: [{ ...oslo, name: short }] });
    const { output } = await create(vendor, { input: 'Hello', tools });
    expect(output).toMatchObject([{ name, namespace }]);
  });

  it('shows reasoning as a summary', async () => {
    clients.scene.gateway.simulator.script({ reasoning: 'Let me think.' });
    const params = { input: 'Hello', reasoning: { effort: 'low' as const } };
    const model = 'search-provider/gemini-2.5-flash';
    const events = await Array.fromAsync(await client().responses.create({ model, ...params, stream: true }));
    expect(orderOf(events).slice(2, 8)).toEqual([
      'response.output_item.added',
      ...['response.reasoning_summary_part.added', 'response.reasoning_summary_text.delta'],
      ...['response.reasoning_summary_text.done', 'response.reasoning_summary_part.done'],
      'response.output_item.done',
    ]);
    clients.scene.gateway.simulator.script({ reasoning: 'Let me think.' });
    const { output } = await client().responses.create({ model, ...params });
    expect(output[0]).toMatchObject({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: expect.stringContaining('think') }],
    });
    const input: Item[] = [
      { role: 'user', content: 'Hello' },
      ...(output as Item[]),
      { role: 'user', content: 'More' },
    ];
    await client().responses.create({ model, input });
    expect(sent()).not.toContain('Let me think');
  });
});
