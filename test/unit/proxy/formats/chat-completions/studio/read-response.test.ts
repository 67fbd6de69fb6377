import { describe, expect, it } from 'vitest';
import { VendorFailure } from '../../../../../../proxy/formats/format.ts';
import { studioAi } from '../../../../../../proxy/providers/studio-ai.ts';
import { callOf, chunk, events, responseTo, streamed, urls } from './ask.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const usageChunk = { ...chunk({}), choices: [], usage };
const requested = { stream_options: { include_usage: true } };
const promptFrame = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{}] };
const filterFrame = (finish_reason: string | null) => ({
  ...{ id: '', object: '', created: 0, model: '' },
  choices: [{ index: 0, finish_reason, content_filter_results: {}, content_filter_offsets: {} }],
});
const call = { id: 'c', type: 'function', function: { name: 'boil', arguments: '{}' } };
const completion = (message: object, finish_reason: unknown) => ({
  ...{ id: 'c-1', object: 'chat.completion', created: 1, model: 'm', usage },
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
});
const functions = { functions: [{ name: 'boil' }] };
const reasons = (parsed: ReturnType<typeof streamed>) =>
  parsed.chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []));

describe('a response of the studio', () => {
  it('passes unchanged to the byte', () => {
    const text = JSON.stringify({ ...completion({ content: 'Hi', tool_calls: [] }, 'stop'), big: 1 }, undefined, 3);
    const bytes = Buffer.from(text.replace('"big": 1', '"big": 12345678901234567890'));
    expect(studioAi.format.readResponse(callOf(), { head: {}, body: bytes }).body).toBe(bytes);
  });

  it.each([
    ['""', '', {}, 'stop'],
    ['null', null, {}, 'stop'],
    ['nothing', undefined, {}, 'stop'],
    ['"" beside calls', '', { tool_calls: [call] }, 'tool_calls'],
    ['"" beside no calls', '', { tool_calls: [] }, 'stop'],
    ['model_length', 'model_length', {}, 'model_length'],
  ])('with the finish reason %s gets a valid finish reason', (_what, reason, message, expected) => {
    expect(responseTo(completion({ content: 'Hi', ...message }, reason))).toEqual(
      completion({ content: 'Hi', ...message }, expected),
    );
  });

  it('to a request with functions returns the first call in their form', () => {
    const parsed = responseTo(completion({ content: '', tool_calls: [call, call] }, 'tool_calls'), functions);
    expect(parsed).toEqual(completion({ content: '', function_call: call.function }, 'function_call'));
  });

  it('to a request with functions passes unchanged in a dialect that supports functions', () => {
    const message = completion({ content: null, function_call: call.function }, 'function_call');
    expect(responseTo(message, functions, { baseUrl: urls.undated })).toEqual(message);
  });

  it.each([
    ['no JSON', 'oops', 'upstream_protocol_error'],
    ['no completion', { object: 'list' }, 'upstream_protocol_error'],
    ['choices that are none', { choices: [1] }, 'upstream_protocol_error'],
  ])('fails when it is %s', (_what, response, code) => {
    expect(() => responseTo(response)).toThrow(expect.objectContaining({ code }));
  });

  it('that is an error becomes a failure of the provider', () => {
    const read = () => responseTo({ error: { code: 'NoCapacity', message: 'full' } });
    expect(read).toThrow(VendorFailure);
    expect(read).toThrow(expect.objectContaining({ vendor: expect.objectContaining({ status: 503 }) }));
  });
});

describe('a stream of the studio', () => {
  it('trap 19: the first frame, without choices, has no usage and is not passed on', () => {
    const parsed = streamed(
      events(promptFrame, chunk({ role: 'assistant', content: '' }), chunk({}, 'stop')),
      requested,
    );
    expect(parsed.chunks).toHaveLength(2);
    expect([parsed.reader.usage, parsed.reader.complete]).toEqual([undefined, true]);
  });

  it('trap 19: usage is returned to callers who request it, and always to the gateway', () => {
    const stream = events(chunk({ role: 'assistant', content: 'Hi' }), chunk({}, 'stop'), usageChunk);
    for (const [body, count] of [
      [requested, 1],
      [{}, 0],
    ] as const) {
      const { chunks, reader } = streamed(stream, body);
      expect(chunks.filter((one) => one.usage !== undefined)).toHaveLength(count);
      expect(reader.usage).toMatchObject({ promptTokens: 3, completionTokens: 2 });
    }
  });

  it('passes chunks unchanged to the byte', () => {
    const stream = `: hi\r\n\r\ndata:${JSON.stringify(chunk({ role: 'assistant', content: 'é' }, 'stop'))}\r\n\r\ndata: [DONE]\r\n\r\n`;
    expect(streamed(stream).parsed).toBe(stream);
  });

  it('drops frames of an asynchronous filter, even after the usage', () => {
    const texts = [chunk({ role: 'assistant', content: 'a' }), chunk({ content: 'b' }), chunk({}, 'stop')];
    const [first, second, third] = texts;
    const filtered = events(first, filterFrame(null), second, filterFrame(null), third, usageChunk, filterFrame(null));
    expect(streamed(filtered, requested).parsed).toBe(events(...texts, usageChunk));
  });

  it('ends with the result of a late filter, before the usage', () => {
    const first = chunk({ role: 'assistant', content: 'a' });
    const parsed = streamed(events(promptFrame, first, usageChunk, filterFrame('content_filter')), requested);
    expect(reasons(parsed)).toEqual(['content_filter']);
    expect(parsed.chunks[1]).toMatchObject({ id: 'c-1', model: 'm', choices: [{ delta: {} }] });
    expect(parsed.chunks.at(-1)?.usage).toEqual(usage);
  });

  it.each<[string, readonly object[], readonly string[]]>([
    ['none', [chunk({ role: 'assistant', content: 'a' })], ['stop']],
    ['an empty one', [chunk({ content: 'a' }, ''), chunk({}, '')], ['stop']],
    ['an empty one behind calls', [chunk({ tool_calls: [{ index: 0, ...call }] }, '')], ['tool_calls']],
    ['none for one of two', [chunk({ content: 'a' }), chunk({ content: 'b' }, 'length', 1)], ['length', 'stop']],
    ['one as it must be', [chunk({ content: 'a' }), chunk({}, 'length')], ['length']],
    ['none at all', [], []],
  ])('trap 24: returns a finish reason when the vendor sent %s', (_what, chunks, expected) => {
    const parsed = streamed(events(...chunks, usageChunk), requested);
    expect(reasons(parsed)).toEqual(expected);
    expect(parsed.chunks.at(-1)?.usage).toEqual(usage);
    const inSlots = parsed.chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(inSlots).not.toContain('');
  });

  it('to a request with functions returns the first call in their form', () => {
    const pieces = [
      chunk({ role: 'assistant', content: null }),
      chunk({ tool_calls: [{ index: 0, ...call }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }),
      chunk({ tool_calls: [{ index: 1, ...call }] }),
      chunk({}, 'tool_calls'),
    ];
    const parsed = streamed(events(...pieces), functions);
    expect(parsed.chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: null },
      { function_call: call.function },
      { function_call: { arguments: '}' } },
      {},
      {},
    ]);
    expect(reasons(parsed)).toEqual(['function_call']);
  });

  it('with JSON requested in the prompt loses the fence around it, and keeps text that only looks like a fence', () => {
    const body = { model: 'DeepSeek-R1', response_format: { type: 'json_object' } };
    const text = (stream: string) =>
      streamed(stream, body)
        .chunks.map(({ choices }) => choices[0]?.delta.content ?? '')
        .join('');
    expect(text(events(chunk({ content: '```json\n{"a"' }), chunk({ content: ':1}\n```' }), chunk({}, 'stop')))).toBe(
      '{"a":1}',
    );
    expect(text(events(chunk({ content: '``' }), chunk({ content: ' ' }, 'stop')))).toBe('`` ');
    expect(text(events(chunk({ content: '``' })))).toBe('``');
  });

  it.each([
    ['an event that is no JSON', 'data: oops\n\n'],
    ['choices that are none', `data: ${JSON.stringify({ choices: [1] })}\n\n`],
    ['a list', 'data: []\n\n'],
    ['an error of a gate in front', 'data: {"statusCode":429,"message":"no"}\n\n'],
  ])('fails at %s', (_what, stream) => {
    expect(() => streamed(stream)).toThrow(expect.objectContaining({ code: 'upstream_protocol_error' }));
  });

  it('stops at an error, and passes nothing of it or after it', () => {
    const first = chunk({ role: 'assistant', content: 'a' });
    const error = { error: { code: 'InternalServerError', message: 'no' } };
    const { parsed, reader } = streamed(events(first, error, chunk({}, 'stop')));
    expect(parsed).toBe(`data: ${JSON.stringify(first)}\n\n`);
    expect([reader.complete, reader.failure]).toMatchObject([false, { status: 500, message: 'no', retryable: true }]);
  });

  it('is not complete without its end marker', () => {
    const whole = events(chunk({ content: 'a' }), chunk({}, 'stop'), usageChunk);
    for (let end = 0; end < whole.length - 2; end += 5) {
      const { reader, parsed } = streamed(whole.slice(0, end), requested);
      expect([reader.complete, parsed.includes('[DONE]'), parsed.includes('"usage"')]).toEqual([false, false, false]);
    }
  });
});
