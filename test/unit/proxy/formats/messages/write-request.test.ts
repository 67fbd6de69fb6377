import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { assistantProvider } from '../../../../../proxy/providers/assistant-provider.ts';
import { goldenCall } from '../../../../support/golden.ts';

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const text = (text: string) => ({ type: 'text', text: text });
const tool = (name: string, fields: JsonObject = {}) => ({ type: 'function', function: { name, ...fields } });
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } })),
});
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content });
const refused = (param: string, code = 'invalid_request') => expect.objectContaining({ code, param });

function built(fields: JsonObject) {
  const request = { model: 'claude-sonnet-4-5', max_tokens: 2000, messages: [user()], ...fields };
  const call = goldenCall(assistantProvider, parseChatRequest(Buffer.from(JSON.stringify(request))));
  const { body, dropped, maxTokens } = assistantProvider.format.writeRequest(call);
  return { body: JSON.parse(body), dropped, maxTokens };
}
const messagesOf = (...messages: JsonObject[]) => built({ messages }).body.messages;

describe('messages to the assistant vendor', () => {
  it.each([
    [
      'trap 13: results precede the text of the same turn',
      [user(), calling('a', 'b'), result('b'), result('a'), user('next')],
      { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }, text('next')] },
    ],
    [
      'trap 14: a developer message between turns becomes a note there and keeps the turns unchanged',
      [user('a'), { role: 'developer', content: 'd' }, user('b')],
      { role: 'user', content: [text('a'), text('<system_message>\nd\n</system_message>'), text('b')] },
    ],
    [
      'trap 15: a blank turn of the user is not empty',
      [user(), { role: 'assistant', content: 'a' }, user(' \n')],
      { role: 'user', content: [text('.')] },
    ],
    [
      'trap 15: a turn may be an image alone',
      [user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])],
      { role: 'user', content: [{ type: 'image', source: { type: 'url' } }] },
    ],
    [
      'an empty response is omitted',
      [user('a'), { role: 'assistant', content: '' }, user('b')],
      { role: 'user', content: [text('a'), text('b')] },
    ],
    [
      'a result may be empty',
      [user(), calling('a'), result('a', '')],
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ],
  ])('are written: %s', (_what, messages, last) => {
    expect(messagesOf(...messages).at(-1)).toMatchObject(last);
  });

  it('trap 15: contain only the calls of a message without text', () => {
    for (const content of [null, '', ' ', []]) {
      const stated = { ...calling('a'), content };
      expect(messagesOf(user(), stated, result('a'))[1].content).toEqual([
        { type: 'tool_use', id: 'a', name: 'boil', input: {} },
      ]);
    }
  });

  it('begin with the user', () => {
    expect(messagesOf({ role: 'assistant', content: 'a' }, user()).map(({ role }: JsonObject) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    expect(messagesOf({ role: 'system', content: 's' })).toEqual([{ role: 'user', content: [text('.')] }]);
  });

  it('end with the text that the model continues, or with the user', () => {
    const messages = [user(), { role: 'assistant', content: 'It is \n' }];
    const last = (fields: JsonObject) => built({ messages, ...fields }).body.messages.at(-1);
    const requested = { role: 'user', content: [text('Continue.')] };
    expect(last({})).toEqual({ role: 'assistant', content: [text('It is')] });
    expect(last({ model: 'claude-opus-4-6' })).toEqual(requested);
    expect(last({ reasoning_effort: 'low' })).toEqual(requested);
    const format = {
      type: 'json_schema',
      json_schema: { name: 'a', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    };
    expect(last({ response_format: format })).toEqual(requested);
  });

  it('have the same valid id for a foreign call and its result', () => {
    const [, called, response] = messagesOf(user(), calling('call:1', 'call.1'), result('call.1'), result('call:1'));
    expect(called.content.map(({ id }: JsonObject) => id)).toEqual(['call_1', 'call_1_2']);
    expect(response.content.map((one: JsonObject) => one.tool_use_id)).toEqual(['call_1', 'call_1_2']);
  });

  it('contain earlier thinking only if the model thinks', () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 't', signature: 's' }];
    const messages = [user(), { role: 'assistant', content: 'a', thinking_blocks }, user()];
    expect(built({ messages }).body.messages[1].content).toEqual([...thinking_blocks, text('a')]);
    expect(built({ messages, model: 'claude-3-haiku-20240307' }).body.messages[1].content).toEqual([text('a')]);
  });

  it('contain no thinking without a valid signature', () => {
    const odd = [
      { type: 'thinking', thinking: 't' },
      { type: 'thinking', signature: 's' },
      { type: 'redacted_thinking' },
      { type: 'x' },
      4,
    ];
    const stated = { role: 'assistant', content: 'a', thinking_blocks: odd, reasoning_content: 'r' };
    expect(messagesOf(user(), stated, user())[1].content).toEqual([text('a')]);
  });
});

describe('thinking with a budget', () => {
  const thinking_blocks = [{ type: 'thinking', thinking: 't', signature: 's' }];
  const called = { ...calling('a'), thinking_blocks };

  it.each([
    ['begins with a question', [user()], true],
    ['continues where the thoughts were sent back', [user(), called, result('a')], true],
    ['continues over several calls', [user(), called, result('a'), calling('b'), result('b')], true],
    [
      'stops where they were not, even with an empty response in between',
      [user(), calling('a'), result('a'), { role: 'assistant', content: ' ' }, user(), user()],
      false,
    ],
    ['stops where they did not', [user(), calling('a'), result('a')], false],
    [
      'begins anew with the next question',
      [user(), calling('a'), result('a'), { role: 'assistant', content: 'x' }, user()],
      true,
    ],
  ])('thinking %s', (_what, messages, on) => {
    const { body, dropped } = built({ messages, reasoning_effort: 'low', temperature: 0.5 });
    expect('thinking' in body).toBe(on);
    expect(dropped).toEqual([on ? 'temperature' : 'reasoning_effort']);
  });
});

describe('tools of a request to the assistant vendor', () => {
  const tools = [tool('boil'), tool('stir')];

  it.each([
    ['auto is omitted when the caller omits it', {}, undefined],
    ['auto', { tool_choice: 'auto' }, { type: 'auto' }],
    ['required', { tool_choice: 'required' }, { type: 'any' }],
    ['named', { tool_choice: tool('stir') }, { type: 'tool', name: 'stir' }],
    ['trap 16: none keeps the tools', { tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    ['one at a time', { parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'none allowed',
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
      { type: 'none' },
    ],
  ])('are chosen by tool_choice: %s', (_what, fields, expected) => {
    const { body, dropped } = built({ tools, ...fields });
    expect(body.tool_choice).toEqual(expected);
    expect(body.tools).toHaveLength(2);
    expect(dropped).toEqual([]);
  });

  it.each([
    ['while it thinks', { reasoning_effort: 'low' }],
    ['where it takes no force', { model: 'claude-opus-5-5' }],
  ])('trap 16: cannot be forced on a model %s', (_what, fields) => {
    const forced = { tools, tool_choice: 'required', parallel_tool_calls: false, ...fields };
    const { body, dropped } = built(forced);
    expect(body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(dropped).toEqual(['tool_choice']);
    const functions = [{ name: 'boil' }];
    const legacy = built({ functions, function_call: { name: 'boil' }, ...fields });
    expect(legacy.dropped).toEqual(['function_call']);
  });

  it('are strict if the model enforces schemas', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const strict = [tool('boil', { strict: true, parameters })];
    expect(built({ tools: strict }).body.tools[0]).toMatchObject({
      strict: true,
      input_schema: { additionalProperties: false },
    });
    const older = built({ tools: strict, model: 'claude-opus-4-1' });
    expect(older.body.tools[0]).toEqual({ name: 'boil', input_schema: parameters });
    expect(older.dropped).toEqual(['tools.strict']);
  });

  it('trap 16: are generated from the history when the request has none, and none may be called', () => {
    const { body } = built({ messages: [user(), calling('a'), result('a')] });
    expect(body).toMatchObject({ tools: [{ name: 'boil' }], tool_choice: { type: 'none' } });
  });

  it('can include the vendor’s own search', () => {
    const { body, dropped } = built({ tools, web_search_options: {} });
    expect(body.tools.at(-1)).toEqual({ type: 'web_search_20250305', name: 'web_search', max_uses: 5 });
    expect(dropped).toEqual([]);
    const taken = built({ tools: [tool('web_search')], web_search_options: {} });
    expect([taken.body.tools.length, taken.dropped]).toEqual([1, ['web_search_options']]);
  });
});

describe('the output limit of a request to the assistant vendor', () => {
  it.each([
    ["trap 21: is the model's own where the caller gives none", { max_tokens: undefined }, 64_000, 64_000],
    ['is small where nothing is known of the model', { max_tokens: undefined, model: 'claude-new-9' }, 4096, 4096],
    ["is the caller's", { max_tokens: 5 }, 5, undefined],
    ['trap 21: is read from either field', { max_tokens: undefined, max_completion_tokens: 7 }, 7, undefined],
    ['is no more than the model puts out', { max_tokens: 1_000_000 }, 64_000, undefined],
    ["is the caller's where nothing is known", { max_tokens: 1_000_000, model: 'claude-new-9' }, 1_000_000, undefined],
  ])('is chosen: %s', (_what, fields, tokens, ours) => {
    const { body, maxTokens } = built(fields);
    expect(body.max_tokens).toBe(tokens);
    expect(maxTokens).toBe(ours);
  });
});

describe('options of a request to the assistant vendor', () => {
  it.each([
    [{ stop: 'END' }, { stop_sequences: ['END'] }, []],
    [{ stop: ['\n', ''] }, {}, ['stop']],
    [{ user: 'u-7' }, { metadata: { user_id: 'u-7' } }, []],
    [{ user: 'u-7', safety_identifier: 's-1' }, { metadata: { user_id: 's-1' } }, ['user']],
    [{ user: 'u-7', safety_identifier: 'u-7' }, { metadata: { user_id: 'u-7' } }, []],
    [{ user: 'a@example.com' }, {}, ['user']],
    [{ user: 'x'.repeat(257) }, {}, ['user']],
    [{ user: '' }, {}, ['user']],
    [{ service_tier: 'auto' }, { service_tier: 'auto' }, []],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }, []],
    [{ service_tier: 'priority' }, {}, ['service_tier']],
    [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } }, []],
    [{ cache_control: { type: 'ephemeral', ttl: '5m' } }, { cache_control: { type: 'ephemeral', ttl: '5m' } }, []],
    [{ cache_control: { type: 'ephemeral', ttl: '9m' } }, { cache_control: { type: 'ephemeral' } }, []],
    [{ stream: true }, { stream: true }, []],
    [{ verbosity: 'low', seed: 1 }, {}, ['verbosity', 'seed']],
  ])('are mapped: %j', (fields, expected, dropped) => {
    const all = built(fields);
    const { model: _, max_tokens: __, messages: ___, ...written } = all.body;
    expect(written).toEqual(expected);
    expect(all.dropped).toEqual(dropped);
  });
});

describe('an image for the assistant vendor', () => {
  it.each([
    ['low', ['messages.image_url.detail']],
    ['high', ['messages.image_url.detail']],
    ['auto', []],
    [undefined, []],
  ])('loses the detail %s, which the vendor cannot set, named as %j', (detail, dropped) => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail } };
    expect(built({ messages: [user([image])] }).dropped).toEqual(dropped);
  });
});

describe('a request that the assistant vendor cannot serve', () => {
  const part = (fields: JsonObject) => ({ messages: [user([text('a'), fields])] });
  const at = 'messages[0].content[1]';
  const file = (mediaType: string, data = 'aGk=') =>
    part({ type: 'file', file: { file_data: `data:${mediaType};base64,${data}` } });
  const video = (url: string) => part({ type: 'video_url', video_url: { url } });

  it.each([
    [{ n: 2 }, 'n', 'unsupported_parameter'],
    [{ logprobs: true }, 'logprobs', 'unsupported_parameter'],
    [{ modalities: ['audio'] }, 'modalities', 'unsupported_parameter'],
    [part({ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }), at, 'unsupported_parameter'],
    [part({ type: 'file', file: { file_id: 'file-1' } }), `${at}.file.file_id`, 'unsupported_parameter'],
    [file('application/zip'), `${at}.file.file_data`, 'unsupported_parameter'],
    [video('https://example.com/a.mp4'), `${at}.video_url.url`, 'unsupported_parameter'],
    [video('data:video/mp4;base64,aGk='), `${at}.video_url.url`, 'unsupported_parameter'],
    [file('text/plain', '/w=='), `${at}.file.file_data`, 'invalid_request'],
    [
      part({ type: 'image_url', image_url: { url: 'http://example.com/a.png' } }),
      `${at}.image_url.url`,
      'invalid_request',
    ],
    [
      part({ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }),
      `${at}.image_url.url`,
      'invalid_request',
    ],
    [{ user: 7 }, 'user', 'invalid_request'],
    [{ safety_identifier: {} }, 'safety_identifier', 'invalid_request'],
    [{ service_tier: true }, 'service_tier', 'invalid_request'],
    [{ web_search_options: 'yes' }, 'web_search_options', 'invalid_request'],
    [
      { web_search_options: { search_context_size: 'huge' } },
      'web_search_options.search_context_size',
      'invalid_request',
    ],
    [{ web_search_options: { user_location: 'Leeds' } }, 'web_search_options.user_location', 'invalid_request'],
    [
      { web_search_options: { user_location: { approximate: { city: 7 } } } },
      'web_search_options.user_location.approximate.city',
      'invalid_request',
    ],
  ])('is refused with the name of the field: %j', (fields, param, code) => {
    expect(() => built(fields)).toThrow(refused(param, code));
  });
});
