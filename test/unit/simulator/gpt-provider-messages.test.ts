import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { expectRefusal, postChat, type Refusal, valid } from './post-chat.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const user = { role: 'user', content: 'hello' };
const call = { id: 'call_1', type: 'function', function: { name: 'boil', arguments: '{}' } };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'done' };

const history = (...messages: object[]) => ({ messages });

const refusedMessages: readonly Refusal[] = [
  ['none', history(), 'messages', 'empty_array'],
  ['no array', { messages: 'hello' }, 'messages', 'invalid_type'],
  ['one without a role', history({ content: 'x' }), 'messages[0].role', 'missing_required_parameter'],
  ['an unknown role', history({ role: 'bot', content: 'x' }), 'messages[0].role', 'invalid_value'],
  ['one without content', history({ role: 'user' }), 'messages[0].content', 'missing_required_parameter'],
  ['content that is null', history({ role: 'user', content: null }), 'messages.[0].content', null],
  ['content that is a number', history({ role: 'user', content: 1 }), 'messages[0].content', 'invalid_type'],
  [
    'an unknown part',
    history({ role: 'user', content: [{ type: 'video' }] }),
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image for the system',
    history({ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a/b' } }] }),
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image that is no URL',
    history({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'cat.png' } }] }),
    'messages[0].content[0].image_url.url',
    'invalid_image_url',
  ],
  ['an unknown field', history({ ...user, cache_control: {} }), 'messages[0].cache_control', 'unknown_parameter'],
  [
    'an unknown field of a part',
    history({ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }),
    'messages[0].content[0].cache_control',
    'unknown_parameter',
  ],
  [
    'tool_calls empty',
    history(user, { role: 'assistant', content: 'x', tool_calls: [] }, user),
    'messages[1].tool_calls',
    'empty_array',
  ],
  [
    'tool_calls null',
    history(user, { role: 'assistant', content: 'x', tool_calls: null }, user),
    'messages[1].tool_calls',
    'invalid_type',
  ],
  [
    'index in a tool call',
    history(user, { ...calling, tool_calls: [{ ...call, index: 0 }] }, result),
    'messages[1].tool_calls[0].index',
    'unknown_parameter',
  ],
  [
    'arguments that are no text',
    history(user, { ...calling, tool_calls: [{ ...call, function: { name: 'boil', arguments: {} } }] }, result),
    'messages[1].tool_calls[0].function.arguments',
    'invalid_type',
  ],
  [
    'an assistant message without content',
    history(user, { role: 'assistant', content: null }),
    'messages.[1].content',
    null,
  ],
  ['a tool result without a call', history(user, result), 'messages.[1].role', null],
  [
    'a tool result for another call',
    history(user, calling, { ...result, tool_call_id: 'call_2' }),
    'messages.[2].tool_call_id',
    null,
  ],
  ['a tool result twice', history(user, calling, result, result), 'messages.[3].role', null],
  ['a call without a result', history(user, calling), 'messages', null],
  ['a call whose result is too late', history(user, calling, user, result), 'messages.[2].role', null],
  [
    'two calls with one result',
    history(user, { ...calling, tool_calls: [call, { ...call, id: 'call_2' }] }, result, user),
    'messages.[3].role',
    null,
  ],
  [
    'more than the model’s context',
    history({ role: 'user', content: 'x'.repeat(600_000) }),
    'messages',
    'context_length_exceeded',
  ],
];

const acceptedMessages: readonly (readonly [string, readonly object[]])[] = [
  [
    'one of its own responses sent back',
    [user, { role: 'assistant', content: 'x', refusal: null, annotations: [] }, user],
  ],
  ['function_call null', [user, { role: 'assistant', content: 'x', function_call: null }, user]],
  [
    'two calls with results in any order',
    [
      user,
      { ...calling, tool_calls: [call, { ...call, id: 'call_2' }] },
      { ...result, tool_call_id: 'call_2' },
      result,
    ],
  ],
  [
    'developer and system anywhere',
    [user, { role: 'developer', content: 'x' }, { role: 'system', content: [{ type: 'text', text: 'x' }] }],
  ],
  [
    'images, audio and files',
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'file', file: { file_id: 'file-1' } },
        ],
      },
    ],
  ],
];

describe('messages to the GPT provider', () => {
  it.each<Refusal>(refusedMessages)('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, readonly object[]]>(acceptedMessages)('accepts %s', async (_name, messages) => {
    const response = await postChat(simulator, { ...valid, messages });
    expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  });
});
