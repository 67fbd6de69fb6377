import { describe, expect, it } from 'vitest';
import { readConversation } from '../../../../../proxy/formats/chat-completions/read-conversation.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import { keepsThinking, readThinkingBlock } from '../../../../../proxy/models/claude/thinking-blocks.ts';

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
const user = { role: 'user', content: 'x' };
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const called = (id: string, thinking_blocks: readonly unknown[] = []) => ({
  role: 'assistant',
  thinking_blocks,
  tool_calls: [{ id, type: 'function', function: { name: 'boil', arguments: '{}' } }],
});

function keeps(messages: readonly object[]): boolean {
  const body = Buffer.from(JSON.stringify({ model: 'm', messages }));
  return keepsThinking(readConversation(parseChatRequest(body)).turns);
}

describe('the thinking of a conversation', () => {
  it.each([
    ['where there is no response yet', [user], true],
    ['where the response has no calls', [user, { role: 'assistant', content: 'y' }], true],
    ['with the thought that led to the call', [user, called('a', [thought]), result('a')], true],
    ['not without that thought', [user, called('a'), result('a')], false],
    [
      'not with a thought without a signature',
      [user, called('a', [{ ...thought, signature: '' }]), result('a')],
      false,
    ],
    [
      'with the thought at the beginning of several calls',
      [user, called('a', [thought]), result('a'), called('b'), result('b')],
      true,
    ],
    [
      'not with a thought only at a later call',
      [user, called('a'), result('a'), called('b', [thought]), result('b')],
      false,
    ],
    [
      'where an earlier response lost its thought',
      [user, called('a'), result('a'), { role: 'assistant', content: 'y' }, user],
      true,
    ],
    ['not where text of the user follows the results', [user, called('a'), result('a'), user], false],
    [
      'not after an empty response',
      [user, called('a'), result('a'), user, { role: 'assistant', content: ' ' }, user],
      false,
    ],
  ])('continues, or not: %s', (_where, messages, expected) => {
    expect(keeps(messages)).toBe(expected);
  });
});

describe('a thinking block of a history', () => {
  it.each([
    [thought, thought],
    [{ ...thought, extra: 1 }, thought],
    [
      { type: 'redacted_thinking', data: 'eA==' },
      { type: 'redacted_thinking', data: 'eA==' },
    ],
    [{ type: 'thinking', thinking: 'Hm.' }, undefined],
    [{ type: 'thinking', thinking: 7, signature: 'c2ln' }, undefined],
    [{ type: 'redacted_thinking', data: '' }, undefined],
    [{ type: 'thought' }, undefined],
  ])('is accepted only with its required fields: %j', (block, expected) => {
    expect(readThinkingBlock(block)).toEqual(expected);
  });
});
