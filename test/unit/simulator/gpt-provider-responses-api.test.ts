// The simulated Responses API as plain HTTP: what the vendor's SDK does not send, and what it does not show.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { post } from './post-chat.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  post(`${simulator.baseUrls['gpt-provider']}/responses`, body, { authorization: 'Bearer sk-sim-test', ...headers });
const hello = { model: 'gpt-4o-mini', input: 'Hello' };

/** The data of each event, whose type is the name of its frame. */
function eventsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  const frames = text.split('\n\n');
  expect(frames.pop()).toBe('');
  return frames.map((frame) => {
    const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
    const event = JSON.parse(data) as Readonly<Record<string, unknown>>;
    expect(event.type).toBe(name);
    return event;
  });
}

describe('the Responses API of the GPT provider', () => {
  it('names each frame by its event and pads deltas on request', async () => {
    const { headers, text } = await send({ ...hello, stream: true });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const deltas = eventsIn(text).filter((event) => 'delta' in event);
    expect(deltas.every((event) => typeof event.obfuscation === 'string')).toBe(true);
    const plain = await send({ ...hello, stream: true, stream_options: { include_obfuscation: false } });
    expect(plain.text).not.toContain('obfuscation');
  });

  it('has the shape of a recorded response of the vendor', async () => {
    const [created, , added, part, delta] = eventsIn((await send({ ...hello, stream: true })).text);
    const at = { item_id: expect.stringMatching(/^msg_/), output_index: 0, content_index: 0 };
    expect(created).toMatchObject({
      response: { status: 'in_progress', output: [], usage: null, service_tier: 'auto' },
    });
    expect(added).toEqual({
      ...{ type: 'response.output_item.added', sequence_number: 2, output_index: 0 },
      item: { id: at.item_id, type: 'message', status: 'in_progress', content: [], role: 'assistant' },
    });
    expect(part).toEqual({
      ...{ type: 'response.content_part.added', sequence_number: 3, ...at },
      part: { type: 'output_text', annotations: [], logprobs: [], text: '' },
    });
    expect(delta).toEqual({
      ...{ type: 'response.output_text.delta', sequence_number: 4, ...at },
      ...{ delta: expect.any(String), logprobs: [], obfuscation: expect.any(String) },
    });
    expect(await (await send({ ...hello, service_tier: 'fast' })).json()).toMatchObject({ service_tier: 'priority' });
  });

  it('serves what a coding agent sends, and records its bytes', async () => {
    const run = { type: 'function', name: 'run', strict: false, parameters: { type: 'object', properties: {} } };
    const body = JSON.stringify({
      ...{ model: 'gpt-6.1-sol', store: false, stream: true, include: ['reasoning.encrypted_content'] },
      ...{ tool_choice: 'auto', parallel_tool_calls: true, prompt_cache_key: 'thread' },
      ...{ reasoning: { summary: 'auto', context: 'all_turns' }, text: { verbosity: 'low' } },
      client_metadata: { 'x-codex-installation-id': 'a' },
      input: [
        {
          ...{ type: 'additional_tools', role: 'developer' },
          tools: [
            { type: 'namespace', name: 'shell', description: 'Commands', tools: [run] },
            { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } },
            { type: 'web_search', external_web_access: true },
          ],
        },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are an agent.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: '{"simulate":{"reasoning":"R"}}' }] },
        { type: 'configuration_update', reasoning: { effort: 'high' } },
      ],
    });
    const last = eventsIn((await send(body)).text).at(-1);
    expect(last).toMatchObject({
      type: 'response.completed',
      response: {
        ...{ model: 'gpt-6.1-sol', store: false, reasoning: { effort: 'high', summary: 'auto' } },
        output: [{ type: 'reasoning', summary: [{ text: 'R' }] }, { type: 'message' }],
      },
    });
    expect(simulator.requests.at(-1)?.body.toString()).toBe(body);
  });

  it.each([
    ['malformed JSON', '{"model":', {}, { code: null }],
    ['another content type', '{}', { 'content-type': 'text/plain' }, { code: 'unsupported_content_type' }],
    ['a malformed directive', { ...hello, input: '{"simulate":{"speech":1}}' }, {}, { param: 'input' }],
    [
      'more tokens than the model has',
      { ...hello, max_output_tokens: 16_385 },
      {},
      { code: 'integer_above_max_value' },
    ],
    [
      'a longer input than the context',
      { ...hello, input: 'long'.repeat(128_000) },
      {},
      { code: 'context_length_exceeded' },
    ],
    ['a model without text', { ...hello, model: 'whisper-1' }, {}, { param: 'model' }],
  ])('refuses %s', async (_name, body, headers, expected) => {
    const response = await send(body, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', ...expected } });
  });

  it('accepts a longer input where it may be truncated', async () => {
    expect((await send({ ...hello, input: 'long'.repeat(128_000), truncation: 'auto' })).status).toBe(200);
  });
});
