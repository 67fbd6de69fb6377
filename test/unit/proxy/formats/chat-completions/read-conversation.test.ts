import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { withSignature } from '../../../../../proxy/conversation/call-ids.ts';
import type { Conversation } from '../../../../../proxy/conversation/conversation.ts';
import { readConversation } from '../../../../../proxy/formats/chat-completions/read-conversation.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';

const read = (...messages: JsonObject[]): Conversation =>
  readConversation(parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages }))));
const refused = (param: string) => expect.objectContaining({ code: 'invalid_request', param });

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const call = (id: string, name = 'boil', args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calling = (...calls: JsonObject[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content });

const texts = (parts: readonly { readonly kind: string }[]) =>
  parts.map((part) => ('text' in part ? part.text : part.kind));

/** Each turn in short: its role, its texts, its calls or results. */
function shown({ turns }: Conversation): unknown[] {
  return turns.map((turn) => {
    if (turn.role === 'tool') return ['tool', turn.results.map(({ call, parts }) => [call.id, ...texts(parts)])];
    const stated = [turn.role, ...texts(turn.parts)];
    return turn.role === 'assistant' && turn.calls.length > 0 ? [stated, turn.calls.map(({ id }) => id)] : stated;
  });
}

describe('the turns of a conversation', () => {
  it.each([
    ['I cannot.', ['assistant', 'I cannot.']],
    ['', ['assistant']],
  ])('have the refusal %j as text if it has one', (refusal, turn) => {
    expect(shown(read(user(), { role: 'assistant', content: null, refusal }))).toEqual([['user', 'Hi'], turn]);
  });

  it.each([
    [
      'system and developer texts after the first turn keep their position',
      [user('a'), { role: 'developer', content: 'x' }, { role: 'system', content: 'y' }, user('b')],
      [
        ['user', 'a'],
        ['system', 'x', 'y'],
        ['user', 'b'],
      ],
    ],
    [
      'successive messages of one role are one turn',
      [user('a'), user('b'), { role: 'assistant', content: 'c' }, { role: 'assistant', content: 'd' }],
      [
        ['user', 'a', 'b'],
        ['assistant', 'c', 'd'],
      ],
    ],
    [
      'a refusal is the text of its turn',
      [user(), { role: 'assistant', content: null, refusal: 'No.' }],
      [
        ['user', 'Hi'],
        ['assistant', 'No.'],
      ],
    ],
    [
      'an empty response is a turn',
      [user(), { role: 'assistant', content: '' }],
      [
        ['user', 'Hi'],
        ['assistant', ''],
      ],
    ],
    [
      'results are one turn, in the order of their calls',
      [user(), calling(call('1'), call('2')), result('2', 'b'), result('1', 'a'), user('next')],
      [
        ['user', 'Hi'],
        [['assistant'], ['1', '2']],
        [
          'tool',
          [
            ['1', 'a'],
            ['2', 'b'],
          ],
        ],
        ['user', 'next'],
      ],
    ],
    [
      'a system message does not part calls from results',
      [user(), calling(call('1')), { role: 'system', content: 's' }, result('1')],
      [
        ['user', 'Hi'],
        [['assistant'], ['1']],
        ['tool', [['1', 'done']]],
        ['system', 's'],
      ],
    ],
    [
      'calls with the same id get their results in order',
      [user(), calling(call('1'), call('1')), result('1', 'a'), result('1', 'b')],
      [
        ['user', 'Hi'],
        [['assistant'], ['1', '1']],
        [
          'tool',
          [
            ['1', 'a'],
            ['1', 'b'],
          ],
        ],
      ],
    ],
    [
      'a result may be empty',
      [user(), calling(call('1')), result('1', null)],
      [
        ['user', 'Hi'],
        [['assistant'], ['1']],
        ['tool', [['1']]],
      ],
    ],
    [
      'deprecated function calls are calls',
      [
        user(),
        { role: 'assistant', content: null, function_call: { name: 'boil', arguments: '{}' } },
        { role: 'function', name: 'boil', content: 'done' },
      ],
      [
        ['user', 'Hi'],
        [['assistant'], ['call_function']],
        ['tool', [['call_function', 'done']]],
      ],
    ],
  ])('are read from messages: %s', (_what, messages, expected) => {
    expect(shown(read(...messages))).toEqual(expected);
  });

  it('come after the leading system texts, which are kept in order', () => {
    const parts = [
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ];
    const { system } = read({ role: 'system', content: 'a' }, { role: 'developer', content: parts }, user());
    expect(texts(system)).toEqual(['a', 'b', 'c']);
  });

  it('keep thinking blocks unchanged, and drop anything else in their list', () => {
    const thinking = [{ type: 'thinking', thinking: 't', signature: 's' }];
    const { turns } = read(user(), {
      role: 'assistant',
      content: 'a',
      thinking_blocks: [...thinking, 'odd'],
    });
    expect(turns[1]).toMatchObject({ thinking });
  });

  it('are read without changing the request', () => {
    const messages = [user('a'), user('b')];
    const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages })));
    readConversation(request);
    expect(request.body.messages).toEqual(messages);
  });
});

describe('a call in a conversation', () => {
  const first = (...calls: JsonObject[]) => {
    const { turns } = read(user(), calling(...calls), ...calls.map(({ id }) => result(String(id))));
    return turns[1]?.role === 'assistant' ? turns[1].calls[0] : undefined;
  };

  it.each([
    ['{"cups":2}', '{"cups":2}'],
    [' {"cups": 12345678901234567890, "cups": 2.0}\n', ' {"cups": 12345678901234567890, "cups": 2.0}\n'],
    ['', '{}'],
    ['not json', '{}'],
    ['[1]', '{}'],
    ['null', '{}'],
    ['1.0', '{}'],
    [1.5, '{}'],
    [undefined, '{}'],
    [{ cups: 2 }, '{"cups":2}'],
  ])('trap 17: arguments %j are read as the text %j', (args, expected) => {
    expect(first(call('1', 'boil', args))?.arguments.text).toEqual(expected);
  });

  it('trap 11: returns the signature that its id carried', () => {
    expect(first(call(withSignature('1', 'c2ln')))).toMatchObject({ id: '1', signature: 'c2ln' });
  });
});

describe('an invalid conversation', () => {
  it.each([
    ['where a result has no call', [user(), result('1')], 'messages[1].tool_call_id'],
    ['where a result has the id of no call', [user(), calling(call('1')), result('2')], 'messages[2].tool_call_id'],
    [
      'where a call has two results',
      [user(), calling(call('1')), result('1'), result('1')],
      'messages[3].tool_call_id',
    ],
    [
      'where a result has no id',
      [user(), calling(call('1')), { role: 'tool', content: 'x' }],
      'messages[2].tool_call_id',
    ],
    [
      'where a call has no result before the next turn',
      [user(), calling(call('1'), call('2')), result('1'), user()],
      'messages[3]',
    ],
    ['where a call at the end has no result', [user(), calling(call('1'))], 'messages'],
    [
      'where the result of a function has no call',
      [user(), { role: 'function', name: 'boil', content: 'x' }],
      'messages[1].name',
    ],
    [
      'where the assistant sent a file',
      [user(), { role: 'assistant', content: [{ type: 'file', file: { file_data: 'JVBERi0xLjQK' } }] }],
      'messages[1].content[0]',
    ],
    [
      'where the system speaks in images',
      [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] }, user()],
      'messages[0].content[0]',
    ],
    ['where calls are no array', [user(), { role: 'assistant', tool_calls: {} }], 'messages[1].tool_calls'],
    [
      'where a call has no id',
      [user(), calling({ type: 'function', function: { name: 'boil' } })],
      'messages[1].tool_calls[0]',
    ],
    ['where a call has no name', [user(), calling({ id: '1', function: {} })], 'messages[1].tool_calls[0].function'],
    [
      'where a deprecated call has no name',
      [user(), { role: 'assistant', function_call: {} }],
      'messages[1].function_call',
    ],
  ])('is refused %s', (_what, messages, param) => {
    expect(() => read(...messages)).toThrow(refused(param));
  });
});
