import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../../../../common/json.ts';
import type { Finish } from '../../../../../proxy/conversation/response.ts';
import { textTokensMax } from '../../../../../proxy/conversation/text-tokens.ts';
import { noUsage } from '../../../../../proxy/conversation/usage.ts';
import {
  stopReason,
  usageFields,
  writeConverseResponse,
} from '../../../../../proxy/formats/converse/client-response.ts';
import { ConverseWriter } from '../../../../../proxy/formats/converse/client-stream.ts';
import { FrameSplitter } from '../../../../../proxy/formats/converse/frames.ts';
import { writeConverseStreamError } from '../../../../../proxy/formats/converse/write-error.ts';

/** The events of a stream, without its first and last ones. */
function written(write: (writer: ConverseWriter) => void): readonly JsonObject[] {
  const writer = new ConverseWriter(() => 12.4);
  writer.start();
  write(writer);
  writer.finish({ reason: 'stop', native: undefined });
  writer.end(noUsage);
  const events = eventsOf(writer.take());
  expect(events.at(0)).toEqual({ messageStart: { role: 'assistant' } });
  expect(events.slice(-2)).toMatchObject([
    { messageStop: { stopReason: 'end_turn' } },
    { metadata: { metrics: { latencyMs: 12 } } },
  ]);
  return events.slice(1, -2);
}

function eventsOf(bytes: Buffer): readonly JsonObject[] {
  return new FrameSplitter(1_000_000).push(bytes).map(({ headers, payload }) => {
    const fields = parseJson(payload);
    if (!isObject(fields)) throw new Error('an event is JSON');
    return { [headers.get(':event-type') ?? headers.get(':exception-type') ?? '']: fields };
  });
}

const delta = (contentBlockIndex: number, one: JsonObject) => ({
  contentBlockDelta: { contentBlockIndex, delta: one },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const callStart = (contentBlockIndex: number, toolUseId: string, name: string) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } },
});

describe('the writer of streams of Converse', () => {
  it('writes one block after another', () => {
    const events = written((writer) => {
      writer.reasoning('a');
      writer.thought({ type: 'thinking', thinking: '', signature: 's' });
      writer.thought({ type: 'redacted_thinking', data: 'AAAA' });
      writer.content('b');
      writer.content('');
      writer.content('c');
      writer.extra({ refusal: 'd' });
    });
    expect(events).toEqual([
      ...[delta(0, { reasoningContent: { text: 'a' } }), delta(0, { reasoningContent: { signature: 's' } }), stop(0)],
      ...[delta(1, { reasoningContent: { redactedContent: 'AAAA' } }), stop(1)],
      ...[delta(2, { text: 'b' }), delta(2, { text: 'c' }), delta(2, { text: 'd' }), stop(2)],
    ]);
  });

  it('finishes a call before it begins the next one, whichever order the pieces have', () => {
    const events = written((writer) => {
      const first = writer.call('t1', 'a', '{"x":');
      const second = writer.call('t2', 'b', '{"y":');
      writer.callArguments(second, '2}');
      writer.callArguments(first, '1}');
    });
    expect(events).toEqual([
      ...[callStart(0, 't1', 'a'), delta(0, { toolUse: { input: '{"x":' } }), delta(0, { toolUse: { input: '1}' } })],
      ...[stop(0), callStart(1, 't2', 'b'), delta(1, { toolUse: { input: '{"y":2}' } }), stop(1)],
    ]);
  });

  it('writes images that the model made', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }];
    expect(written((writer) => writer.extra({ images }))).toEqual([
      { contentBlockStart: { contentBlockIndex: 0, start: { image: { format: 'png' } } } },
      ...[delta(0, { image: { source: { bytes: 'AAAA' } } }), stop(0)],
    ]);
  });

  it('counts the tokens of what it writes', () => {
    const writer = new ConverseWriter(() => 0);
    writer.start();
    expect(writer.textTokens).toBe(0);
    const texts = ['one two', 'name', '{"a":1}'] as const;
    writer.content(texts[0]);
    writer.call('t', texts[1], texts[2]);
    expect(writer.textTokens).toBe(texts.reduce((sum, text) => sum + textTokensMax(text), 0));
    expect(writer.calls).toBe(1);
  });

  it.each([
    [429, 'throttlingException'],
    [500, 'internalServerException'],
    [502, 'modelStreamErrorException'],
    [504, 'modelStreamErrorException'],
    [400, 'modelStreamErrorException'],
  ])('reports an error of status %i as %s', (status, type) => {
    const frame = writeConverseStreamError({ status, message: 'm', param: undefined, code: 'c' });
    expect(eventsOf(frame)).toEqual([{ [type]: { message: 'm', code: 'c' } }]);
  });
});

describe('a whole response of Converse', () => {
  it('has its blocks in the order of a turn', () => {
    const response = writeConverseResponse(
      {
        ...{ id: 'x', created: 1, model: 'm', usage: noUsage },
        choices: [
          {
            finish: { reason: 'tool_calls', native: undefined },
            content: 'b',
            reasoning: 'a',
            calls: [{ id: 't', name: 'f', arguments: '{"x":1}' }],
            extras: { images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] },
          },
        ],
      },
      3,
    );
    expect(response).toMatchObject({
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'a' } } },
            { text: 'b' },
            { image: { format: 'png', source: { bytes: 'AAAA' } } },
            { toolUse: { toolUseId: 't', name: 'f', input: { x: 1 } } },
          ],
        },
      },
      stopReason: 'tool_use',
      metrics: { latencyMs: 3 },
    });
  });

  const ends: readonly (readonly [Finish, string])[] = [
    [{ reason: 'stop', native: 'end_turn' }, 'end_turn'],
    [{ reason: 'stop', native: undefined, stopSequence: 'END' }, 'stop_sequence'],
    [{ reason: 'length', native: 'max_tokens' }, 'max_tokens'],
    [{ reason: 'length', native: 'model_context_window_exceeded' }, 'model_context_window_exceeded'],
    [{ reason: 'content_filter', native: 'guardrail_intervened' }, 'guardrail_intervened'],
    [{ reason: 'content_filter', native: 'SAFETY' }, 'content_filtered'],
    [{ reason: 'error', native: undefined }, 'malformed_model_output'],
  ];
  it.each(ends)('that ended with %j has the reason %s', (finish, reason) => {
    expect(stopReason(finish)).toBe(reason);
  });

  it('counts cached tokens apart from the input, and in the total', () => {
    const usage = { ...noUsage, promptTokens: 10, completionTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 };
    expect(usageFields({ ...usage, cacheWrite1hTokens: 1 })).toEqual({
      ...{ inputTokens: 5, outputTokens: 5, totalTokens: 15 },
      ...{ cacheReadInputTokens: 3, cacheWriteInputTokens: 2, cacheDetails: [{ ttl: '1h', inputTokens: 1 }] },
    });
  });
});
