import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../../../../common/json.ts';
import type { FinishReason } from '../../../../../proxy/conversation/response.ts';
import { noUsage } from '../../../../../proxy/conversation/usage.ts';
import { LossList } from '../../../../../proxy/formats/client-losses.ts';
import { responsesClients } from '../../../../../proxy/formats/responses/client.ts';
import { ResponsesWriter } from '../../../../../proxy/formats/responses/write-stream.ts';

const tools = [{ type: 'custom', name: 'patch' }];

/** The events of a stream. */
function written(write: (writer: ResponsesWriter) => void, reason: FinishReason = 'stop'): readonly JsonObject[] {
  const body = { model: 'm', input: 'Hello', tools };
  const writer = new ResponsesWriter({
    translation: responsesClients,
    body,
    bytes: undefined,
    path: { model: undefined, stream: undefined },
    headers: [],
    origins: [],
    losses: new LossList(),
  });
  writer.start({ id: 'chatcmpl-1', created: 1, model: 'm' });
  write(writer);
  writer.finish({ reason, native: undefined });
  writer.end(noUsage);
  const events = writer.take().toString().split('\n\n').slice(0, -1);
  return events.map((event) => {
    const [, type, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(event) ?? [];
    const fields = parseJson(data);
    if (!isObject(fields)) throw new Error('an event is JSON');
    expect(fields.type).toBe(type);
    return fields;
  });
}

const outputOf = (events: readonly JsonObject[]) => {
  const { response } = events.at(-1) ?? {};
  return objectsOf(isObject(response) ? response.output : undefined);
};

describe('the writer of streams of the Responses API', () => {
  it('finishes a call before it begins the next one, whichever order the pieces have', () => {
    const events = written((writer) => {
      const first = writer.call('call_1', 'a', '{"x":');
      const second = writer.call('call_2', 'b', '{"y":');
      writer.callArguments(second, '2}');
      writer.callArguments(first, '1}');
    }, 'tool_calls');
    const items = events.filter(({ type }) => String(type).startsWith('response.output_item'));
    expect(items.map(({ type, output_index: at }) => [type, at])).toEqual([
      ['response.output_item.added', 0],
      ['response.output_item.done', 0],
      ['response.output_item.added', 1],
      ['response.output_item.done', 1],
    ]);
    expect(outputOf(events)).toMatchObject([
      { call_id: 'call_1', name: 'a', arguments: '{"x":1}' },
      { call_id: 'call_2', name: 'b', arguments: '{"y":2}' },
    ]);
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_event, index) => index));
  });

  it('writes the text of a custom tool once it is complete', () => {
    const events = written((writer) => {
      const index = writer.call('call_1', 'patch');
      writer.callArguments(index, '{"input":"a');
      writer.callArguments(index, '\\nb"}');
    }, 'tool_calls');
    expect(events.map(({ type }) => type).slice(2)).toEqual([
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(outputOf(events)).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: 'a\nb' }]);
  });

  it('passes arguments of a custom tool that are no object as its text', () => {
    expect(outputOf(written((writer) => writer.call('call_1', 'patch', 'a b')))).toMatchObject([{ input: 'a b' }]);
  });

  it('gives a call without arguments an empty object', () => {
    expect(outputOf(written((writer) => writer.call('call_1', 'a')))).toMatchObject([{ arguments: '{}' }]);
  });

  it('writes a refusal as a part of its own', () => {
    const events = written((writer) => {
      writer.extra({ refusal: 'I can' });
      writer.extra({ refusal: 'not.' });
    });
    expect(events.map(({ type }) => type).slice(3, -3)).toEqual([
      'response.content_part.added',
      'response.refusal.delta',
      'response.refusal.delta',
      'response.refusal.done',
    ]);
    expect(outputOf(events)).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I cannot.' }] }]);
  });

  it('writes a refusal after a text as another part of the same message', () => {
    const events = written((writer) => {
      writer.content('Well.');
      writer.extra({ refusal: 'I cannot.' });
    });
    const parts = [
      { type: 'output_text', text: 'Well.' },
      { type: 'refusal', refusal: 'I cannot.' },
    ];
    expect(outputOf(events)).toMatchObject([{ type: 'message', content: parts }]);
    const ended = events.filter(({ type }) => type === 'response.content_part.done');
    expect(ended).toMatchObject(parts.map((part, index) => ({ output_index: 0, content_index: index, part })));
  });

  it('has the logprobs with the whole text', () => {
    const one = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] };
    const events = written((writer) => {
      writer.content('a');
      writer.logprobs({ content: [one] });
    });
    expect(events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({ logprobs: [one] });
    expect(outputOf(events)).toMatchObject([{ content: [{ text: 'a', logprobs: [one] }] }]);
  });

  it.each([
    ['length', 'response.incomplete', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['content_filter', 'response.incomplete', { incomplete_details: { reason: 'content_filter' } }],
    ['error', 'response.failed', { status: 'failed', error: { code: 'server_error' } }],
  ] as const)('ends a response that stopped by %s with %s', (reason, type, response) => {
    const events = written((writer) => writer.content('a'), reason);
    expect(events.at(-1)).toMatchObject({ type, response });
    expect(outputOf(events)).toMatchObject([{ status: 'incomplete' }]);
  });
});
