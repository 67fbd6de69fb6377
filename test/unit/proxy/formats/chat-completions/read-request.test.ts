import { describe, expect, it } from 'vitest';
import { parseChatRequest, withOverrides } from '../../../../../proxy/formats/chat-completions/read-request.ts';

const parse = (value: unknown) => parseChatRequest(Buffer.from(JSON.stringify(value)));
const user = { role: 'user', content: 'Hi' };
const refused = (param: string | undefined) => expect.objectContaining({ code: 'invalid_request', param });

describe('a chat request', () => {
  it('keeps every field unchanged', () => {
    const sent = {
      model: 'gpt-provider/x',
      messages: [user],
      temperature: 0.5,
      tools: [{ type: 'function' }],
      odd: null,
    };
    const request = parse(sent);
    expect(request.body).toEqual(sent);
    expect(request).toMatchObject({ model: 'gpt-provider/x', stream: false, includeUsage: false });
  });

  it('is not streamed when stream is null or false', () => {
    expect(parse({ model: 'm', messages: [user], stream: null }).stream).toBe(false);
    expect(parse({ model: 'm', messages: [user], stream: false }).stream).toBe(false);
    const streamed = parse({
      model: 'm',
      messages: [user],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamed).toMatchObject({ stream: true, includeUsage: true });
  });

  it('loses only the empty fields of a response that was sent back as history', () => {
    const response = {
      role: 'assistant',
      content: 'Hi',
      tool_calls: [],
      function_call: null,
      refusal: null,
      name: 'a',
    };
    const calls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const { messages } = parse({
      model: 'm',
      messages: [response, { ...response, tool_calls: null }, { ...response, tool_calls: calls }],
    });
    const clean = { role: 'assistant', content: 'Hi', name: 'a' };
    expect(messages).toEqual([clean, clean, { ...clean, tool_calls: calls }]);
  });

  it('loses the fields that the SDK’s parsing and streaming helpers add to responses', () => {
    const called = { name: 'f', arguments: '{"a":1}' };
    const call = { id: '1', type: 'function', function: called };
    const parsedCall = { ...call, function: { ...called, parsed_arguments: { a: 1 } } };
    const { messages } = parse({
      model: 'm',
      messages: [
        { role: 'assistant', content: null, parsed: null, tool_calls: [parsedCall, 'odd'] },
        { role: 'assistant', content: '{}', parsed: {} },
      ],
    });
    expect(messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [call, 'odd'] },
      { role: 'assistant', content: '{}' },
    ]);
  });

  it.each([
    [{ messages: [user] }, 'model'],
    [{ model: '', messages: [user] }, 'model'],
    [{ model: 4, messages: [user] }, 'model'],
    [{ model: 'm' }, 'messages'],
    [{ model: 'm', messages: [] }, 'messages'],
    [{ model: 'm', messages: {} }, 'messages'],
    [{ model: 'm', messages: [user, null] }, 'messages[1]'],
    [{ model: 'm', messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
    [{ model: 'm', messages: [{ role: 'user', content: 4 }] }, 'messages[0].content'],
    [{ model: 'm', messages: [{ role: 'user', content: ['Hi'] }] }, 'messages[0].content[0]'],
    [{ model: 'm', messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }, 'messages[0].content[0]'],
    [{ model: 'm', messages: [user], stream: 'yes' }, 'stream'],
    [{ model: 'm', messages: [user], stream_options: {} }, 'stream_options'],
    [{ model: 'm', messages: [user], stream: true, stream_options: [] }, 'stream_options'],
    [[], undefined],
    ['text', undefined],
    [null, undefined],
  ])('is refused with the name of the invalid field: %j', (body, param) => {
    expect(() => parse(body)).toThrow(refused(param));
  });

  it.each([
    ['', /empty/],
    ['{', /not valid JSON/],
    ['\ufeff{}', /not valid JSON/],
  ])('%j is refused as a request body', (text, message) => {
    expect(() => parseChatRequest(Buffer.from(text))).toThrow(message);
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => parseChatRequest(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/);
  });
});

describe('the output limit of a route', () => {
  it.each([
    [{}, { max_completion_tokens: 100 }],
    [{ max_tokens: 5000 }, { max_tokens: 100 }],
    [{ max_tokens: 50 }, { max_tokens: 50 }],
    [{ max_completion_tokens: 5000 }, { max_completion_tokens: 100 }],
    [
      { max_tokens: 5000, max_completion_tokens: 50 },
      { max_tokens: 100, max_completion_tokens: 50 },
    ],
  ])('replaces a higher one of the caller in the field that the caller sent: %j', (limits, limited) => {
    const request = parse({ model: 'm', messages: [user], ...limits });
    const { body } = withOverrides(request, { maxOutputTokens: 100, reasoningEffort: undefined });
    expect(body).toEqual({ model: 'm', messages: [user], ...limited });
  });
});
