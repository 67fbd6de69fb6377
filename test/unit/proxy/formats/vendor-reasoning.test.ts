// Requests without the reasoning that only their vendor can read, in each format that vendors get as it came.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import type { ClientFormatName } from '../../../../proxy/formats/client-format.ts';

function reasoning(format: ClientFormatName) {
  const { translation } = clientFormats[format];
  if (translation === undefined) throw new Error(`${format} is not translated`);
  return translation.vendorReasoning;
}

const question = { role: 'user', content: 'Hello' };

describe('Responses', () => {
  const { isUsed, without } = reasoning('responses');
  const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };

  it('lose encrypted reasoning, and nothing else', () => {
    const body = { model: 'm', input: [question, item, call] };
    expect(isUsed(body)).toBe(true);
    expect(without(body)).toEqual({ body: { model: 'm', input: [question, call] }, dropped: ['input.reasoning'] });
  });

  it('that request it are of a conversation with reasoning from their first turn', () => {
    expect(isUsed({ include: ['reasoning.encrypted_content'], input: 'Hello' })).toBe(true);
    expect(isUsed({ include: ['file_search_call.results'], input: [question] })).toBe(false);
  });

  it('keep stored reasoning, what the gateway wrapped, and compactions', () => {
    const stored = { type: 'reasoning', id: 'rs_1', summary: [] };
    const wrapped = { ...item, encrypted_content: 'gw1_eyJh' };
    const compaction = { type: 'compaction', encrypted_content: 'gAAA' };
    expect(without({ input: [question, stored, wrapped, compaction] })).toBeUndefined();
    expect(without({ input: 'Hello' })).toBeUndefined();
  });
});

describe.each(['messages', 'invoke'] as const)('%s', (format) => {
  const { isUsed, without } = reasoning(format);
  const thinking = { type: 'thinking', thinking: 'Well', signature: 'c2ln' };
  const redacted = { type: 'redacted_thinking', data: 'ZGF0YQ' };
  const text = { type: 'text', text: 'Hi' };
  const use = { type: 'tool_use', id: 't', name: 'f', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '1' }] };
  const enabled = { type: 'enabled', budget_tokens: 1024 };
  const assistant = (...content: readonly object[]) => ({ role: 'assistant', content });

  it('lose thinking, and a turn that had nothing else', () => {
    const body = {
      thinking: enabled,
      messages: [question, assistant(thinking, redacted, text), question, assistant(redacted), question],
    };
    expect(isUsed(body)).toBe(true);
    expect(without(body)).toEqual({
      body: { thinking: enabled, messages: [question, assistant(text), question, question] },
      dropped: ['messages.content.thinking'],
    });
  });

  it('do not think between a call and its result without the thinking before the call', () => {
    const body = { thinking: enabled, messages: [question, assistant(thinking, use), result] };
    expect(without(body)).toEqual({
      body: { messages: [question, assistant(use), result] },
      dropped: ['messages.content.thinking', 'thinking'],
    });
    const off = { thinking: { type: 'disabled' }, messages: [question, assistant(thinking, use), result] };
    expect(without(off)?.dropped).toEqual(['messages.content.thinking']);
  });

  it('without thinking have none to lose', () => {
    expect(without({ thinking: enabled, messages: [question, assistant(text)] })).toBeUndefined();
    expect(isUsed({ thinking: enabled, messages: [question] })).toBe(true);
    expect(isUsed({ thinking: { type: 'disabled' }, messages: [question, assistant(text)] })).toBe(false);
  });
});

describe('Converse', () => {
  const { isUsed, without } = reasoning('converse');
  const block = { reasoningContent: { reasoningText: { text: 'Well', signature: 'c2ln' } } };
  const assistant = (...content: readonly object[]) => ({ role: 'assistant', content });
  const question = { role: 'user', content: [{ text: 'Hello' }] };
  const use = { toolUse: { toolUseId: 't', name: 'f', input: {} } };
  const result = { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: '1' }] } }] };
  const extra = { thinking: { type: 'enabled', budget_tokens: 1024 }, top_k: 5 };

  it('loses reasoning', () => {
    const body = { messages: [question, assistant(block, { text: 'Hi' }), question] };
    expect(isUsed(body)).toBe(true);
    expect(without(body)).toEqual({
      body: { messages: [question, assistant({ text: 'Hi' }), question] },
      dropped: ['messages.content.reasoningContent'],
    });
    expect(without({ messages: [question] })).toBeUndefined();
  });

  it('does not think between a call and its result without the reasoning before the call', () => {
    const body = { messages: [question, assistant(block, use), result], additionalModelRequestFields: extra };
    expect(without(body)).toEqual({
      body: { messages: [question, assistant(use), result], additionalModelRequestFields: { top_k: 5 } },
      dropped: ['messages.content.reasoningContent', 'additionalModelRequestFields.thinking'],
    });
  });
});

describe('generateContent', () => {
  const { isUsed, without } = reasoning('generate_content');
  const question = { role: 'user', parts: [{ text: 'Hello' }] };
  const model = (...parts: readonly JsonObject[]) => ({ role: 'model', parts });
  const signature = { thoughtSignature: 'c2ln' };
  const call = { functionCall: { name: 'f', args: {} } };

  it('loses signatures; calls get the one that the vendor allows for a lost one', () => {
    const body = {
      contents: [
        question,
        model({ text: 'Well', thought: true, ...signature }, { ...call, ...signature }),
        model({ text: 'Hi', thought_signature: 'c2ln' }, { text: '', ...signature }),
        model({ text: '', ...signature }),
      ],
    };
    expect(isUsed(body)).toBe(true);
    expect(without(body)).toEqual({
      body: {
        contents: [
          question,
          model({ ...call, thoughtSignature: 'skip_thought_signature_validator' }),
          model({ text: 'Hi' }),
        ],
      },
      dropped: ['contents.parts.thoughtSignature'],
    });
  });

  it('keeps what the gateway marked, and the value for a lost signature', () => {
    const marked = { ...call, thoughtSignature: 'gw1_YQ' };
    const lost = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
    const wrapped = { text: 'a', thought: true, thoughtSignature: Buffer.from('gw1_eyJhIjoxfQ').toString('base64') };
    expect(without({ contents: [question, model(marked, lost, wrapped)] })).toBeUndefined();
    expect(isUsed({ contents: [question] })).toBe(false);
  });
});
