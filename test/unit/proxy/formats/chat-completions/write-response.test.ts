import { describe, expect, it } from 'vitest';
import type { ResponseChoice } from '../../../../../proxy/conversation/response.ts';
import { type CompletionForm, completionBody } from '../../../../../proxy/formats/chat-completions/write-response.ts';

const usage = {
  promptTokens: 10,
  completionTokens: 5,
  cacheReadTokens: 4,
  cacheWriteTokens: 3,
  cacheWrite1hTokens: 0,
  reasoningTokens: 2,
};
const plain: CompletionForm = { noCalls: 'null', asFunctions: false };
const call = { id: 'c1', name: 'boil', arguments: '{}' };

function written(choice: Partial<ResponseChoice>, form: Partial<CompletionForm> = {}, more: object = {}) {
  const choices = [
    { finish: { reason: 'stop', native: undefined } as const, content: undefined, calls: [], ...choice },
  ];
  const completion = { id: 'x', created: 1, model: 'm', choices, usage, ...more };
  return JSON.parse(completionBody(completion, { ...plain, ...form }).toString());
}

describe('a completion that the gateway writes', () => {
  it('has all fields that clients read', () => {
    expect(written({ content: 'Hi' })).toEqual({
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null, tool_calls: null, function_call: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      system_fingerprint: null,
    });
  });

  it.each([
    [{ content: undefined, calls: [] }, ''],
    [{ content: '', calls: [call] }, ''],
    [{ content: undefined, calls: [call] }, null],
  ])('with the choice %j has the content %j', (choice, content) => {
    expect(written(choice).choices[0].message.content).toBe(content);
  });

  it.each([
    ['null', [], { tool_calls: null, function_call: null }],
    ['array', [], { tool_calls: [] }],
    ['null', [call], { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'boil', arguments: '{}' } }] }],
  ] as const)('has no calls in the form %s', (noCalls, calls, expected) => {
    const {
      role: _,
      content: __,
      refusal: ___,
      ...fields
    } = written({ content: 'Hi', calls }, { noCalls }).choices[0].message;
    expect(fields).toEqual(expected);
  });

  it('returns a call in the deprecated form when the request used it', () => {
    const { message, finish_reason } = written(
      { calls: [call], finish: { reason: 'tool_calls', native: undefined } },
      { asFunctions: true },
    ).choices[0];
    expect(message).toMatchObject({ tool_calls: null, function_call: { name: 'boil', arguments: '{}' } });
    expect(finish_reason).toBe('function_call');
  });

  it('contains the vendor’s finish reason when it differs', () => {
    const end = (finish: ResponseChoice['finish']) => {
      const { message: _, logprobs: __, index: ___, ...parsed } = written({ finish }).choices[0];
      return parsed;
    };
    expect(end({ reason: 'stop', native: 'STOP' })).toEqual({ finish_reason: 'stop' });
    expect(end({ reason: 'error', native: 'MALFORMED_FUNCTION_CALL', message: 'no such tool' })).toEqual({
      finish_reason: 'error',
      native_finish_reason: 'MALFORMED_FUNCTION_CALL',
      native_finish_message: 'no such tool',
    });
    expect(end({ reason: 'stop', native: 'stop_sequence', stopSequence: 'END' })).toEqual({
      finish_reason: 'stop',
      native_finish_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });

  it('contains reasoning only when there is any', () => {
    expect(written({ reasoning: 'r' }).choices[0].message.reasoning_content).toBe('r');
    expect(written({ reasoning: '' }).choices[0].message).not.toHaveProperty('reasoning_content');
  });

  it('can contain fields of single vendors', () => {
    const more = { usageExtras: { cache_read_input_tokens: 4 }, extras: { service_tier: 'x' } };
    const parsed = written({ refusal: 'No.', extras: { annotations: [] }, logprobs: { content: [] } }, {}, more);
    expect(parsed).toMatchObject({ service_tier: 'x', usage: { cache_read_input_tokens: 4 } });
    expect(parsed.choices[0]).toMatchObject({
      message: { refusal: 'No.', annotations: [] },
      logprobs: { content: [] },
    });
  });

  it('has numbered choices', () => {
    const choice = { finish: { reason: 'length' as const, native: undefined }, content: 'a', calls: [] };
    const { choices } = written({}, {}, { choices: [choice, choice] });
    expect(choices.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
  });
});
