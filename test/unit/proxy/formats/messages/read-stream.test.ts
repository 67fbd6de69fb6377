import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { assistantProvider } from '../../../../../proxy/providers/assistant-provider.ts';
import { goldenCall } from '../../../../support/golden.ts';

const start = (usage: JsonObject = { input_tokens: 20, cache_read_input_tokens: 400, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-sonnet-4-5-20250929', usage },
});
const begin = (index: unknown, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: unknown, fields: unknown) => ({ type: 'content_block_delta', index, delta: fields });
const end = (index: unknown) => ({ type: 'content_block_stop', index });
const ended = (stop_reason: unknown = 'end_turn', usage: unknown = { output_tokens: 9 }) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
});
const stop = { type: 'message_stop' };
const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const text = { type: 'text', text: '' };
const messageWith = (words: unknown) => ({ type: 'text_delta', text: words });
const tool = { type: 'tool_use', id: 'toolu_1', name: 'boil', input: {} };
const input = (partial_json: unknown) => ({ type: 'input_json_delta', partial_json });
const broken = expect.objectContaining({ code: 'upstream_protocol_error' });

const sse = (events: readonly unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

function open(fields: JsonObject = {}) {
  const body = {
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    ...fields,
  };
  const call = goldenCall(assistantProvider, parseChatRequest(Buffer.from(JSON.stringify(body))));
  return assistantProvider.format.openStream(call, {}, { eventBytesMax: 10_000 });
}

function read(events: readonly unknown[], fields: JsonObject = {}) {
  const reader = open(fields);
  const parsed = reader.push(Buffer.from(sse(events))).toString();
  const lines = parsed.split('\n\n').filter(Boolean);
  const chunks = lines.filter((line) => line !== 'data: [DONE]').map((line) => JSON.parse(line.slice(6)));
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    reader,
    lines,
    chunks,
    deltas: choices.map((choice) => choice.delta),
    reasons: choices.map((choice) => choice.finish_reason).filter(Boolean),
  };
}

const argumentsIn = (deltas: readonly JsonObject[]) =>
  deltas
    .flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []))
    .map((call) => call.function.arguments)
    .join('');

describe('a call in a stream of the assistant vendor', () => {
  it.each([
    ['trap 4: without any input has an empty one', [], '{}'],
    ['trap 4: with an empty piece alone has an empty one', [input('')], '{}'],
    ['trap 5: does not begin with the input of its block', [input(''), input('{"cups"'), input(':2}')], '{"cups":2}'],
  ])('is read: %s', (_what, deltas, expected) => {
    const events = [start(), begin(0, tool), ...deltas.map((one) => delta(0, one)), end(0), ended('tool_use'), stop];
    const parsed = read(events);
    expect(argumentsIn(parsed.deltas)).toBe(expected);
    expect(parsed.reasons).toEqual(['tool_calls']);
  });

  it('ends with the message when its block has no end', () => {
    expect(argumentsIn(read([start(), begin(0, tool), ended('tool_use'), stop]).deltas)).toBe('{}');
  });

  it('can be interleaved with calls of other blocks', () => {
    const other = { ...tool, id: 'toolu_2' };
    const { deltas } = read([
      start(),
      begin(0, tool),
      begin(1, other),
      delta(1, input('{"b":1}')),
      delta(0, input('{"a":1}')),
      end(1),
      end(0),
      ended('tool_use'),
      stop,
    ]);
    const pieces = deltas
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map((call) => [call.index, call.function.arguments]);
    expect(pieces).toEqual([
      [0, ''],
      [1, ''],
      [1, '{"b":1}'],
      [0, '{"a":1}'],
    ]);
  });
});

describe('the usage of a stream of the assistant vendor', () => {
  it.each([
    ['trap 7: keeps counts that the end omits', { output_tokens: 9 }, { promptTokens: 420, completionTokens: 9 }],
    [
      'trap 7: keeps counts that the end reports as null',
      { input_tokens: null, cache_read_input_tokens: null, output_tokens: 9 },
      { promptTokens: 420, completionTokens: 9 },
    ],
    [
      'trap 7: replaces counts that the end reports again',
      { input_tokens: 30, cache_read_input_tokens: 500, output_tokens: 9 },
      { promptTokens: 530, completionTokens: 9, cacheReadTokens: 500 },
    ],
    ['ignores invalid counts', { output_tokens: -1, input_tokens: '5' }, { promptTokens: 420, completionTokens: 0 }],
    ['ignores invalid usage', 'much', { promptTokens: 420, completionTokens: 0 }],
  ])('is merged from its beginning and its end: %s', (_what, usage, expected) => {
    expect(read([start(), ended('end_turn', usage), stop]).reader.usage).toMatchObject(expected);
  });

  it('trap 19: is returned to callers who requested it', () => {
    const events = [start(), ended(), stop];
    expect(read(events).chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    const { lines, chunks } = read(events, { stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 420, cache_read_input_tokens: 400, cache_creation_input_tokens: 0 },
    });
    expect(lines.at(-1)).toBe('data: [DONE]');
  });

  it('trap 20: is known as far as it was reported when the stream breaks', () => {
    expect(read([start(), begin(0, text)]).reader.usage).toMatchObject({
      promptTokens: 420,
      // The output count in message_start is a placeholder.
      completionTokens: 0,
    });
    expect(open().usage).toBeUndefined();
  });

  it('is complete with a stop reason and an output count, and not before', () => {
    const stated = [start(), begin(0, text)];
    expect(read(stated).reader.usageIsComplete).toBe(false);
    expect(read([...stated, ended(null, { output_tokens: 9 })]).reader.usageIsComplete).toBe(false);
    expect(read([...stated, ended('end_turn', 'much'), stop]).reader.usageIsComplete).toBe(false);
    expect(read([...stated, ended('end_turn', { output_tokens: 9 })]).reader.usageIsComplete).toBe(true);
  });
});

describe('the end of a stream of the assistant vendor', () => {
  it('is message_stop and nothing else', () => {
    const { reader } = read([start(), begin(0, text), delta(0, messageWith('a')), end(0), ended()]);
    expect(reader.end()).toHaveLength(0);
    expect(reader.complete).toBe(false);
    reader.push(Buffer.from(sse([stop])));
    expect(reader.complete).toBe(true);
  });

  it('has exactly one finish reason', () => {
    expect(read([start(), ended('max_tokens'), ended('end_turn'), stop]).reasons).toEqual(['length']);
    expect(read([start(), ended(null), stop]).reasons).toEqual(['stop']);
    expect(read([start(), stop]).reasons).toEqual(['stop']);
  });

  it('makes the reader ignore later events', () => {
    const { reader, lines } = read([start(), ended(), stop, begin(0, text), failure]);
    expect(lines.at(-1)).toBe('data: [DONE]');
    expect(reader.failure).toBeUndefined();
  });
});

describe('an error in a stream of the assistant vendor', () => {
  it('trap 6: can be its first event, before the caller got anything', () => {
    const { reader, lines } = read([failure, start()]);
    expect(lines).toEqual([]);
    expect(reader.failure).toMatchObject({ status: 503, message: 'Overloaded', retryable: true });
  });

  it('ends the stream, and later events are ignored', () => {
    const { reader, lines, reasons } = read([start(), failure, ended(), stop]);
    expect(lines).toHaveLength(1);
    expect(reasons).toEqual([]);
    expect(reader.complete).toBe(false);
  });

  it.each([{ type: 'error' }, { type: 'error', error: 'x' }, { type: 'error', error: {} }])(
    'can have no message: %j',
    (event) => {
      expect(read([event]).reader.failure).toMatchObject({ status: 502, retryable: true });
    },
  );
});

describe('a stream of the assistant vendor', () => {
  it('is read without its unknown events', () => {
    const events = [
      { type: 'ping' },
      start(),
      { type: 'news' },
      {},
      begin(0, { type: 'hologram' }),
      delta(0, messageWith('x')),
      end(0),
      end(7),
      begin(1, text),
      delta(1, { type: 'news' }),
      delta(1, messageWith('a')),
      ended(),
      stop,
    ];
    expect(
      read(events)
        .deltas.map(({ content }) => content)
        .join(''),
    ).toBe('a');
  });

  it('returns all thinking blocks of a message once, for clients that keep only the latest', () => {
    const thinking = { type: 'thinking', thinking: '', signature: '' };
    const thought = (index: number) => [
      begin(index, thinking),
      delta(index, { type: 'thinking_delta', thinking: `t${index}` }),
      delta(index, { type: 'signature_delta', signature: `s${index}` }),
      end(index),
    ];
    const { deltas } = read([start(), ...thought(0), ...thought(1), ended(), stop]);
    expect(deltas.filter((one) => 'thinking_blocks' in one)).toEqual([
      {
        thinking_blocks: [
          { type: 'thinking', thinking: 't0', signature: 's0' },
          { type: 'thinking', thinking: 't1', signature: 's1' },
        ],
      },
    ]);
  });

  it.each([
    ['no JSON', 'data: {"type":\n\n'],
    ['no object', 'data: []\n\n'],
    ['a beginning without a message', sse([{ type: 'message_start' }])],
    ['a beginning without an id', sse([{ type: 'message_start', message: {} }])],
    ['two beginnings', sse([start(), start()])],
    ['a block before its beginning', sse([begin(0, text)])],
    ['an end before its beginning', sse([stop])],
    ['a delta of no block', sse([start(), delta(0, messageWith('a'))])],
    ['a block that is none', sse([start(), begin(0, null)])],
    ['a delta that is none', sse([start(), begin(0, text), delta(0, null)])],
    ['a text that is none', sse([start(), begin(0, text), delta(0, messageWith(4))])],
    ['an input that is none', sse([start(), begin(0, tool), delta(0, input({}))])],
    ['a call without a name', sse([start(), begin(0, { type: 'tool_use', id: 'x' })])],
    ['a call with an empty id', sse([start(), begin(0, { ...tool, id: '' })])],
    ['an event over the limit', `data: ${'x'.repeat(10_001)}`],
    ['words behind its end', sse([start(), ended(), begin(0, text)])],
    ['a piece of a block behind its end', sse([start(), begin(0, text), ended(), delta(0, messageWith('x'))])],
  ])('fails at %s', (_what, bytes) => {
    expect(() => open().push(Buffer.from(bytes))).toThrow(broken);
  });
});
