import { describe, expect, it } from 'vitest';
import { VendorFailure } from '../../../../../proxy/formats/format.ts';
import { errorFrame, eventFrame, exceptionFrame } from '../../../../../simulator/managed-cloud-models/frames.ts';
import { positionsOf } from '../../../../support/seed.ts';
import { openStream, readResponse } from './ask.ts';

const protocolError = expect.objectContaining({ code: 'upstream_protocol_error' });
const message = (content: readonly unknown[]) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
  usage: {
    inputTokens: 20,
    outputTokens: 57,
    totalTokens: 577,
    cacheReadInputTokens: 400,
    cacheWriteInputTokens: 100,
  },
});
const event = (type: string, payload: object) => eventFrame(type, JSON.stringify(payload));
const text = (value: string) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: value } });
const start = event('messageStart', { role: 'assistant' });
const stop = event('messageStop', { stopReason: 'end_turn' });
const metadata = event('metadata', { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } });

describe('a whole response of the managed cloud service', () => {
  it('trap 27: counts cached tokens in the prompt and in the total', () => {
    const { body, usage } = readResponse(message([{ text: 'x' }]));
    expect(usage).toMatchObject({ promptTokens: 520, cacheReadTokens: 400, cacheWriteTokens: 100 });
    expect(JSON.parse(body.toString()).usage).toMatchObject({
      prompt_tokens: 520,
      completion_tokens: 57,
      total_tokens: 577,
      prompt_tokens_details: { cached_tokens: 400 },
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 400,
    });
  });

  it.each([
    ['no JSON', 'Tea.'],
    ['a list', []],
    ['no message', { output: {}, stopReason: 'end_turn' }],
    ['a call without a name', message([{ toolUse: { toolUseId: 'a', input: {} } }])],
    ['a call with an empty id', message([{ toolUse: { toolUseId: '', name: 'boil', input: {} } }])],
    ['a text that is none', message([{ text: 7 }])],
  ])('fails as unreadable when it is %s', (_what, response) => {
    expect(() => readResponse(response)).toThrow(protocolError);
  });

  it.each([
    [{ message: 'Too many requests', __type: 'ThrottlingException' }, 429],
    [{ Message: 'Something broke' }, 500],
  ])('that is an error despite its status is reported as an error: %j', (response, status) => {
    expect(() => readResponse(response)).toThrow(VendorFailure);
    expect(() => readResponse(response)).toThrow(
      expect.objectContaining({ vendor: expect.objectContaining({ status }) }),
    );
  });

  it.each([[{}], [null], ['x'], [{ inputTokens: -1, outputTokens: 2 }], [{ inputTokens: 1.5, outputTokens: 2 }]])(
    'has no usage when the vendor’s usage is invalid: %j',
    (usage) => {
      const read = readResponse({ ...message([{ text: 'x' }]), usage });
      expect(read.usage).toBeUndefined();
      expect(JSON.parse(read.body.toString()).usage.total_tokens).toBe(0);
    },
  );
});

describe('a streamed response of the managed cloud service', () => {
  it('trap 3: is complete with its usage, and not before', () => {
    const reader = openStream();
    expect(reader.push(Buffer.concat([start, text('Tea.'), stop])).toString()).not.toContain('[DONE]');
    expect(reader.complete).toBe(false);
    expect(reader.push(metadata).toString()).toBe('data: [DONE]\n\n');
    expect(reader).toMatchObject({ complete: true, usage: { promptTokens: 1, completionTokens: 2 } });
  });

  it('trap 3: is complete at the end of its connection when its usage is missing after the last message', () => {
    const reader = openStream();
    reader.push(Buffer.concat([start, text('Tea.'), stop]));
    expect(reader.end().toString()).toBe('data: [DONE]\n\n');
    expect(reader).toMatchObject({ complete: true, usage: undefined });
  });

  it.each([
    ['before the end of the message', [start, text('Tea')]],
    ['with nothing', []],
    ['inside a frame', [start, text('Tea.'), stop, metadata.subarray(0, -1)]],
  ])('is not complete when it ends %s', (_where, pieces) => {
    const reader = openStream();
    reader.push(Buffer.concat(pieces));
    expect(reader.end().toString()).not.toContain('[DONE]');
    expect(reader.complete).toBe(false);
  });

  it('trap 2: fails at an exception after content, and ignores later frames', () => {
    const reader = openStream();
    const exception = exceptionFrame('throttlingException', '{"message":"Too many requests"}');
    const parsed = reader.push(Buffer.concat([start, text('Tea'), exception, text('more'), stop, metadata])).toString();
    expect(parsed).toContain('Tea');
    expect(parsed).not.toContain('more');
    expect(reader).toMatchObject({ complete: false, failure: { status: 429, message: 'Too many requests' } });
    expect(reader.push(text('more')).length + reader.end().length).toBe(0);
  });

  it.each([
    ['as the very first frame', []],
    ['before any content', [start]],
  ])('trap 6: sends the caller nothing when an exception comes %s', (_where, before) => {
    const reader = openStream();
    const exception = exceptionFrame('internalServerException', '{}');
    expect(reader.push(Buffer.concat([...before, exception]))).toHaveLength(0);
    expect(reader.failure).toMatchObject({ status: 500, retryable: true });
  });

  it('reports an error of an unknown code with its message', () => {
    const reader = openStream();
    reader.push(errorFrame('InternalFailure', 'Something broke.'));
    expect(reader.failure).toMatchObject({ status: 500, message: 'Something broke.' });
  });

  it('trap 4: has empty arguments for a call without input', () => {
    const reader = openStream();
    const begin = event('contentBlockStart', {
      contentBlockIndex: 0,
      start: { toolUse: { toolUseId: 'a', name: 'boil' } },
    });
    const nothing = event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '' } } });
    const parsed = reader.push(Buffer.concat([start, begin, nothing, stop, metadata])).toString();
    expect(parsed.match(/"arguments":"[^"]*"/g)).toEqual(['"arguments":""', '"arguments":"{}"']);
    expect(parsed).toContain('"finish_reason":"tool_calls"');
  });

  it.each([
    [false, []],
    [true, [{ total_tokens: 3 }]],
  ])('trap 19: returns its usage to the caller only when it was requested (%j)', (include_usage, expected) => {
    const reader = openStream({ stream_options: { include_usage } });
    const parsed = reader.push(Buffer.concat([start, text('Tea.'), stop, metadata])).toString();
    const events = parsed.split('\n\n').filter((one) => one.startsWith('data: {'));
    const usages = events.flatMap((one) => JSON.parse(one.slice(6)).usage ?? []);
    expect(usages).toMatchObject(expected);
  });

  it.each([
    ['an event that is no JSON', eventFrame('contentBlockDelta', '{"delta":')],
    ['an event that is no object', eventFrame('messageStop', '[]')],
    ['a delta that is none', event('contentBlockDelta', { contentBlockIndex: 0 })],
    [
      'input for a call that did not begin',
      event('contentBlockDelta', { contentBlockIndex: 3, delta: { toolUse: { input: '{}' } } }),
    ],
    [
      'a call without a name',
      event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a' } } }),
    ],
    ['a text that is none', event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 7 } })],
  ])('fails as unreadable at %s', (_what, frame) => {
    expect(() => openStream().push(Buffer.concat([start, frame]))).toThrow(protocolError);
  });

  it('trap 18: is read the same wherever it is cut, even inside a character', () => {
    const bytes = Buffer.concat([start, text('Grüße 🍵'), stop, metadata]);
    const whole = openStream().push(bytes).toString();
    for (const cut of positionsOf(1, bytes.length)) {
      const reader = openStream();
      const parsed = Buffer.concat([reader.push(bytes.subarray(0, cut)), reader.push(bytes.subarray(cut))]);
      expect(parsed.toString(), `cut at ${cut}`).toBe(whole);
    }
  });
});
