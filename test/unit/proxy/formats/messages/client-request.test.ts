import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { messagesClients } from '../../../../../proxy/formats/messages/client.ts';
import { passMessagesRequest } from '../../../../../proxy/formats/messages/pass-request.ts';
import { noOwnTools } from '../../../../../proxy/formats/own-tools.ts';

const path = { model: undefined, stream: undefined };
const user = (content: unknown): JsonObject => ({ role: 'user', content });
const read = (fields: JsonObject) =>
  messagesClients.readRequest({ model: 'm', max_tokens: 9, messages: [user('Hello')], ...fields }, path);
const messagesOf = (...messages: readonly JsonObject[]) => read({ messages }).chat.messages;
const partsOf = (...blocks: readonly JsonObject[]) => {
  const { chat, losses } = read({ messages: [user(blocks)] });
  return { messages: chat.messages, losses };
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const pdf = base64('%PDF-');
const refusal = (param: string) => expect.objectContaining({ code: 'invalid_request', param });

describe('a request of the Messages API as chat completions', () => {
  it('has results of tools as messages of their own, before the text beside them', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'boil', input: { cups: 2 } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '90 °C' };
    const tea = { type: 'text', text: 'Now tea.' };
    expect(messagesOf(user('Boil.'), { role: 'assistant', content: [call] }, user([tea, result]))).toEqual([
      user('Boil.'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'boil', arguments: '{"cups":2}' } }],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: '90 °C' },
      user([tea]),
    ]);
  });

  it('has what the model thought, wrote and called in one message', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const text = { type: 'text', text: 'On it.' };
    const call = { type: 'tool_use', id: 'toolu_1', name: 'boil', input: {} };
    expect(messagesOf(user('Boil.'), { role: 'assistant', content: [thought, text, call] })).toEqual([
      user('Boil.'),
      {
        ...{ role: 'assistant', content: [text], thinking_blocks: [thought] },
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'boil', arguments: '{}' } }],
      },
    ]);
  });

  it.each<[JsonObject, JsonObject]>([
    [{ stop_sequences: ['END'] }, { stop: ['END'] }],
    [{ metadata: { user_id: 'u-7' } }, { user: 'u-7' }],
    [{ service_tier: 'standard_only' }, { service_tier: 'default' }],
    [{ output_config: { effort: 'low' } }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' }, reasoning_effort: 'none' }],
    [
      { temperature: 0.5, top_k: 3 },
      { temperature: 0.5, top_k: 3 },
    ],
  ])('has the options of %j, and no others', (fields, options) => {
    const { model: _, max_tokens: __, messages: ___, ...rest } = read(fields).chat;
    expect(rest).toEqual(options);
    expect(read(fields).losses).toMatchObject({ dropped: [], refusal: undefined });
  });

  it('keeps the texts of the system before the conversation and within it', () => {
    const within = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    const { chat } = read({ system: 'Be kind.', messages: [user('Hello'), within] });
    expect(chat.messages).toEqual([{ role: 'system', content: 'Be kind.' }, user('Hello'), within]);
  });

  const cited = { citations: { enabled: true } };
  const document = (source: JsonObject, more: JsonObject = {}) => ({ type: 'document', source, ...more });
  const file = (data: string, named: JsonObject = {}) => ({ type: 'file', file: { file_data: data, ...named } });
  it.each<[JsonObject, readonly JsonObject[]]>([
    [
      document({ type: 'text', media_type: 'text/plain', data: 'Boil water.' }, { title: 'Tea', context: 'Old.' }),
      [
        { type: 'text', text: 'Old.' },
        { type: 'text', text: 'Tea\nBoil water.' },
      ],
    ],
    [document({ type: 'text', media_type: 'text/plain', data: 'Boil.' }), [{ type: 'text', text: 'Boil.' }]],
    [
      document({ type: 'text', media_type: 'text/plain', data: 'Boil.' }, { title: 'Tea', ...cited }),
      [{ ...file(`data:text/plain;base64,${base64('Boil.')}`, { filename: 'Tea' }), ...cited }],
    ],
    [
      document({ type: 'base64', media_type: 'application/pdf', data: pdf }, { title: 'Tea' }),
      [file(`data:application/pdf;base64,${pdf}`, { filename: 'Tea' })],
    ],
    [document({ type: 'content', content: 'Boil.' }), [{ type: 'text', text: 'Boil.' }]],
    [document({ type: 'url', url: 'https://a.example/tea.pdf' }), [file('https://a.example/tea.pdf')]],
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    ],
    [
      { type: 'search_result', title: 'Tea', source: 'https://a.example', content: [{ type: 'text', text: 'Boil.' }] },
      [{ type: 'text', text: 'Tea\nhttps://a.example\nBoil.' }],
    ],
  ])('has the parts of %j, without a loss', (block, parts) => {
    const { messages, losses } = partsOf(block);
    expect(messages).toEqual([user(parts)]);
    expect(losses).toMatchObject({ dropped: [], refusal: undefined });
  });

  it.each<[JsonObject, string]>([
    [{ messages: [user([{ type: 'text', text: 1 }])] }, 'messages[0].content[0].text'],
    [{ messages: [user(['Hello'])] }, 'messages[0].content[0]'],
    [{ messages: [user({ type: 'text', text: 'Hello' })] }, 'messages[0].content'],
    [{ messages: [{ role: 'system', content: 1 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'tool', content: 'Hello' }] }, 'messages[0].role'],
    [{ messages: [user([{ type: 'tool_result', content: 'a' }])] }, 'messages[0].content[0].tool_use_id'],
    [{ messages: [user([document({ type: 'moon' })])] }, 'messages[0].content[0].source.type'],
    [
      { messages: [user([document({ type: 'base64', media_type: 'application/pdf' })])] },
      'messages[0].content[0].source.data',
    ],
    [
      { messages: [user([document({ type: 'base64', media_type: 'text/html', data: 'AAAA' })])] },
      'messages[0].content[0].source.media_type',
    ],
    [{ messages: [{ role: 'assistant', content: ['Hello'] }] }, 'messages[0].content[0]'],
    [{ system: {} }, 'system'],
    [{ max_tokens: 0 }, 'max_tokens'],
  ])('is refused with the field that is wrong: %j', (fields, param) => {
    expect(() => read(fields)).toThrow(refusal(param));
  });

  it.each<[JsonObject, string]>([
    [document({ type: 'file', file_id: 'file_1' }), 'messages[0].content[0].source'],
    [{ type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }, 'messages[0].content[0]'],
  ])('cannot go to other vendors with %j', (block, param) => {
    expect(partsOf(block).losses.refusal).toMatchObject({ code: 'unsupported_parameter', param });
  });
});

describe('a request of the Messages API with a stored key', () => {
  const pass = (fields: JsonObject, egress: boolean) => {
    const body = { model: 'm', max_tokens: 9, messages: [user('Hello')], ...fields };
    const client = {
      ...{ translation: messagesClients, body, bytes: Buffer.from(JSON.stringify(body)), path, headers: [] },
      ...{ origins: [], losses: { dropped: [], refusal: undefined } },
    };
    return passMessagesRequest(client, 'm', { isOwnKey: false, ownTools: { ...noOwnTools, egress } });
  };

  it.each([{ container: 'container_1' }, { thread: 'thread_1' }, { fallbacks: [{ model: 'claude-opus-4-8' }] }])(
    'cannot name what all keys of the account share, nor further models, even where MCP servers are enabled: %j',
    (fields) => {
      const [param] = Object.keys(fields);
      expect(() => pass(fields, true)).toThrow(expect.objectContaining({ code: 'unsupported_parameter', param }));
    },
  );
});
