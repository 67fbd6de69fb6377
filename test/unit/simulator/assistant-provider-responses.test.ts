import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, history, messageWith, post, request, responseTo, text, user, valid } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseFor = (change: object = {}) => responseTo(simulator, change);

const on = (model: string, change: object = {}) => ({ model, max_tokens: 4_000, ...change });

describe('a response of the assistant provider', () => {
  it('states that it is simulated, and is the same for the same request', async () => {
    const one = await responseFor();
    expect(one).toMatchObject({
      id: expect.stringMatching(/^msg_simulated\d+$/),
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-6',
      content: [{ type: 'text', text: expect.stringContaining('simulated') }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
    });
    expect(one.content[0].text).not.toContain('hello');
    expect({ ...(await responseFor()), id: '' }).toEqual({ ...one, id: '' });
  });

  it('comes from the dated model behind an alias', async () => {
    expect((await responseFor({ model: 'claude-haiku-4-5' })).model).toBe('claude-haiku-4-5-20251001');
  });

  it('has the vendor’s headers', async () => {
    const { headers } = await post(simulator, valid);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('request-id')).toMatch(/^req_simulated\d+$/);
    expect(headers.get('anthropic-organization-id')).toMatch(/^[0-9a-f-]{36}$/);
    for (const name of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
      expect(Number(headers.get(`anthropic-ratelimit-${name}-limit`))).toBeGreaterThan(0);
      expect(Number(headers.get(`anthropic-ratelimit-${name}-remaining`))).toBeGreaterThan(0);
      expect(headers.get(`anthropic-ratelimit-${name}-reset`)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
  });

  it('stops at the token limit, and reports it', async () => {
    const { content, stop_reason, usage } = await responseFor({ max_tokens: 5 });
    expect([content, stop_reason]).toEqual([[text('This is a simulated ')], 'max_tokens']);
    expect(usage.output_tokens).toBe(5);
  });

  it('is empty when no token is allowed', async () => {
    const { content, stop_reason, usage } = await responseFor({ max_tokens: 0 });
    expect([content, stop_reason, usage.output_tokens]).toEqual([[], 'max_tokens', 0]);
  });

  it('stops before the first matching stop sequence, and names it', async () => {
    const { content, stop_reason, stop_sequence } = await responseFor({
      stop_sequences: ['nowhere', ' output', ' simulated'],
    });
    expect([content, stop_reason, stop_sequence]).toEqual([[text('This is a')], 'stop_sequence', ' simulated']);
  });

  it('stops at the end of the context window', async () => {
    const full = { messages: [request('x'.repeat(799_960))], model: 'claude-sonnet-4-5' };
    const { stop_reason, usage } = await responseFor(full);
    expect([stop_reason, usage.input_tokens + usage.output_tokens]).toEqual(['model_context_window_exceeded', 200_000]);
  });

  it('has as many tokens as scripted', async () => {
    simulator.script({ tokens: 7 });
    const { content, usage } = await responseFor();
    expect([content, usage.output_tokens]).toEqual([[text('token '.repeat(7))], 7]);
  });

  it('contains the received request when scripted to echo', async () => {
    simulator.script({ echo: true });
    const echo = JSON.parse((await responseFor()).content[0].text);
    expect(JSON.parse(echo.body)).toEqual(valid);
    expect(echo.headers['x-api-key']).toMatch(/^sha256:/);
  });

  it('can be scripted by the request itself', async () => {
    const directive = (simulate: object) => ({ messages: [request(JSON.stringify({ simulate }))] });
    expect((await responseFor(directive({ text: 'scripted' }))).content).toEqual([text('scripted')]);
    const refused = await post(simulator, { ...valid, ...directive({ colour: 'red' }) });
    expect([refused.status, refused.json().error.message]).toEqual([
      400,
      expect.stringMatching(/^messages: simulate has no field 'colour'/),
    ]);
  });

  it('is not used for a request that the vendor would refuse', async () => {
    simulator.script({ text: 'scripted' });
    expect((await post(simulator, { ...valid, n: 1 })).status).toBe(400);
    expect((await responseFor()).content).toEqual([text('scripted')]);
  });

  it('stops with the scripted reason, and a refusal has details', async () => {
    simulator.script({ finishReason: 'pause_turn' });
    expect(await responseFor()).toMatchObject({ stop_reason: 'pause_turn', stop_details: null });
    simulator.script({ finishReason: 'refusal', text: 'I' });
    expect(await responseFor()).toMatchObject({
      content: [text('I')],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: expect.any(String) },
    });
    simulator.script({ blocked: 'bio' });
    expect(await responseFor()).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'bio' },
    });
  });

  it('cites the results of a search', async () => {
    simulator.script({
      text: 'Tea is hot. Ice is not.',
      citations: [
        { uri: 'https://example.com/tea', title: 'Tea', text: 'Tea is hot.' },
        { uri: 'https://example.com/heat', text: 'Tea is hot.' },
      ],
    });
    const { content, usage } = await responseFor();
    expect(content.map(({ type }: { type: string }) => type)).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'text',
      'text',
    ]);
    expect(content[1]).toMatchObject({ tool_use_id: content[0].id, content: [{ title: 'Tea' }, {}] });
    expect(content[2]).toMatchObject({
      text: 'Tea is hot.',
      citations: [
        { type: 'web_search_result_location', url: 'https://example.com/tea', cited_text: 'Tea is hot.' },
        { url: 'https://example.com/heat' },
      ],
    });
    expect(content[3]).toEqual(text(' Ice is not.'));
    expect(usage.server_tool_use.web_search_requests).toBe(1);
    await responseFor(history(user, messageWith(content), user));
  });
});

describe('a structured response', () => {
  it('matches the schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, kind: { enum: ['black', 'green'] }, cups: { type: 'integer' } },
      required: ['name', 'kind', 'cups'],
      additionalProperties: false,
    };
    const { content } = await responseFor({ output_config: { format: { type: 'json_schema', schema } } });
    expect(JSON.parse(content[0].text)).toEqual({ name: 'simulated', kind: 'black', cups: 0 });
  });
});

describe('tool calls of the assistant provider', () => {
  const stir = { name: 'stir', input_schema: { type: 'object' } };
  const tools = [boil, { type: 'web_search_20250305', name: 'web_search' }, stir];
  const call = (name: string, input: object, at = 1) => ({
    type: 'tool_use',
    id: expect.stringMatching(new RegExp(`^toolu_simulated\\d+_${at}$`)),
    name,
    input,
    caller: { type: 'direct' },
  });

  it.each<readonly [string, unknown, readonly object[] | undefined]>([
    ['none of their own', undefined, undefined],
    ['none with auto', { type: 'auto' }, undefined],
    ['none with none', { type: 'none' }, undefined],
    ['the first when forced', { type: 'any' }, [call('boil', { cups: 1 })]],
    ['the one named', { type: 'tool', name: 'stir' }, [call('stir', {})]],
    [
      'one of each where they may be parallel',
      { type: 'any', disable_parallel_tool_use: false },
      [call('boil', { cups: 1 }), call('stir', {}, 2)],
    ],
  ])('are %s', async (_name, tool_choice, calls) => {
    const { content, stop_reason } = await responseFor({
      tools,
      ...(tool_choice !== undefined && { tool_choice }),
    });
    if (calls === undefined) expect([content[0].type, stop_reason]).toEqual(['text', 'end_turn']);
    else expect([content, stop_reason]).toEqual([calls, 'tool_use']);
  });

  it('are the scripted ones, beside text when there is some', async () => {
    simulator.script({
      text: 'On it.',
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: 'no JSON' },
      ],
    });
    const { content } = await responseFor({ tools });
    expect(content).toEqual([text('On it.'), call('boil', { cups: 2 }), call('stir', {}, 2)]);
  });

  it('have new ids in every response, so that a conversation can contain several calls', async () => {
    const forced = { tools, tool_choice: { type: 'any' } };
    const first = await responseFor(forced);
    const id = first.content[0].id;
    const done = request([{ type: 'tool_result', tool_use_id: id, content: 'done' }]);
    const second = await responseFor({ ...forced, messages: [user, messageWith(first.content), done] });
    expect(second.content[0].id).not.toBe(id);
  });
});

describe('thinking of the assistant provider', () => {
  const adaptive = { thinking: { type: 'adaptive' } };
  const kinds = (change: object) =>
    responseFor(change).then(({ content }) => content.map(({ type }: { type: string }) => type));

  it.each<readonly [string, object, readonly string[]]>([
    ['only on request', {}, ['text']],
    ['when requested', adaptive, ['thinking', 'text']],
    [
      'within a budget',
      on('claude-opus-4-1', { thinking: { type: 'enabled', budget_tokens: 1_024 } }),
      ['thinking', 'text'],
    ],
    ['unrequested with newer models', on('claude-opus-5'), ['thinking', 'text']],
    ['not when it is disabled', on('claude-opus-5', { thinking: { type: 'disabled' } }), ['text']],
    ['not between tools alone', on('claude-sonnet-5-5', { thinking: { type: 'between_tools' } }), ['text']],
    ['not before a forced call', on('claude-opus-5', { tools: [boil], tool_choice: { type: 'any' } }), ['tool_use']],
  ])('is part of the response %s', async (_name, change, expected) => {
    expect(await kinds(change)).toEqual(expected);
  });

  it('is shown or omitted as requested, else by the model’s default', async () => {
    const shown = async (change: object) => (await responseFor(change)).content[0];
    simulator.script({ reasoning: 'Need a kettle.' }, { times: Infinity });
    const signature = expect.stringMatching(/^[A-Za-z0-9+/]{40,}=*$/);
    const open = { type: 'thinking', thinking: 'Need a kettle.', signature };
    const closed = { ...open, thinking: '' };
    const display = (how: string) => ({ thinking: { type: 'adaptive', display: how } });
    expect(await shown(adaptive)).toEqual(open);
    expect(await shown(display('omitted'))).toEqual(closed);
    expect(await shown(on('claude-opus-5', adaptive))).toEqual(closed);
    expect(await shown(on('claude-opus-5', display('summarized')))).toEqual(open);
    simulator.reset();
    simulator.script({ reasoning: 'Need a kettle.', reasoningRedacted: true });
    expect(await shown(adaptive)).toEqual({ type: 'redacted_thinking', data: signature });
  });

  it('counts as output tokens, and can use them up', async () => {
    const { usage } = await responseFor(adaptive);
    expect(usage.output_tokens_details.thinking_tokens).toBeGreaterThan(5);
    expect(usage.output_tokens).toBeGreaterThan(usage.output_tokens_details.thinking_tokens);
    const short = await responseFor({ model: 'claude-opus-5', max_tokens: 5 });
    expect(short).toMatchObject({
      content: [{ type: 'thinking' }],
      stop_reason: 'max_tokens',
      usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 5 } },
    });
    expect((await responseFor()).usage).not.toHaveProperty('output_tokens_details');
  });
});

describe('a scripted error', () => {
  it.each<readonly [number, string]>([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [503, 'api_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('%i is of type %s', async (status, type) => {
    simulator.script({ status, headers: { 'retry-after': '3' } });
    const response = await post(simulator, valid);
    expect([response.status, response.json()]).toEqual([
      status,
      {
        type: 'error',
        error: { type, message: expect.any(String) },
        request_id: response.headers.get('request-id'),
      },
    ]);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(response.headers.get('anthropic-ratelimit-requests-limit')).toBe('4000');
  });

  it('has the scripted message', async () => {
    const error = { message: 'enough', error_code: 'enforced_spend_limit_reached' };
    simulator.script({ status: 429, error });
    expect((await post(simulator, valid)).json().error).toEqual({
      type: 'rate_limit_error',
      message: 'enough',
      details: { error_code: 'enforced_spend_limit_reached' },
    });
  });
});
