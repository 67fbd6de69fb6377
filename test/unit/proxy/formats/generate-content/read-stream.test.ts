import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../../proxy/errors.ts';
import { candidate, events, streamed } from './ask.ts';

const part = (text: string, fields: object = {}) => ({
  ...candidate([{ text }], { finishReason: undefined, ...fields }),
});
const stop = candidate([], { finishReason: 'STOP' });
const call = candidate([{ functionCall: { name: 'boil', args: { cups: 2 } } }], { finishReason: undefined });
const contents = ({ chunks }: ReturnType<typeof streamed>) =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
const reasons = ({ chunks }: ReturnType<typeof streamed>) =>
  chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);

describe('a stream of the search-company vendor', () => {
  it('trap 8: with STOP after a call in an earlier event has the finish reason tool_calls', () => {
    const parsed = streamed(events(call, part('…'), stop));
    expect(reasons(parsed)).toEqual(['tool_calls']);
  });

  it.each(['\r\n', '\n', '\r'])('trap 18: is read at every cut, with lines ended by %j', (end) => {
    const stream = events(part('Hé '), part('👍'), stop).replaceAll('\r\n', end).replaceAll('data: ', 'data:');
    for (const size of [1, 2, 3, 5, 7, 64]) {
      const parsed = streamed(stream, {}, size);
      expect([contents(parsed), parsed.reader.complete]).toEqual(['Hé 👍', true]);
    }
  });

  it('trap 19: returns the usage only to callers who request it, and always to the gateway', () => {
    const usages = (body: object) => {
      const { chunks, reader } = streamed(events(part('Hi'), stop), body);
      expect(reader.usage?.promptTokens).toBe(3);
      return chunks.filter(({ usage }) => usage !== undefined).length;
    };
    expect([usages({}), usages({ stream_options: { include_usage: true } })]).toEqual([0, 1]);
  });

  it('keeps the last usage when an event has none', () => {
    const { reader } = streamed(events(part('Hi'), { ...stop, usageMetadata: undefined }));
    expect(reader.usage?.completionTokens).toBe(2);
  });

  it.each([
    ['nothing arrived', ''],
    ['no finish reason was reported', events(part('Hi'))],
    ['an event is cut', `${events(part('Hi'), stop)}data: {"candi`],
    ['the last event lacks its end', events(part('Hi'), stop).slice(0, -4)],
  ])('is not complete when %s', (_what, stream) => {
    const { reader, parsed } = streamed(stream);
    expect([reader.complete, parsed.includes('[DONE]')]).toEqual([false, false]);
  });

  it('is complete only when its connection ends', () => {
    const { reader, parsed } = streamed(events(part('Hi'), stop, part(' there')));
    expect(reader.complete).toBe(true);
    expect(parsed.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(contents(streamed(events(part('Hi'), stop, part(' there'))))).toBe('Hi there');
  });

  it('trap 9: of a blocked prompt ends as filtered', () => {
    const parsed = streamed(events({ promptFeedback: { blockReason: 'SAFETY' } }));
    expect([reasons(parsed), parsed.reader.complete]).toEqual([['content_filter'], true]);
  });

  it.each([
    ['no JSON', 'data: {"candidates"\n\n'],
    ['no object', 'data: [1]\n\n'],
    ['a call without a name', events(candidate([{ functionCall: {} }]))],
  ])('with an event that is %s is a failure of the provider', (_what, stream) => {
    expect(() => streamed(stream)).toThrow(GatewayError);
    expect(() => streamed(stream)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
  });

  it('ignores comments and events without data', () => {
    const parsed = streamed(`: hello\r\n\r\nevent: ping\r\n\r\n${events(part('Hi'), {}, stop)}`);
    expect([contents(parsed), parsed.reader.complete]).toEqual(['Hi', true]);
  });

  it('ends at an error', () => {
    const { reader, parsed } = streamed(
      events(part('Hi'), { error: { code: 500, status: 'INTERNAL', message: 'Oops.' } }, part('!'), stop),
    );
    expect(reader.failure).toMatchObject({ status: 500, message: 'Oops.', retryable: true });
    expect([reader.complete, parsed.includes('!'), parsed.includes('[DONE]')]).toEqual([false, false, false]);
  });

  it('is written with the role first, each call whole, and the finish reason last', () => {
    const { chunks } = streamed(
      events(candidate([{ text: 'Hm.', thought: true }], { finishReason: undefined }), part('On it.'), call, stop),
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toMatchObject([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm.' },
      { content: 'On it.' },
      {
        tool_calls: [
          {
            index: 0,
            id: expect.stringMatching(/^call_/),
            type: 'function',
            function: { name: 'boil', arguments: '{"cups":2}' },
          },
        ],
      },
      {},
    ]);
  });

  it('in the response tool is that tool’s first input', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'boil' } }];
    const body = { tools, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } };
    const response = candidate([{ functionCall: { name: 'json_tool_call', args: { a: 'b' } } }], {
      finishReason: undefined,
    });
    const parsed = streamed(events(part('Well:'), response, response, stop), body);
    expect([contents(parsed), reasons(parsed)]).toEqual(['{"a":"b"}', ['stop']]);
  });

  it('has the vendor’s non-empty extra fields on the chunk with the finish reason', () => {
    const ratings = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }];
    const { chunks } = streamed(events(part('Hi', { safetyRatings: ratings }), stop));
    const last = chunks.at(-1);
    expect(last?.choices[0]?.finish_reason).toBe('stop');
    expect(last).toMatchObject({ cloud_ai_safety_results: [ratings] });
    expect(last).not.toHaveProperty('cloud_ai_grounding_metadata');
    expect(chunks.slice(0, -1).some((chunk) => 'cloud_ai_safety_results' in chunk)).toBe(false);
  });

  it('trap 12: has citation indices that count the bytes of all earlier text', () => {
    const metadata = {
      groundingChunks: [{ web: { uri: 'https://example.com/t', title: 't' } }],
      groundingSupports: [{ segment: { startIndex: 5, endIndex: 8, text: 'tea' }, groundingChunkIndices: [0] }],
    };
    const { chunks } = streamed(events(part('👍 t'), part('ea', { groundingMetadata: metadata }), stop), {
      web_search_options: {},
    });
    const annotations = chunks.flatMap(({ choices }) => choices[0]?.delta.annotations ?? []);
    expect(annotations).toMatchObject([{ url_citation: { start_index: 3, end_index: 6 } }]);
  });
});
