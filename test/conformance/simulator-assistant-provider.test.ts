// The vendor's own SDK directly against the simulator: the SDK accepts the simulator's responses, on which the
// gateway's tests rely.
import Anthropic, {
  AnthropicError,
  APIConnectionError,
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ContentTooLargeError,
  GatewayTimeoutError,
  InternalServerError,
  NotFoundError,
  OverloadedError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { png } from '../unit/simulator/post-message.ts';

let simulator: Simulator;
let client: Anthropic;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientWith('sk-ant-sim-conformance');
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientWith(apiKey: string, maxRetries = 0): Anthropic {
  const baseURL = simulator.baseUrls['assistant-provider'];
  return new Anthropic({ apiKey, baseURL, maxRetries, logLevel: 'off' });
}

const model = 'claude-sonnet-4-6';
const hello: Anthropic.MessageParam = { role: 'user', content: 'hello' };
const base = { model, max_tokens: 2_000, messages: [hello] };
const boil: Anthropic.Tool = {
  name: 'boil',
  description: 'boils water',
  input_schema: { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] },
};
const stir: Anthropic.Tool = { name: 'stir', input_schema: { type: 'object' } };

function calls(message: Anthropic.Message): readonly Anthropic.ToolUseBlock[] {
  return message.content.filter((block) => block.type === 'tool_use');
}

/** The conversation after the response, with a result for each of its calls. */
function withResults(response: Anthropic.Message): Anthropic.MessageParam[] {
  const results = calls(response).map(({ id }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: [{ type: 'text' as const, text: 'boiling' }],
  }));
  return [hello, { role: 'assistant', content: response.content }, { role: 'user', content: results }];
}

describe('the SDK of the assistant vendor', () => {
  it('creates a message and reads its request id', async () => {
    const message = await client.messages.create(base);
    expect(message.content).toEqual([{ type: 'text', text: expect.stringContaining('simulated') }]);
    expect(message.stop_reason).toBe('end_turn');
    expect(message._request_id).toMatch(/^req_/);
    expect(simulator.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-ant-sim-conformance',
      'anthropic-version': '2026-10-21',
    });
  });

  it('takes the older version and its header', async () => {
    const defaultHeaders = {
      authorization: null,
      'x-api-key': 'sk-ant-sim-older',
      'anthropic-version': '2023-06-01',
    };
    const older = client.withOptions({ defaultHeaders });
    expect((await older.messages.create(base)).content).toHaveLength(1);
    expect(simulator.requests[0]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-sim-older' });
  });

  it('streams to a final message with usage', async () => {
    const stream = client.messages.stream(base);
    const deltas: string[] = [];
    stream.on('text', (delta) => deltas.push(delta));
    const message = await stream.finalMessage();
    expect(deltas.length).toBeGreaterThan(5);
    expect(message.content).toEqual([{ type: 'text', text: deltas.join('') }]);
    expect(message.usage).toMatchObject({ input_tokens: 8, output_tokens: expect.any(Number) });
    expect(message.usage.output_tokens).toBeGreaterThan(5);
  });

  it('iterates raw events', async () => {
    const types: string[] = [];
    for await (const event of await client.messages.create({ ...base, stream: true })) types.push(event.type);
    expect(new Set(types)).toEqual(
      new Set([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]),
    );
  });

  it('streams the message that it creates', async () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    for (const change of [
      {},
      { max_tokens: 5 },
      { stop_sequences: [' simulated'] },
      { thinking: { type: 'adaptive' as const } },
      { model: 'claude-opus-5' },
      { tools: [boil], tool_choice: { type: 'any' as const } },
      { output_config: { format: { type: 'json_schema' as const, schema } } },
    ]) {
      const created = await client.messages.create({ ...base, ...change });
      const streamed = await client.messages.stream({ ...base, ...change }).finalMessage();
      const bare = (message: Anthropic.Message) =>
        JSON.parse(JSON.stringify(message).replaceAll(/simulated\d+/g, 'simulated'));
      expect(bare(streamed)).toMatchObject(bare(created));
    }
  });

  it('lists and retrieves models, page by page', async () => {
    const names = [];
    for await (const one of client.models.list({ limit: 4 })) names.push(one.id);
    expect(names).toContain(model);
    expect(new Set(names).size).toBe(names.length);
    expect(simulator.requests.length).toBeGreaterThan(3);
    const info = await client.models.retrieve('claude-opus-4-5');
    expect(info).toMatchObject({ id: 'claude-opus-4-5-20251101', max_tokens: 64_000 });
    expect(info.capabilities?.thinking.types.enabled.supported).toBe(true);
    await expect(client.models.retrieve('gpt-4o')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('counts tokens', async () => {
    const counted = await client.messages.countTokens({ model, messages: [hello], tools: [boil] });
    const { usage } = await client.messages.create({ ...base, tools: [boil] });
    expect(counted.input_tokens).toBe(usage.input_tokens);
  });

  it('reads an image and a document', async () => {
    const message = await client.messages.create({
      ...base,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 'x' },
          ],
        },
      ],
    });
    expect(message.usage.input_tokens).toBeGreaterThan(1_000);
  });

  it('parses a response by a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, cups: { type: 'integer' } },
      required: ['name', 'cups'],
      additionalProperties: false,
    };
    const message = await client.messages.parse({
      ...base,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(message.parsed_output).toEqual({ name: 'simulated', cups: 0 });
  });

  it('ends a response at stop texts and limits', async () => {
    const stopped = await client.messages.create({ ...base, stop_sequences: [' simulated'] });
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' simulated' });
    const limited = await client.messages.create({ ...base, max_tokens: 5 });
    expect(limited).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 5 } });
  });

  it('reads usage with the prompt cache', async () => {
    const system = [{ type: 'text' as const, text: 'x'.repeat(8_000), cache_control: { type: 'ephemeral' as const } }];
    const { usage } = await client.messages.create({ ...base, system });
    expect(usage.cache_creation_input_tokens).toBeGreaterThan(2_000);
    const again = await client.messages.create({
      ...base,
      system,
      messages: [hello, { role: 'assistant', content: 'x' }, hello],
    });
    expect(again.usage.cache_read_input_tokens).toBeGreaterThan(2_000);
    expect(again.usage.input_tokens).toBeLessThan(100);
  });

  it('accepts a response unchanged as history', async () => {
    simulator.script({
      text: 'Tea is hot.',
      citations: [{ uri: 'https://example.com', text: 'hot' }],
      reasoning: 'Tea?',
    });
    const thinking = { type: 'adaptive' as const };
    const first = await client.messages.create({ ...base, thinking });
    const messages: Anthropic.MessageParam[] = [hello, { role: 'assistant', content: first.content }, hello];
    const again = await client.messages.create({ ...base, thinking, messages });
    expect(again.content.at(-1)).toMatchObject({ text: expect.stringContaining('3 messages') });
  });
});

describe('the SDK with tools', () => {
  it('calls one and sends its result back', async () => {
    const first = await client.messages.create({ ...base, tools: [boil], tool_choice: { type: 'any' } });
    expect(first.stop_reason).toBe('tool_use');
    expect(calls(first)).toMatchObject([{ name: 'boil', input: { cups: 1 } }]);
    const second = await client.messages.create({ ...base, tools: [boil], messages: withResults(first) });
    expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] });
  });

  it('calls several at once, streaming', async () => {
    const tool_choice = { type: 'any' as const, disable_parallel_tool_use: false };
    const stream = client.messages.stream({ ...base, tools: [boil, stir], tool_choice });
    const snapshots: unknown[] = [];
    stream.on('inputJson', (_delta, snapshot) => snapshots.push(snapshot));
    const first = await stream.finalMessage();
    expect(calls(first).map(({ name }) => name)).toEqual(['boil', 'stir']);
    expect(snapshots.length).toBeGreaterThan(3);
    const messages = withResults(first);
    const second = await client.messages.stream({ ...base, tools: [boil, stir], messages }).finalMessage();
    expect(second.stop_reason).toBe('end_turn');
  });

  it('runs tools until the model returns text', async () => {
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const inputs: unknown[] = [];
    const runner = client.beta.messages.toolRunner({
      ...base,
      // The simulator keeps no state, so it has no threads.
      thread: false,
      tools: [
        {
          ...boil,
          input_schema: { ...boil.input_schema, type: 'object' },
          parse: (input: unknown) => input,
          run: (input: unknown) => {
            inputs.push(input);
            return 'boiling';
          },
        },
      ],
    });
    const final = await runner;
    expect(final.content.at(-1)).toMatchObject({ text: expect.stringContaining('simulated') });
    expect(inputs).toEqual([{ cups: 2 }]);
    expect(simulator.requests).toHaveLength(2);
  });

  it('reads a call without input', async () => {
    simulator.script({ toolCalls: [{ name: 'stir', arguments: '' }] });
    const message = await client.messages.stream({ ...base, tools: [stir] }).finalMessage();
    expect(calls(message)).toMatchObject([{ name: 'stir', input: {} }]);
  });
});

describe('the SDK with thinking', () => {
  const manual = {
    ...base,
    model: 'claude-opus-4-5',
    thinking: { type: 'enabled' as const, budget_tokens: 1_024 },
    tools: [boil],
  };

  it.each([
    ['within a budget for thinking', manual],
    ['with adaptive thinking', { ...base, thinking: { type: 'adaptive' as const }, tools: [boil] }],
    ['with thinking by default', { ...base, model: 'claude-opus-5', tools: [boil] }],
  ])('completes a loop of tools %s', async (_name, request) => {
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const first = await client.messages.stream(request).finalMessage();
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    const second = await client.messages.create({ ...request, messages: withResults(first) });
    expect(second.content.at(-1)?.type).toBe('text');
    expect(second.usage.output_tokens_details).toMatchObject({ thinking_tokens: expect.any(Number) });
  });

  it('streams the thought with its signature', async () => {
    const stream = client.messages.stream({ ...base, thinking: { type: 'adaptive' } });
    const thoughts: string[] = [];
    const signatures: string[] = [];
    stream.on('thinking', (delta) => thoughts.push(delta));
    stream.on('signature', (signature) => signatures.push(signature));
    const { content } = await stream.finalMessage();
    expect(content[0]).toEqual({ type: 'thinking', thinking: thoughts.join(''), signature: signatures[0] });
  });

  it('is refused a thought that it changed', async () => {
    simulator.script({ toolCalls: [{ name: 'boil', arguments: '{"cups":2}' }] });
    const first = await client.messages.create(manual);
    const forged = first.content.map((block) => (block.type === 'thinking' ? { ...block, signature: 'c2ln' } : block));
    const messages = withResults({ ...first, content: forged });
    await expect(client.messages.create({ ...manual, messages })).rejects.toMatchObject({
      status: 400,
      apiMessage: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    });
  });
});

describe('the SDK’s errors', () => {
  it.each([
    [400, BadRequestError, 'invalid_request_error'],
    [401, AuthenticationError, 'authentication_error'],
    [402, PaymentRequiredError, 'billing_error'],
    [403, PermissionDeniedError, 'permission_error'],
    [404, NotFoundError, 'not_found_error'],
    [409, ConflictError, 'conflict_error'],
    [413, ContentTooLargeError, 'request_too_large'],
    [429, RateLimitError, 'rate_limit_error'],
    [500, InternalServerError, 'api_error'],
    [504, GatewayTimeoutError, 'timeout_error'],
    [529, OverloadedError, 'overloaded_error'],
  ])('have the class of status %i', async (status, kind, type) => {
    simulator.script({ status, error: { message: 'as scripted' } });
    const error = await client.messages.create(base).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      status,
      type,
      apiMessage: 'as scripted',
      requestID: expect.stringMatching(/^req_/),
    });
  });

  it('have the code of a spending limit', async () => {
    simulator.script({ status: 429, error: { error_code: 'enforced_spend_limit_reached' } });
    await expect(client.messages.create(base)).rejects.toMatchObject({
      errorCode: 'enforced_spend_limit_reached',
    });
  });

  it('report a wrong key, an unknown model and a wrong parameter without a script', async () => {
    await expect(clientWith('sk-ant-other').models.list()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(client.messages.create({ ...base, model: 'claude-99' })).rejects.toBeInstanceOf(NotFoundError);
    const wrong = { ...base, temperature: 1 };
    await expect(client.messages.create(wrong)).rejects.toMatchObject({
      status: 400,
      apiMessage: 'temperature: Extra inputs are not permitted',
    });
  });

  it.each([0, 1, 5])('report an error event in a stream, after %i events', async (errorAfterEvents) => {
    simulator.script({ tokens: 5, errorAfterEvents });
    const error = await client.messages
      .stream(base)
      .finalMessage()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ type: 'overloaded_error' });
  });

  it('report a stream that was cut, one that ended early, and a connection that was reset', async () => {
    simulator.script({ tokens: 50, stop: { by: 'cut', afterPieces: 10 } });
    await expect(client.messages.stream(base).finalMessage()).rejects.toThrow();
    simulator.script({ tokens: 50, stop: { by: 'end', afterPieces: 10 } });
    await expect(client.messages.stream(base).finalMessage()).rejects.toBeInstanceOf(AnthropicError);
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    await expect(client.messages.create(base)).rejects.toBeInstanceOf(APIConnectionError);
  });

  it('are not thrown when a retry succeeds', async () => {
    simulator.script({ status: 529, headers: { 'retry-after-ms': '1' } });
    const message = await clientWith('sk-ant-sim-x', 1).messages.create(base);
    expect(message.content).toHaveLength(1);
    expect(simulator.requests.map((request) => request.status)).toEqual([529, 200]);
  });
});
