import { describe, expect, it } from 'vitest';
import { splitId } from '../../../../../proxy/conversation/call-ids.ts';
import { GatewayError } from '../../../../../proxy/errors.ts';
import { VendorFailure } from '../../../../../proxy/formats/format.ts';
import { readGenerateContentUsage } from '../../../../../proxy/formats/generate-content/usage.ts';
import { searchProvider } from '../../../../../proxy/providers/search-provider.ts';
import { callOf, candidate, responseTo } from './ask.ts';

const choiceOf = (response: unknown, body: object = {}) => {
  const [choice] = responseTo(response, body).choices;
  if (choice === undefined) throw new Error('there is no choice');
  return choice;
};

describe('a response of the search-company vendor', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['OTHER', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['NO_IMAGE', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['UNEXPECTED_TOOL_CALL', 'error'],
    ['TOO_MANY_TOOL_CALLS', 'error'],
    ['MALFORMED_RESPONSE', 'error'],
    ['MISSING_THOUGHT_SIGNATURE', 'error'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['UNKNOWN_REASON', 'stop'],
    ['toString', 'stop'],
    [undefined, 'stop'],
  ])('that ended with %s has the finish reason %s', (finishReason, expected) => {
    expect(choiceOf(candidate([{ text: 'Hi' }], { finishReason })).finish_reason).toBe(expected);
  });

  it('trap 8: with a call and STOP has the finish reason tool_calls', () => {
    const choice = choiceOf(candidate([{ text: 'On it.' }, { functionCall: { name: 'boil' } }]));
    expect(choice.finish_reason).toBe('tool_calls');
    expect(choice.message.tool_calls).toMatchObject([{ function: { name: 'boil', arguments: '{}' } }]);
  });

  it.each([
    ['no content', { content: undefined }],
    ['no parts', { content: { role: 'model' } }],
    ['parts that are none', { content: { parts: [null, 1, {}, { text: 5 }] } }],
  ])('trap 9: has an empty text when its candidate has %s', (_what, fields) => {
    const choice = choiceOf(candidate([], { finishReason: 'MAX_TOKENS', ...fields }));
    expect([choice.message.content, choice.finish_reason]).toEqual(['', 'length']);
  });

  it('trap 9: for a blocked prompt is a filtered response, even without usage', () => {
    const response = responseTo({ promptFeedback: { blockReason: 'OTHER' } });
    expect(response.choices).toMatchObject([{ finish_reason: 'content_filter', message: { content: '' } }]);
    expect(response.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(response.cloud_ai_safety_results).toEqual([]);
  });

  it('trap 11: has the signature of a call in the call’s id', () => {
    const [first, second] = choiceOf(
      candidate([
        { functionCall: { id: 'fc-1', name: 'boil' }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'fc-2', name: 'boil' } },
      ]),
    ).message.tool_calls;
    expect(splitId(first?.id ?? '')).toEqual({ id: 'fc-1', signature: 'gemini-2.5-flash c2ln' });
    expect(second?.id).toBe('fc-2');
  });

  it('has unique call ids when the vendor sends none or the same twice', () => {
    const parts = [
      { functionCall: { name: 'a' } },
      { functionCall: { id: 'x', name: 'a' } },
      { functionCall: { id: 'x', name: 'a' } },
    ];
    const ids = choiceOf(candidate(parts)).message.tool_calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain('x');
    expect(choiceOf(candidate(parts)).message.tool_calls.map(({ id }) => id)).toEqual(ids);
    const other = { ...candidate(parts), responseId: 'r-2' };
    expect(choiceOf(other).message.tool_calls[0]?.id).not.toBe(ids[0]);
  });

  it('in the response tool is that tool’s first input', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'boil' } }];
    const body = { tools, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } };
    const call = (args: object) => ({ functionCall: { name: 'json_tool_call', args } });
    const choice = choiceOf(candidate([{ text: 'Well:' }, call({ a: 'b' }), call({ a: 'c' })]), body);
    expect(choice).toMatchObject({
      finish_reason: 'stop',
      message: { content: '{"a":"b"}', tool_calls: [] },
    });
    const words = choiceOf(candidate([{ text: 'No.' }]), body);
    expect(words.message.content).toBe('No.');
  });

  it('has several choices in the order of their indices', () => {
    const one = (index: number, text: string) => ({
      index,
      content: { parts: [{ text }] },
      finishReason: 'STOP',
    });
    const { choices } = responseTo({ candidates: [one(1, 'b'), one(0, 'a')] }, { n: 2 });
    expect(choices.map(({ message }) => message.content)).toEqual(['a', 'b']);
  });

  it.each([
    ['no JSON', 'Hello'],
    ['no object', '[]'],
    ['neither candidate nor reason', '{}'],
    ['a call without a name', JSON.stringify(candidate([{ functionCall: { args: {} } }]))],
  ])('that is %s is a failure of the provider', (_what, body) => {
    expect(() => responseTo(body)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
    expect(() => responseTo(body)).toThrow(GatewayError);
  });

  it('of status 200 with an error is a failure of the vendor', () => {
    const failed = () => responseTo([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } }]);
    expect(failed).toThrow(VendorFailure);
    expect(failed).toThrow('Slow down.');
  });

  it('has the names that the caller gave its tools', () => {
    const tools = [{ type: 'function', function: { name: '2fa' } }];
    const choice = choiceOf(candidate([{ functionCall: { name: '_2fa', args: { a: 1 } } }]), { tools });
    expect(choice.message.tool_calls[0]?.function).toEqual({ name: '2fa', arguments: '{"a":1}' });
  });
});

describe('cited sources', () => {
  const text = '👍 Ünï tea is hot.';
  const bytes = (until: string) => Buffer.byteLength(text.slice(0, text.indexOf(until)));
  const chunk = { web: { uri: 'https://example.com/t', title: 'example.com' } };
  const grounded = (segment: object, parts = [{ text }], chunks: readonly unknown[] = [chunk]) =>
    choiceOf(
      candidate(parts, {
        groundingMetadata: {
          groundingChunks: chunks,
          groundingSupports: [{ segment, groundingChunkIndices: [0] }],
        },
      }),
    ).message;
  const locations = (message: ReturnType<typeof grounded>) =>
    message.annotations?.map(({ url_citation }) =>
      (message.content ?? '').slice(Number(url_citation.start_index), Number(url_citation.end_index)),
    );

  it('trap 12: have character indices instead of byte offsets', () => {
    const segment = { startIndex: bytes('tea'), endIndex: bytes(' is'), text: 'tea' };
    const message = grounded(segment);
    expect(message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: { start_index: 7, end_index: 10, url: 'https://example.com/t', title: 'example.com' },
      },
    ]);
    expect(locations(message)).toEqual(['tea']);
  });

  it.each([
    ['from the beginning', { endIndex: bytes(' Ünï'), text: '👍' }, ['👍']],
    ['without the words', { startIndex: bytes('Ünï'), endIndex: bytes(' tea') }, ['Ünï']],
    ['wrong by some bytes', { startIndex: 2, endIndex: 5, text: 'tea is' }, ['tea is']],
    ['inside a character', { startIndex: 1, endIndex: 3 }, undefined],
    ['behind the end', { startIndex: 3, endIndex: 900 }, undefined],
    ['nowhere', { startIndex: 0, endIndex: 4, text: 'coffee' }, undefined],
    ['backwards', { startIndex: bytes(' is'), endIndex: bytes(' tea') }, undefined],
    ['of no number', { startIndex: '1', endIndex: 4 }, undefined],
  ])('trap 12: have a span, or are omitted, for a segment %s', (_what, segment, expected) => {
    expect(locations(grounded(segment))).toEqual(expected);
  });

  it('trap 12: have character indices after characters of three bytes', () => {
    const content = '世界 – tea 👍 is hot, and tea is good.';
    const at = content.lastIndexOf('tea');
    const startIndex = Buffer.byteLength(content.slice(0, at));
    const message = grounded({ startIndex, endIndex: startIndex + 3, text: 'tea' }, [{ text: content }]);
    expect(message.annotations).toMatchObject([{ url_citation: { start_index: at, end_index: at + 3 } }]);
  });

  it.each([
    ['of the part it names', { partIndex: 1, startIndex: 1, endIndex: 4 }],
    ['of a part it does not name', { startIndex: 1, endIndex: 4, text: 'tea' }],
    ['of the whole text', { startIndex: 8, endIndex: 11, text: 'tea' }],
  ])('trap 12: have the right span for offsets %s', (_what, segment) => {
    expect(locations(grounded(segment, [{ text: 'I know:' }, { text: ' tea' }]))).toEqual(['tea']);
  });

  it.each([
    ['retrieved', { retrievedContext: { uri: 'https://example.com/r' } }, 'https://example.com/r'],
    ['a map', { maps: { uri: 'https://example.com/m', title: 'Tea house' } }, 'Tea house'],
  ])('of other kinds are returned too: %s', (_what, source, title) => {
    const [annotation] = grounded({ endIndex: 4 }, [{ text }], [source]).annotations ?? [];
    expect(annotation?.url_citation.title).toBe(title);
  });

  it('that are malformed are dropped', () => {
    expect(grounded({ endIndex: 4 }, [{ text }], [{ web: {} }]).annotations).toBeUndefined();
    const message = choiceOf(
      candidate([{ text }], { groundingMetadata: { groundingSupports: [1, {}], groundingChunks: 'x' } }),
    ).message;
    expect(message.annotations).toBeUndefined();
  });
});

describe('the usage of the search-company vendor', () => {
  const usage = (value: object) => {
    const parsed = readGenerateContentUsage(value);
    return parsed && [parsed.promptTokens, parsed.completionTokens, parsed.cacheReadTokens, parsed.reasoningTokens];
  };

  it.each([
    [
      'trap 27: the prompt has the cached tokens in it',
      { promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 12 },
      [10, 2, 4, 0],
    ],
    [
      'thoughts counted beside the output',
      { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 30, totalTokenCount: 42 },
      [10, 32, 0, 30],
    ],
    [
      'thoughts counted inside the output, as the total shows',
      { promptTokenCount: 10, candidatesTokenCount: 32, thoughtsTokenCount: 30, totalTokenCount: 42 },
      [10, 32, 0, 30],
    ],
    [
      'thoughts that the total forgot',
      { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 30, totalTokenCount: 12 },
      [10, 32, 0, 30],
    ],
    [
      'what its own tools read',
      { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 17 },
      [15, 2, 0, 0],
    ],
    ['thoughts alone', { promptTokenCount: 10, thoughtsTokenCount: 30, totalTokenCount: 40 }, [10, 30, 0, 30]],
    ['output that only the total shows', { promptTokenCount: 10, totalTokenCount: 50 }, [10, 40, 0, 0]],
    [
      'thoughts that only the total shows',
      { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 42 },
      [10, 32, 0, 0],
    ],
    [
      'output beside what tools read, in the total',
      { promptTokenCount: 10, toolUsePromptTokenCount: 5, totalTokenCount: 40 },
      [15, 25, 0, 0],
    ],
    ['nothing', {}, [0, 0, 0, 0]],
    ['nonsense', { promptTokenCount: '10', candidatesTokenCount: -1, cachedContentTokenCount: 4 }, [0, 0, 0, 0]],
  ])('is read: %s', (_what, value, expected) => {
    expect(usage(value)).toEqual(expected);
  });

  const web = { uri: 'https://a.example', title: 'a' };
  it.each<[string, object[], object, [prompt: number, searches: number]]>([
    ['a search: found pages are no input', [{ googleSearch: {} }], { webSearchQueries: ['a', 'b'] }, [10, 2]],
    ['sources of a search without its words', [{ googleSearch: {} }], { groundingChunks: [{ web }] }, [10, 1]],
    [
      'pages that the caller named: input, and no search',
      [{ urlContext: {} }],
      { groundingChunks: [{ web }] },
      [907, 0],
    ],
    [
      'both: input, because the vendor counts them together',
      [{ googleSearch: {} }, { urlContext: {} }],
      { webSearchQueries: ['a'], groundingChunks: [{ web }] },
      [907, 1],
    ],
    ['a search that was not requested', [], { webSearchQueries: ['a'] }, [907, 1]],
  ])('is read after %s', (_what, tools, groundingMetadata, [promptTokens, searches]) => {
    const usageMetadata = { promptTokenCount: 10, toolUsePromptTokenCount: 897, candidatesTokenCount: 2 };
    const parsed = { ...candidate([{ text: 'x' }], { groundingMetadata }), usageMetadata };
    const body = Buffer.from(JSON.stringify(parsed));
    const whole = searchProvider.format.readResponse(callOf({ tools }), { head: {}, body }).usage;
    const stream = searchProvider.format.openStream(callOf({ tools, stream: true }), {}, { eventBytesMax: 65_536 });
    stream.push(Buffer.from(`data: ${JSON.stringify(parsed)}\r\n\r\n`));
    stream.end();
    for (const read of [whole, stream.usage]) {
      expect(read).toMatchObject({ promptTokens, completionTokens: 2 });
      expect(read?.special?.searches ?? 0).toBe(searches);
    }
  });

  it('is undefined when the vendor reports none', () => {
    expect(readGenerateContentUsage(undefined)).toBeUndefined();
  });
});
