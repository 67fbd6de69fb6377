import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { expectRefusal, postChat, type Refusal, valid } from './post-chat.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, keys: ['sk-listed-key'] });
});
afterAll(() => simulator.close());

const user = { role: 'user', content: 'hello' };
const tool = { type: 'function', function: { name: 'boil', parameters: { type: 'object', properties: {} } } };

const refusedParameters: readonly Refusal[] = [
  ['an unknown parameter', { topk: 3 }, 'topk', 'unknown_parameter'],
  ['temperature as text', { temperature: '1' }, 'temperature', 'invalid_type'],
  ['temperature above 2', { temperature: 2.1 }, 'temperature', 'decimal_above_max_value'],
  ['temperature below 0', { temperature: -0.1 }, 'temperature', 'decimal_below_min_value'],
  ['top_p above 1', { top_p: 1.5 }, 'top_p', 'decimal_above_max_value'],
  ['n of 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['n above 128', { n: 129 }, 'n', 'integer_above_max_value'],
  ['n that is no integer', { n: 1.5 }, 'n', 'invalid_type'],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['a penalty above 2', { presence_penalty: 3 }, 'presence_penalty', 'decimal_above_max_value'],
  ['a bias above 100', { logit_bias: { 50256: 101 } }, 'logit_bias.50256', 'decimal_above_max_value'],
  ['top_logprobs without logprobs', { top_logprobs: 2 }, 'top_logprobs', null],
  ['top_logprobs above 20', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'integer_above_max_value'],
  ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens above the model’s', { max_tokens: 16_385 }, 'max_tokens', 'invalid_value'],
  ['both token limits', { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens', 'invalid_parameter_combination'],
  ['stream as text', { stream: 'true' }, 'stream', 'invalid_type'],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', null],
  ['stream_options with stream false', { stream: false, stream_options: {} }, 'stream_options', null],
  [
    'an unknown stream option',
    { stream: true, stream_options: { usage: true } },
    'stream_options.usage',
    'unknown_parameter',
  ],
  ['metadata without store', { metadata: { team: 'a' } }, 'metadata', null],
  ['metadata that is no text', { store: true, metadata: { team: 1 } }, 'metadata.team', 'invalid_type'],
  [
    '17 pairs of metadata',
    { store: true, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
    'metadata',
    'object_above_max_properties',
  ],
  ['an unknown service tier', { service_tier: 'gold' }, 'service_tier', 'invalid_value'],
  [
    'a safety identifier above 64',
    { safety_identifier: 'x'.repeat(65) },
    'safety_identifier',
    'string_above_max_length',
  ],
  ['user as null', { user: null }, 'user', 'invalid_type'],
  [
    'audio from a text model',
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    'modalities',
    'unsupported_value',
  ],
  ['web search from a model without', { web_search_options: {} }, 'web_search_options', null],
  ['reasoning effort from a model without', { reasoning_effort: 'low' }, 'reasoning_effort', 'unsupported_parameter'],
  ['verbosity from a model without', { verbosity: 'low' }, 'verbosity', 'unsupported_value'],
  ['json_object without the word', { response_format: { type: 'json_object' } }, 'messages', null],
  ['an unknown response format', { response_format: { type: 'yaml' } }, 'response_format.type', 'invalid_value'],
  [
    'a schema without a name',
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    'response_format.json_schema.name',
    'missing_required_parameter',
  ],
];

const takenParameters: readonly (readonly [string, object])[] = [
  [
    'null where the vendor allows it',
    { temperature: null, stop: null, n: null, metadata: null, stream: null, stream_options: null },
  ],
  [
    'every sampling parameter at its bounds',
    {
      temperature: 2,
      top_p: 0,
      frequency_penalty: -2,
      presence_penalty: 2,
      logit_bias: { 1: -100 },
      seed: -1,
    },
  ],
  ['metadata with store', { store: true, metadata: { team: 'a' } }],
  [
    'json_object with the word in any case',
    { messages: [{ role: 'user', content: 'as Json' }], response_format: { type: 'json_object' } },
  ],
  [
    'what newer callers send',
    {
      prompt_cache_key: 'a',
      safety_identifier: 'b',
      service_tier: 'auto',
      prediction: { type: 'content', content: 'x' },
    },
  ],
];

describe('parameters of the GPT provider', () => {
  it.each<Refusal>(refusedParameters)('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>(takenParameters)('accepts %s', async (_name, change) => {
    expect((await postChat(simulator, { ...valid, ...change })).status).toBe(200);
  });
});

describe('tools of the GPT provider', () => {
  it.each<Refusal>([
    ['an empty list', { tools: [] }, 'tools', 'empty_array'],
    ['129 tools', { tools: Array.from({ length: 129 }, () => tool) }, 'tools', 'array_above_max_length'],
    [
      'a name with a dot',
      { tools: [{ type: 'function', function: { name: 'a.b' } }] },
      'tools[0].function.name',
      'invalid_value',
    ],
    [
      'a name above 64',
      { tools: [{ type: 'function', function: { name: 'x'.repeat(65) } }] },
      'tools[0].function.name',
      'string_above_max_length',
    ],
    ['an unknown kind', { tools: [{ type: 'shell' }] }, 'tools[0].type', 'invalid_value'],
    ['a choice without tools', { tool_choice: 'auto' }, 'tool_choice', null],
    ['parallel_tool_calls without tools', { parallel_tool_calls: false }, 'parallel_tool_calls', null],
    ['an unknown choice', { tools: [tool], tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
    [
      'the choice of a tool that is not there',
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'stir' } } },
      'tool_choice',
      null,
    ],
    ['function_call without functions', { function_call: 'auto' }, 'function_call', null],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));
});

describe('reasoning models of the GPT provider', () => {
  const on = (model: string, change: object) => ({ model, ...change });

  it.each<Refusal>([
    ['max_tokens', on('o4-mini', { max_tokens: 5 }), 'max_tokens', 'unsupported_parameter'],
    ['temperature', on('gpt-5', { temperature: 0 }), 'temperature', 'unsupported_value'],
    ['top_p', on('o3', { top_p: 0.5 }), 'top_p', 'unsupported_value'],
    ['stop', on('o3', { stop: 'x' }), 'stop', 'unsupported_parameter'],
    ['logprobs', on('gpt-5', { logprobs: true }), 'logprobs', 'unsupported_parameter'],
    ['a penalty', on('gpt-5', { presence_penalty: 1 }), 'presence_penalty', 'unsupported_parameter'],
    ['an effort it has not', on('gpt-5', { reasoning_effort: 'none' }), 'reasoning_effort', 'unsupported_value'],
    ['an unknown effort', on('gpt-5', { reasoning_effort: 'huge' }), 'reasoning_effort', 'invalid_value'],
    ['tools with an effort', on('gpt-5.4', { tools: [tool] }), 'reasoning_effort', null],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['max_completion_tokens', on('o4-mini', { max_completion_tokens: 500 })],
    ['the default temperature', on('gpt-5', { temperature: 1 })],
    ['temperature without effort', on('gpt-5.1', { temperature: 0, reasoning_effort: 'none' })],
    ['tools without effort', on('gpt-5.4', { tools: [tool], reasoning_effort: 'none' })],
    ['verbosity', on('gpt-5', { verbosity: 'low' })],
  ])('accept %s', async (_name, change) => {
    expect((await postChat(simulator, { ...valid, ...change })).status).toBe(200);
  });
});

describe('authentication, models and bodies of the GPT provider', () => {
  it.each<readonly [string, Record<string, string>, string | null, RegExp]>([
    ['no key', { authorization: '' }, null, /^You didn't provide an API key/],
    ['a key without its scheme', { authorization: 'sk-sim-x' }, null, /^You didn't provide an API key/],
    [
      'an unknown key, showing its ends',
      { authorization: 'Bearer sk-proj-0123456789abcdef' },
      'invalid_api_key',
      /: sk-proj-\*+cdef\. /,
    ],
    [
      'a virtual key of the gateway',
      { authorization: `Bearer sk-svc-${'a'.repeat(49)}` },
      'invalid_api_key',
      /^Incorrect API key/,
    ],
  ])('refuses %s', async (_name, headers, code, message) => {
    const response = await postChat(simulator, valid, headers);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: { message: expect.stringMatching(message), type: 'invalid_request_error', param: null, code },
    });
  });

  it('accepts a listed key and any spelling of Bearer', async () => {
    for (const authorization of ['Bearer sk-listed-key', 'bearer sk-sim-x']) {
      expect((await postChat(simulator, valid, { authorization })).status).toBe(200);
    }
  });

  it('does not know other models, or a model with a provider prefix', async () => {
    for (const model of ['gpt-99', 'gpt-provider/gpt-4o-mini', '', 'toString']) {
      const response = await postChat(simulator, { ...valid, model });
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          error: {
            message: expect.stringContaining('does not exist'),
            type: 'invalid_request_error',
            param: null,
            code: 'model_not_found',
          },
        },
      ]);
    }
  });

  it('refuses a chat with an embedding model', async () => {
    const response = await postChat(simulator, { ...valid, model: 'text-embedding-3-small' });
    expect([response.status, response.text]).toEqual([404, expect.stringContaining('not a chat model')]);
  });

  it.each<readonly [string, unknown, Record<string, string>, RegExp]>([
    ['no model', { messages: [user] }, {}, /you must provide a model parameter/],
    ['a body that is no object', '[]', {}, /you must provide a model parameter/],
    ['a body that is no JSON', '{"model":', {}, /could not parse the JSON body/],
    ['an empty body', '', {}, /could not parse the JSON body/],
    [
      'another content type',
      JSON.stringify(valid),
      { 'content-type': 'text/plain' },
      /you must provide a model parameter/,
    ],
  ])('refuses %s', async (_name, body, headers, message) => {
    const response = await postChat(simulator, body, headers);
    expect(response.status).toBe(400);
    expect(response.text).toMatch(message);
  });

  it('serves its paths with their methods only', async () => {
    const headers = { authorization: 'Bearer sk-sim-x' };
    const status = async (method: string, path: string) =>
      (await fetch(`${simulator.url}${path}`, { method, headers })).status;
    expect(await status('GET', '/v1/chat/completions')).toBe(405);
    expect(await status('POST', '/v1/models')).toBe(405);
    expect(await status('GET', '/v1/embeddings')).toBe(404);
    expect(await status('GET', '/v1/models/a/b')).toBe(404);
    expect(await status('GET', '/v1/models/%E0%A4%A')).toBe(404);
    expect(await status('GET', '/v1/models/gpt%2D4o')).toBe(200);
    expect(await status('GET', '/v1/models?limit=5')).toBe(200);
  });
});
