import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { post } from './post-chat.ts';
import {
  apiKey,
  asVendor,
  badRequest,
  boil,
  expectAcceptance,
  expectResponse,
  messages,
  studio,
  user,
} from './post-studio.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
const { dated, v1 } = studio(() => simulator);

describe('a dated version of the studio API', () => {
  it.each<readonly [string, object, string, string | null, string | null]>([
    ['no messages', {}, '2024-10-21', 'messages', 'missing_required_parameter'],
    ['an unknown parameter', { messages, topk: 1 }, '2025-04-01-preview', 'topk', 'unknown_parameter'],
    [
      'max_completion_tokens before its time',
      { messages, max_completion_tokens: 5 },
      '2024-08-01-preview',
      'max_completion_tokens',
      'unknown_parameter',
    ],
    [
      'stream_options before its time',
      { messages, stream: true, stream_options: { include_usage: true } },
      '2024-06-01',
      'stream_options',
      'unknown_parameter',
    ],
    [
      'the vendor’s newer stream options',
      { messages, stream: true, stream_options: { include_obfuscation: false } },
      '2024-10-21',
      'stream_options.include_obfuscation',
      'unknown_parameter',
    ],
    ['store before its time', { messages, store: true }, '2024-10-21', 'store', 'unknown_parameter'],
    [
      'prediction before its time',
      { messages, prediction: { type: 'content', content: 'x' } },
      '2024-12-01-preview',
      'prediction',
      'unknown_parameter',
    ],
    [
      'what only the undated version knows',
      { messages, verbosity: 'low' },
      '2025-04-01-preview',
      'verbosity',
      'unknown_parameter',
    ],
    ['a service tier', { messages, service_tier: 'auto' }, '2025-04-01-preview', 'service_tier', 'unknown_parameter'],
    ['metadata without store', { messages, metadata: { a: 'b' } }, '2024-12-01-preview', 'metadata', null],
    [
      'a developer before its time',
      { messages: [{ role: 'developer', content: 'x' }] },
      '2024-10-21',
      'messages[0].role',
      'invalid_value',
    ],
    [
      'audio before its time',
      {
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }],
      },
      '2024-10-21',
      'messages[0].content[0].type',
      'invalid_value',
    ],
    [
      'a file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'x' } }] }] },
      '2025-04-01-preview',
      'messages[0].content[0].type',
      'invalid_value',
    ],
    [
      'a mark for the prompt cache',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }],
          },
        ],
      },
      '2025-04-01-preview',
      'messages[0].content[0].prompt_cache_breakpoint',
      'unknown_parameter',
    ],
    [
      'a custom tool',
      { messages, tools: [{ type: 'custom', custom: { name: 'x' } }] },
      '2025-04-01-preview',
      'tools[0].type',
      'invalid_value',
    ],
    [
      'a choice among allowed tools',
      {
        messages,
        tools: [boil],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [boil] } },
      },
      '2025-04-01-preview',
      'tool_choice.type',
      'invalid_value',
    ],
    ['temperature above 2', { messages, temperature: 2.5 }, '2024-10-21', 'temperature', 'decimal_above_max_value'],
    [
      'a result without a call',
      { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
      '2024-10-21',
      'messages.[0].role',
      null,
    ],
    ['more output than the model has', { messages, max_tokens: 99_999 }, '2024-10-21', 'max_tokens', 'invalid_value'],
  ])('refuses %s', async (...[, body, version, ...named]) => {
    await expectResponse(await dated('gpt-4o', body, version), 400, asVendor(...named));
  });

  it.each<readonly [string, string, object, string, string]>([
    [
      'a reasoning model',
      'o4-mini',
      { messages },
      '2024-10-21',
      'Model o4-mini is enabled only for api versions 2024-12-01-preview and later',
    ],
    [
      'a schema',
      'gpt-4o',
      { messages, response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
      '2024-06-01',
      'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
    ],
    [
      'a call that must be',
      'gpt-4o',
      { messages, tools: [boil], tool_choice: 'required' },
      '2024-02-01',
      'tool_choice value as required is enabled only for api versions 2024-06-01 and later',
    ],
  ])('refuses %s before its time', async (...[, deployment, body, version, message]) => {
    await expectResponse(await dated(deployment, body, version), 400, badRequest(message));
  });

  it.each<readonly [string, string, object, string]>([
    ['a body that names another model', 'gpt-4o', { messages, model: 'no-such-model' }, '2024-10-21'],
    [
      'what 2024-10-21 knows',
      'gpt-4o',
      {
        messages,
        max_completion_tokens: 5,
        parallel_tool_calls: true,
        tools: [boil],
        seed: 1,
        user: 'x',
        n: 2,
      },
      '2024-10-21',
    ],
    [
      'a reasoning model in its time',
      'o4-mini',
      {
        messages: [{ role: 'developer', content: 'x' }, user],
        reasoning_effort: 'low',
        max_completion_tokens: 100,
      },
      '2024-12-01-preview',
    ],
    [
      'the end user’s security context',
      'gpt-4o',
      { messages, user_security_context: { end_user_id: 'x' } },
      '2024-12-01-preview',
    ],
    [
      'audio from an audio model',
      'gpt-4o-audio-preview',
      { messages, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
      '2025-01-01-preview',
    ],
  ])('accepts %s', async (_name, deployment, body, version) => {
    expectAcceptance(await dated(deployment, body, version));
  });

  it.each<readonly [string, string, string]>([
    ['no JSON', '{"messages":', 'application/json'],
    ['another content type', JSON.stringify({ messages }), 'text/plain'],
    ['a list', '[]', 'application/json'],
  ])('refuses a body that is %s', async (_name, body, type) => {
    const url = `${simulator.baseUrls['studio-ai']}/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21`;
    expect((await post(url, body, { ...apiKey, 'content-type': type })).status).toBe(400);
  });
});

describe('the undated version of the studio API', () => {
  it.each<readonly [string, object, number, object]>([
    ['no model', { model: undefined }, 400, asVendor('model', 'missing_required_parameter')],
    ['an unknown deployment', { model: 'gpt-99' }, 404, asVendor(null, 'DeploymentNotFound')],
    ['the model behind a deployment', { model: 'gpt-4o-2024-11-20' }, 404, asVendor(null, 'DeploymentNotFound')],
    ['an unknown parameter', { apiMode: 'x' }, 400, asVendor('apiMode', 'unknown_parameter')],
    [
      'web search, which the service has not',
      { web_search_options: {} },
      400,
      asVendor('web_search_options', 'unknown_parameter'),
    ],
    [
      'moderation, which the service has not',
      { moderation: { model: 'x' } },
      400,
      asVendor('moderation', 'unknown_parameter'),
    ],
    ['On Your Data, which is retired', { data_sources: [] }, 400, asVendor('data_sources', 'unknown_parameter')],
    [
      'max_tokens of a reasoning model',
      { model: 'gpt-5', max_tokens: 5 },
      400,
      asVendor('max_tokens', 'unsupported_parameter'),
    ],
    ['tools with an effort', { model: 'gpt-5.4', tools: [boil] }, 400, asVendor('reasoning_effort', null)],
    [
      'a schema of a make without',
      { model: 'Phi-4', response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
      422,
      expect.objectContaining({ code: 'parameter_not_supported' }),
    ],
  ])('refuses %s', async (_name, change, status, body) => {
    await expectResponse(await v1(change), status, body);
  });

  it.each<readonly [string, object]>([
    ['a deployment with a name of its own', { model: 'team-chat' }],
    ['a model of another make', { model: 'DeepSeek-V3.2' }],
    ['custom tools', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      'what newer callers send',
      {
        model: 'gpt-5.1',
        verbosity: 'low',
        prompt_cache_key: 'x',
        safety_identifier: 'y',
        service_tier: 'auto',
        user_security_context: {},
      },
    ],
    ['stop as one string', { stop: 'x' }],
    ['metadata with store', { store: true, metadata: { a: 'b' } }],
  ])('accepts %s', async (_name, change) => {
    expectAcceptance(await v1(change));
  });
});
