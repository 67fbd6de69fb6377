// Every location of text in a response, each with a planted phrase. Streams use the same functions, which are tested
// too.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { Placeholders } from '../../../../guardrails/placeholders.ts';
import { BlockedError, type Guard } from '../../../../guardrails/window.ts';
import { guardStrings } from '../../../../proxy/guardrails/response-guards.ts';
import { literally, phrasesGuardrail, responded } from '../../../support/guarded-requests.ts';

const planted = 'PLANTED';
const put = '[WORD_1]';
const text = `say ${planted} now`;

const base = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_800_000_000, model: 'gpt-4o' };
const choice = (fields: JsonObject) => ({
  ...base,
  choices: [{ index: 0, finish_reason: 'stop', ...fields }],
});
const message = (fields: JsonObject) => choice({ message: { role: 'assistant', content: 'x', ...fields } });
const call = (called: JsonObject) => message({ tool_calls: [{ id: 'call_1', type: 'function', ...called }] });

const texts: Readonly<Record<string, JsonObject>> = {
  'the content': message({ content: text }),
  'a part of the content': message({ content: [{ type: 'text', text: text }] }),
  'a thinking part': message({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: text }] }] }),
  'a refusal': message({ refusal: text }),
  reasoning: message({ reasoning_content: text }),
  'reasoning under its other name': message({ reasoning: text }),
  'details of reasoning': message({ reasoning_details: [{ type: 'reasoning.text', text: text }] }),
  'a thinking block': message({ thinking_blocks: [{ type: 'thinking', thinking: text, signature: 'c2ln' }] }),
  'an argument': call({ function: { name: 'f', arguments: `{"a": ["${text}"]}` } }),
  'the name of an argument': call({ function: { name: 'f', arguments: `{"${text}": 1}` } }),
  'arguments that were cut off': call({ function: { name: 'f', arguments: `{"a": "${text}` } }),
  'arguments of a deprecated call': message({ function_call: { name: 'f', arguments: `{"a": "${text}"}` } }),
  'the input of a custom call': call({ custom: { name: 'f', input: text } }),
  'an annotation': message({
    annotations: [{ type: 'url_citation', url_citation: { title: text, url: 'https://a.example' } }],
  }),
  'the URL of an annotation': message({
    annotations: [{ type: 'url_citation', url_citation: { title: 'x', url: `https://a/${planted}` } }],
  }),
  'an unknown field of a message': message({ notes: [{ note: text }] }),
  'an unknown field of a choice': choice({ message: {}, comment: text }),
  'what stopped it': choice({ message: {}, stop_reason: text }),
  grounding: { ...message({}), cloud_ai_grounding_metadata: [{ webSearchQueries: [text] }] },
  'an unknown field': { ...message({}), debug: { prompt: text } },
};

const fixed: Readonly<Record<string, JsonObject>> = {
  'the name of a called tool': call({ function: { name: planted, arguments: '{}' } }),
  'the name of a called function': message({ function_call: { name: planted, arguments: '{}' } }),
  'the transcript of audio': message({ audio: { id: 'audio_1', data: 'c291bmQ=', transcript: planted } }),
  'the name of an unknown field': { ...message({}), [planted]: true },
};

const exempt: Readonly<Record<string, JsonObject>> = {
  'the id': { ...message({}), id: planted },
  'the model': { ...message({}), model: planted },
  'the fingerprint': { ...message({}), system_fingerprint: planted },
  'the usage': { ...message({}), usage: { prompt_tokens: 1, [planted]: planted } },
  'the end': choice({ message: {}, finish_reason: planted }),
  'a verdict of the vendor': choice({
    message: {},
    content_filter_results: { [planted]: { severity: planted } },
  }),
  'the id of a call': call({ id: planted, function: { name: 'f', arguments: '{}' } }),
  'a signature': message({ thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: planted }] }),
  'a picture': message({
    images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${planted}` } }],
  }),
  'a sound': message({ audio: { id: 'audio_1', data: planted } }),
};

const guard = (action: 'block' | 'redact' | 'observe') => phrasesGuardrail([planted], { action, stage: 'output' });

/** Inspects the response in the way in which a stream inspects parts that arrive complete. */
function asChunk(action: 'block' | 'redact', response: JsonObject): JsonObject {
  const guards = (form?: 'fixed'): readonly Guard[] => {
    const placeholders = new Placeholders();
    const replacement = (found: string, label: string) => placeholders.of(found, label);
    return [
      {
        matcher: literally([planted]),
        replacement: action === 'block' || form === 'fixed' ? 'block' : replacement,
        found: () => undefined,
      },
    ];
  };
  return guardStrings(response, guards);
}

describe.each(Object.entries(texts))('%s', (_what, response) => {
  it('is inspected: a match there blocks the response', async () => {
    await expect(responded(guard('block'), response)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(() => asChunk('block', response)).toThrow(BlockedError);
  });

  it('is rewritten, and nothing else is', async () => {
    const { body } = await responded(guard('redact'), response);
    expect(body.toString()).toBe(JSON.stringify(response).replaceAll(planted, put));
    expect(asChunk('redact', response)).toEqual(JSON.parse(body.toString()));
  });

  it('passes unchanged when it is only observed', async () => {
    expect((await responded(guard('observe'), response)).body.toString()).toBe(JSON.stringify(response));
  });
});

describe.each(Object.entries(fixed))('%s', (_what, response) => {
  it.each(['block', 'redact'] as const)('is inspected: a match there blocks the response under %s', async (action) => {
    await expect(responded(guard(action), response)).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(() => asChunk(action, response)).toThrow(BlockedError);
  });
});

describe.each(Object.entries(exempt))('%s', (_what, response) => {
  it.each(['block', 'redact'] as const)('is not inspected under %s', async (action) => {
    expect((await responded(guard(action), response)).body.toString()).toBe(JSON.stringify(response));
    expect(asChunk(action, response)).toBe(response);
  });
});

describe('a complete response', () => {
  const odd = `{ "id":"1",  "choices":[{"message":{"content":"nothing \\u0061t all"}}], "big": 1.50 }`;

  it('without a match passes with its original bytes', async () => {
    const { body } = await responded(guard('redact'), odd);
    expect(body.toString()).toBe(odd);
  });

  it('has its matches numbered text by text, with arguments together', async () => {
    const two = phrasesGuardrail(['ONE', 'TWO'], { action: 'redact' });
    const response = {
      choices: [
        {
          message: {
            content: 'ONE TWO ONE',
            refusal: 'TWO',
            reasoning_content: 'TWO',
            tool_calls: [{ function: { name: 'f', arguments: '{"a":"TWO","b":"ONE","c":"TWO"}' } }],
          },
        },
      ],
    };
    const { body } = await responded(two, response);
    expect(JSON.parse(body.toString()).choices[0].message).toEqual({
      content: '[WORD_1] [WORD_2] [WORD_1]',
      refusal: '[WORD_1]',
      reasoning_content: '[WORD_1]',
      tool_calls: [{ function: { name: 'f', arguments: '{"a":"[WORD_1]","b":"[WORD_2]","c":"[WORD_1]"}' } }],
    });
  });

  it('is inspected across the parts of one content, but not across choices', async () => {
    const parts = [
      { type: 'text', text: 'PLAN' },
      { type: 'text', text: 'TED' },
    ];
    await expect(responded(guard('block'), message({ content: parts }))).rejects.toThrow('our-guard');
    const choices = ['PLAN', 'TED'].map((content, index) => ({ index, message: { content } }));
    expect((await responded(guard('block'), { choices })).body.toString()).toBe(JSON.stringify({ choices }));
  });

  it('loses the log probabilities of its tokens, which would spell out the text, when a guardrail may redact or block', async () => {
    const response = choice({ message: { content: 'x' }, logprobs: { content: [{ token: planted }] } });
    expect(JSON.parse((await responded(guard('redact'), response)).body.toString()).choices[0].logprobs).toBeNull();
    expect((await responded(guard('observe'), response)).body.toString()).toBe(JSON.stringify(response));
  });

  it.each(['not JSON', '[]', '"text"', `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`])(
    'that cannot be parsed is a failed check: %.20s',
    async (response) => {
      const rule = (onFailure: 'block' | 'pass') => ({ ...guard('block'), onFailure });
      await expect(responded(rule('block'), response)).rejects.toMatchObject({ code: 'guardrail_blocked' });
      expect((await responded(rule('pass'), response)).body.toString()).toBe(response);
    },
  );
});
