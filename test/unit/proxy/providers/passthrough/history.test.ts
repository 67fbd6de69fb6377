import { describe, expect, it } from 'vitest';
import { withSignature } from '../../../../../proxy/chat/call-ids.ts';
import type { ChatMessage } from '../../../../../proxy/chat/request.ts';
import { ownHistory } from '../../../../../proxy/providers/passthrough/history.ts';

const call = (id: unknown) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } });
const signed = withSignature('call_1', 'c2lnbmF0dXJl');

describe('a history', () => {
  it('without traces of other providers is sent as the list it is', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
        name: 'x',
      },
      { role: 'assistant', content: null, annotations: [], tool_calls: [call('call_1'), { type: 'custom' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
      { role: 'assistant', function_call: { name: 'boil', arguments: '{}' } },
      { role: 'function', name: 'boil', content: 'ok' },
      { role: 'assistant', content: 'odd', tool_calls: 'no list' },
      { role: 'tool', tool_call_id: 7, content: 'odd' },
    ];
    expect(ownHistory(messages)).toBe(messages);
  });

  it.each<[string, ChatMessage, ChatMessage]>([
    [
      'thinking that another vendor signed',
      { role: 'assistant', content: 'Hi', thinking_blocks: [{ type: 'thinking', signature: 's' }] },
      { role: 'assistant', content: 'Hi' },
    ],
    [
      'what a model thought',
      { role: 'assistant', content: 'Hi', reasoning_content: '' },
      { role: 'assistant', content: 'Hi' },
    ],
    [
      'the signature on a call, and not the calls beside it',
      { role: 'assistant', content: '', tool_calls: [call(signed), call('call_2'), 'odd'] },
      { role: 'assistant', content: '', tool_calls: [call('call_1'), call('call_2'), 'odd'] },
    ],
    [
      'pictures that a model has drawn',
      { role: 'assistant', content: 'Hi', images: [{}], annotations: [] },
      { role: 'assistant', content: 'Hi', annotations: [] },
    ],
    [
      'the signature on a result',
      { role: 'tool', tool_call_id: signed, content: 'ok' },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ],
  ])('loses %s', (_what, message, expected) => {
    const before = structuredClone(message);
    const others: ChatMessage[] = [{ role: 'user', content: 'Hi' }];
    const [first, second] = ownHistory([...others, message]);
    expect(first).toBe(others[0]);
    expect(second).toEqual(expected);
    expect(message, 'the parsed request stays').toEqual(before);
  });
});
