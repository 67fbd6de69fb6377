import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { VendorFailure } from '../../../../../proxy/formats/format.ts';
import { assistantProvider } from '../../../../../proxy/providers/assistant-provider.ts';
import { goldenCall } from '../../../../support/golden.ts';

const usage = {
  input_tokens: 20,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 400,
  output_tokens: 57,
};
const broken = expect.objectContaining({ code: 'upstream_protocol_error' });

function callFor(fields: JsonObject) {
  const request = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }], ...fields };
  return goldenCall(assistantProvider, parseChatRequest(Buffer.from(JSON.stringify(request))));
}

function readText(body: string, fields: JsonObject = {}) {
  const response = assistantProvider.format.readResponse(callFor(fields), {
    head: {},
    body: Buffer.from(body),
  });
  return { body: JSON.parse(response.body.toString()), usage: response.usage };
}

const message = (fields: JsonObject) => ({
  id: 'msg_1',
  type: 'message',
  content: [],
  stop_reason: 'end_turn',
  usage,
  ...fields,
});
const read = (fields: JsonObject) => readText(JSON.stringify(message(fields)));

describe('a response of the assistant vendor', () => {
  it('trap 27: counts cached tokens in the prompt and in the total', () => {
    const parsed = read({});
    expect(parsed.usage).toEqual({
      promptTokens: 520,
      completionTokens: 57,
      cacheReadTokens: 400,
      cacheWriteTokens: 100,
      cacheWrite1hTokens: 0,
      reasoningTokens: 0,
    });
    expect(parsed.body.usage).toMatchObject({
      prompt_tokens: 520,
      completion_tokens: 57,
      total_tokens: 577,
      prompt_tokens_details: { cached_tokens: 400 },
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 400,
    });
  });

  it('has usage even when the vendor reported none', () => {
    const parsed = read({ usage: undefined });
    expect(parsed.usage).toBeUndefined();
    expect(parsed.body.usage).toMatchObject({
      total_tokens: 0,
      cache_read_input_tokens: 0,
      prompt_tokens_details: { cached_tokens: 0 },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'length'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    // Only the vendor's own tools were called.
    ['tool_use', 'stop'],
    ['something new', 'stop'],
    [null, 'stop'],
  ])('with the stop reason %j has the finish reason %s', (stop_reason, expected) => {
    expect(read({ stop_reason }).body.choices[0].finish_reason).toBe(expected);
  });

  it('refuses with the vendor’s message or with one of the gateway', () => {
    const refusalOf = (stop_details: unknown) =>
      read({ stop_reason: 'refusal', stop_details }).body.choices[0].message.refusal;
    expect(refusalOf({ type: 'refusal', explanation: 'No.' })).toBe('No.');
    expect(refusalOf({ type: 'refusal', explanation: null })).toBe('The model refused to respond.');
    expect(refusalOf(null)).toBe('The model refused to respond.');
  });

  it('keeps thinking that is not shown, so that the caller can send it back', () => {
    const thought = { type: 'thinking', thinking: '', signature: 'c2ln' };
    const { message: parsed } = read({ content: [thought, { type: 'text', text: 'a' }] }).body.choices[0];
    expect(parsed).toMatchObject({ content: 'a', thinking_blocks: [thought] });
    expect(parsed).not.toHaveProperty('reasoning_content');
  });

  it('has an empty input for a call without input', () => {
    const { message: parsed } = read({
      content: [{ type: 'tool_use', id: 't', name: 'boil' }],
      stop_reason: 'tool_use',
    }).body.choices[0];
    expect(parsed.tool_calls[0].function.arguments).toBe('{}');
  });

  it.each([
    ['', 'no JSON'],
    ['[]', 'no object'],
    ['null', 'nothing'],
    ['{"id":"msg_1"}', 'no content'],
    [JSON.stringify(message({ id: 7 })), 'no id'],
    [JSON.stringify(message({ content: 'text' })), 'content that is no list'],
    [JSON.stringify(message({ content: ['text'] })), 'a block that is no object'],
    [JSON.stringify(message({ content: [{ type: 'text' }] })), 'a text without text'],
    [JSON.stringify(message({ content: [{ type: 'tool_use', name: 'x' }] })), 'a call without id'],
    [JSON.stringify(message({ content: [{ type: 'thinking', thinking: 7 }] })), 'a thought that is no text'],
  ])('is unreadable when it is %s: %s', (body) => {
    expect(() => readText(body)).toThrow(broken);
  });

  it('can be an error despite its status', () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    expect(() => readText(body)).toThrow(VendorFailure);
    expect(() => readText(body)).toThrow('Overloaded');
  });
});

describe('an error of the assistant vendor', () => {
  it.each([
    ['{"error":null}', 429],
    ['[{"error":{}}]', 400],
    ['"text"', 404],
    ['\u0000\u00ff', 500],
    ['', 529],
    ['{"error":{"message":{},"type":[],"details":"x"}}', 503],
  ])('trap 22: is reported for any bytes: %j', (body, status) => {
    const parsed = assistantProvider.format.readError(status, Buffer.from(body), {});
    expect(parsed.message).toMatch(/^the provider responded with status \d+$/);
    expect(parsed.status).toBe(status === 529 ? 503 : status);
  });
});
