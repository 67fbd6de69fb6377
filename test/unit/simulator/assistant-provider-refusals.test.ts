import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, expectAcceptance, expectRefusal, type Refusal, user } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const without = (name: string) => ({ [name]: undefined });
const later = { headers: { 'anthropic-version': '2026-10-21' } };
const type = { type: 'ephemeral' };

const refusedParameters: readonly Refusal[] = [
  ['no model', without('model'), 'model: Field required'],
  ['model as a number', { model: 7 }, 'model: Input should be a valid string'],
  ['an empty model', { model: '' }, 'model: String should have at least 1 character'],
  ['no messages', without('messages'), 'messages: Field required'],
  ['no max_tokens', without('max_tokens'), 'max_tokens: Field required'],
  ['max_tokens null', { max_tokens: null }, 'max_tokens: Input should be a valid integer'],
  ['max_tokens with a fraction', { max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
  ['max_tokens below 0', { max_tokens: -1 }, 'max_tokens: must be greater than or equal to 0'],
  [
    'max_tokens above the model’s',
    { max_tokens: 64_001 },
    'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-6',
  ],
  ['an unknown parameter', { n: 2 }, 'n: Extra inputs are not permitted'],
  ['a field of Object', { toString: 1 }, 'toString: Extra inputs are not permitted'],
  ['max_completion_tokens', { max_completion_tokens: 5 }, /^max_completion_tokens: Extra inputs/],
  ['stop', { stop: ['a'] }, 'stop: Extra inputs are not permitted'],
  ['temperature above 1', { temperature: 1.7 }, 'temperature: range: 0..1'],
  ['temperature below 0', { temperature: -0.1 }, 'temperature: range: 0..1'],
  ['temperature as text', { temperature: '1' }, 'temperature: Input should be a valid number'],
  ['temperature null', { temperature: null }, 'temperature: Input should be a valid number'],
  ['top_p above 1', { top_p: 1.5 }, 'top_p: range: 0..1'],
  ['top_k with a fraction', { top_k: 1.5 }, 'top_k: Input should be a valid integer'],
  ['top_k below 0', { top_k: -1 }, 'top_k: Input should be greater than or equal to 0'],
  ['stream null', { stream: null }, 'stream: Input should be a valid boolean'],
  ['one stop as text', { stop_sequences: 'a' }, 'stop_sequences: Input should be a valid array'],
  ['a stop that is no text', { stop_sequences: [1] }, 'stop_sequences.0: Input should be a valid string'],
  [
    'a stop of blanks',
    { stop_sequences: ['a', ' \n'] },
    'stop_sequences: each stop sequence must contain non-whitespace',
  ],
  ['an empty stop', { stop_sequences: [''] }, /must contain non-whitespace$/],
  ['an unknown service tier', { service_tier: 'default' }, "service_tier: Input should be 'auto' or 'standard_only'"],
  ['a service tier null', { service_tier: null }, /^service_tier: Input should be/],
  ['metadata of the caller', { metadata: { team: 'a' } }, 'metadata.team: Extra inputs are not permitted'],
  ['metadata as text', { metadata: 'a' }, 'metadata: Input does not match the expected shape.'],
  ['user_id as a number', { metadata: { user_id: 7 } }, 'metadata.user_id: Input should be a valid string'],
  [
    'user_id above 256',
    { metadata: { user_id: 'x'.repeat(257) } },
    'metadata.user_id: String should have at most 256 characters',
  ],
  [
    'user_id that is an e-mail address',
    { metadata: { user_id: 'a@example.com' } },
    'metadata.user_id: user_id appears to contain an email address',
  ],
  ['system as a number', { system: 7 }, 'system: Input should be a valid array'],
  ['system null', { system: null }, 'system: Input should be a valid array'],
  [
    'an image as system',
    { system: [{ type: 'image' }] },
    "system.0: Input tag 'image' found using 'type' does not match any of the expected tags: 'text'",
  ],
  [
    'an empty text block as system',
    { system: [{ type: 'text', text: '' }] },
    'system: text content blocks must be non-empty',
  ],
  ['inference in an unknown region', { inference_geo: 'eu' }, /must be one of \['global', 'us'\]$/],
  [
    'a container without the tool for it',
    { container: 'container_x' },
    'container: Container identifier can only be provided when using the code execution tool',
  ],
  ['fast speed from a model without', { speed: 'fast' }, "'claude-sonnet-4-6' does not support the `speed` parameter."],
  ['output_config as text', { output_config: 'x' }, 'output_config: Input does not match the expected shape.'],
  ['an unknown output setting', { output_config: { verbosity: 'low' } }, /^output_config.verbosity: Extra/],
  [
    'an unknown effort',
    { output_config: { effort: 'minimal' } },
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  ['an unknown format', { output_config: { format: { type: 'text', schema: {} } } }, /json_schema'$/],
  ['a format without a schema', { output_config: { format: { type: 'json_schema' } } }, /schema: Field required$/],
  ['cache_control as text', { cache_control: 'ephemeral' }, 'cache_control: Input should be an object'],
  [
    'an unknown cache',
    { cache_control: { type: 'persistent' } },
    /^cache_control: Input tag 'persistent' found using 'type'/,
  ],
  [
    'a cache for a day',
    { cache_control: { type: 'ephemeral', ttl: '1d' } },
    "cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  ],
];

describe('parameters of the assistant provider', () => {
  it.each<Refusal>(refusedParameters)('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<Refusal>([
    ['the model before the messages', { messages: 'x', model: 7 }, /^model: /],
    ['tool_choice before tools', { tools: 'x', tool_choice: 7 }, /^tool_choice: /],
    ['messages before system', { system: 7, messages: 'x' }, /^messages: /],
    ['max_tokens before metadata', { metadata: 'x', max_tokens: 'x' }, /^max_tokens: /],
    ['a known field before an unknown one', { zzz: 1, inference_geo: 7 }, /^inference_geo: /],
    ['an unknown field before the conversation', { zzz: 1, messages: [{ ...user, content: [] }] }, /^zzz: /],
    ['the conversation before the container', { messages: [{ ...user, content: [] }], container: 'x' }, /^messages/],
  ])('reports %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    [
      'all that there is',
      {
        system: [{ type: 'text', text: 'Be brief.', cache_control: type }],
        temperature: 0,
        top_k: 5,
        stop_sequences: ['END'],
        stream: false,
        service_tier: 'standard_only',
        metadata: { user_id: 'u-7' },
        inference_geo: 'us',
        speed: 'standard',
        output_config: { effort: 'low' },
        diagnostics: { previous_message_id: null },
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
    ],
    [
      'null where the vendor allows it',
      {
        cache_control: null,
        container: null,
        diagnostics: null,
        inference_geo: null,
        speed: null,
        metadata: { user_id: null },
        output_config: { effort: null, format: null },
      },
    ],
    ['an empty system prompt', { system: '' }],
    ['no tokens at all', { max_tokens: 0 }],
    ['as many tokens as the model can generate', { max_tokens: 64_000 }],
    ['a fast model’s speed', { model: 'claude-opus-4-8', speed: 'fast' }],
    ['no tools', { tools: [] }],
  ])('accepts %s', (_name, change) => expectAcceptance(simulator, change));
});

describe('cache breakpoints of the assistant provider', () => {
  const text = (cache_control: object) => ({ type: 'text', text: 'x', cache_control });

  it.each<Refusal>([
    [
      'a fifth breakpoint',
      {
        tools: [{ ...boil, cache_control: type }],
        system: [text(type)],
        messages: [{ role: 'user', content: [text(type), text(type), text(type)] }],
      },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a fifth that is the request’s own',
      { messages: [{ role: 'user', content: Array(4).fill(text(type)) }], cache_control: type },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'an hour after five minutes',
      { system: [text(type)], messages: [{ role: 'user', content: [text({ ...type, ttl: '1h' })] }] },
      /^messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after/,
    ],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it('accepts four breakpoints, an hour before five minutes', async () => {
    const hour = text({ ...type, ttl: '1h' });
    await expectAcceptance(simulator, {
      system: [hour, hour],
      messages: [{ role: 'user', content: [text(type), text(type)] }],
    });
  });
});

describe('the version 2026-10-21 of the assistant provider', () => {
  it.each(['temperature', 'top_p', 'top_k'])('does not know %s, not even with its default', (name) =>
    expectRefusal(simulator, [name, { [name]: 1 }, `${name}: Extra inputs are not permitted`], later),
  );

  const source = { type: 'text', media_type: 'text/plain', data: 'x' };
  const documented = { role: 'assistant', content: [{ type: 'document', source }] };
  const cited = { role: 'user', content: [{ type: 'text', text: 'x', citations: [{}] }] };

  it.each<Refusal>([
    [
      'a document of the assistant',
      { messages: [user, documented, user] },
      'messages.1.content.0: `document` blocks can only be in `user` messages',
    ],
    ['citations of the user', { messages: [cited] }, /^messages.0.content.0.text.citations: /],
  ])('refuses %s, which the first version accepts', async (...row) => {
    await expectRefusal(simulator, row, later);
    await expectAcceptance(simulator, row[1]);
  });

  it('accepts everything else', () => expectAcceptance(simulator, { tools: [boil], system: 'x' }, later));
});
