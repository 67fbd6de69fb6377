import { describe, expect, it } from 'vitest';
import { CapabilityTable, type ModelCapabilities } from '../../../../../proxy/catalog/capabilities.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { passedBody } from '../../../../../proxy/formats/chat-completions/write-request.ts';
import { gptProvider } from '../../../../../proxy/providers/gpt-provider.ts';
import { goldenCall } from '../../../../support/golden.ts';

const messages = [{ role: 'user', content: 'Hi' }];

function callOf(model: string, fields: object) {
  const body = JSON.stringify({ model, messages, ...fields });
  return goldenCall(gptProvider, parseChatRequest(Buffer.from(body)));
}

function passed(fields: object, model = 'gpt-4o', capabilities: Partial<ModelCapabilities> = {}) {
  const call = callOf(model, fields);
  const { body, dropped } = passedBody({ ...call, capabilities: { ...call.capabilities, ...capabilities } });
  const { messages: _, model: sent, ...rest } = body;
  return { model: sent, rest, dropped };
}

describe('a body that passes through', () => {
  it('contains the vendor’s name of the model and all fields of the caller', () => {
    const fields = { seed: 1, made_up: { a: [1] }, functions: [], thinking: null, store: false };
    expect(passed(fields)).toEqual({ model: 'gpt-4o', rest: fields, dropped: [] });
  });

  it('trap 26: metadata without store is not sent, and is reported as dropped', () => {
    const metadata = { team: 'tea' };
    expect(passed({ metadata })).toMatchObject({ rest: {}, dropped: ['metadata'] });
    for (const store of [false, null, 'true', 1]) {
      expect(passed({ metadata, store })).toMatchObject({ rest: { store }, dropped: ['metadata'] });
    }
    expect(passed({ metadata, store: true })).toMatchObject({ rest: { metadata, store: true }, dropped: [] });
    expect(passed({ metadata: null })).toMatchObject({ rest: { metadata: null }, dropped: [] });
  });

  describe('trap 21: the output limit', () => {
    const limits = { max_tokens: 10 };
    const newer = { max_completion_tokens: 10 };

    it.each([
      'o1',
      'o3-mini',
      'o4-mini-2025-04-16',
      'gpt-5',
      'gpt-5.4-nano',
      'gpt-6.2-sol',
      'gpt-12',
      'ft:o4-mini:a::b',
    ])('of %s is sent in the newer field', (model) => {
      expect(passed(limits, model)).toMatchObject({ rest: newer, dropped: [] });
      expect(passed(newer, model)).toMatchObject({ rest: newer, dropped: [] });
    });

    it.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'chatgpt-4o-latest', 'ft:gpt-4o:a::b', 'made-up'])(
      'of %s is sent in the caller’s field',
      (model) => {
        for (const fields of [limits, newer, { max_tokens: 1, max_completion_tokens: 2 }]) {
          expect(passed(fields, model)).toEqual({ model, rest: fields, dropped: [] });
        }
      },
    );

    it('in both fields is sent as the model supports it, and the other field is reported as dropped', () => {
      const both = { max_tokens: 1, max_completion_tokens: 2 };
      expect(passed(both, 'gpt-5')).toMatchObject({
        rest: { max_completion_tokens: 2 },
        dropped: ['max_tokens'],
      });
      const older = passed(both, 'mine', { outputLimit: 'max_tokens' });
      expect(older).toMatchObject({ rest: { max_tokens: 1 }, dropped: ['max_completion_tokens'] });
    });

    it('of an older server is sent in the older field', () => {
      expect(passed(newer, 'mine', { outputLimit: 'max_tokens' }).rest).toEqual(limits);
    });

    it('is absent when it is null', () => {
      const nulls = { max_tokens: null, max_completion_tokens: 2 };
      expect(passed(nulls, 'gpt-5')).toMatchObject({ rest: nulls, dropped: [] });
      expect(passed({ max_tokens: 2, max_completion_tokens: null }, 'gpt-5').rest).toEqual({
        max_completion_tokens: 2,
      });
    });
  });

  it('trap 19: requests the usage of every stream, and keeps the caller’s other options', () => {
    const ask = (fields: object) => passed(fields).rest.stream_options;
    expect(ask({ stream: true })).toEqual({ include_usage: true });
    expect(ask({ stream: true, stream_options: null })).toEqual({ include_usage: true });
    expect(ask({ stream: true, stream_options: { include_usage: false, include_obfuscation: false } })).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
    expect(ask({ stream: false })).toBeUndefined();
  });

  it('leaves the parsed request unchanged', () => {
    const call = callOf('gpt-5', { max_tokens: 1, metadata: { a: 'b' } });
    const before = structuredClone(call.request.body);
    passedBody(call);
    expect(call.request.body).toEqual(before);
  });
});

describe('the shipped model capabilities', () => {
  it('contain the output limit of reasoning models at the studio too', () => {
    const capabilities = new CapabilityTable();
    for (const model of ['gpt-5', 'o1', 'o3-mini', 'o4-mini', 'gpt-5.4']) {
      expect(capabilities.of('studio-ai', model)).toMatchObject({
        outputLimit: 'max_completion_tokens',
        family: 'gpt',
      });
    }
    for (const model of ['gpt-4o', 'gpt-35-turbo', 'gpt-oss-120b', 'our-chat', 'Phi-4', 'Llama-3.3-70B-Instruct']) {
      expect(capabilities.of('studio-ai', model).outputLimit).toBe('either');
    }
    for (const model of ['Mistral-Large-3', 'ministral-3b', 'mistral-small', 'Codestral-2501']) {
      expect(capabilities.of('studio-ai', model)).toMatchObject({ family: 'mistral', plainTurns: true });
    }
    for (const model of ['team-chat', 'our-assistant', 'australia']) {
      expect(capabilities.of('studio-ai', model)).toMatchObject({ family: 'other', plainTurns: false });
    }
  });
});
