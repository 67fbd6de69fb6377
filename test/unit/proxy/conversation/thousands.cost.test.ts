// Conversations of thousands of messages, calls and notes are processed in linear time.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import { vendorCallIds } from '../../../../proxy/conversation/call-ids.ts';
import { emulateTurns } from '../../../../proxy/conversation/emulated-turns.ts';
import { readConversation } from '../../../../proxy/formats/chat-completions/read-conversation.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { processorMs } from '../../../support/processor-time.ts';

const requestOf = (messages: readonly JsonObject[]) =>
  parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages })));

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const call = (id: string) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } });
const calling = (...calls: JsonObject[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });

const textOnly = { systemInPlace: false, inResult: () => false, madeImages: false };
const emulated = (messages: readonly JsonObject[]) => emulateTurns(readConversation(requestOf(messages)), textOnly);

describe('a conversation of thousands of messages', () => {
  // Copying or searching the other pieces for every piece would take seconds here.
  const soon = (work: () => unknown) => expect(processorMs(work)).toBeLessThan(1500);
  const many = <T>(make: (index: number) => T) => Array.from({ length: 25_000 }, (_, index) => make(index));

  it.each([
    ['of the user', () => many(() => user())],
    ['of the assistant', () => many(() => ({ role: 'assistant', content: 'a' }))],
    ['of blank parts with marks', () => [user(many(() => ({ type: 'text', text: '', cache_control: {} })))]],
    ['of tools', () => [user(), calling(...many(() => call('1'))), ...many(() => result('1'))]],
    [
      'of functions',
      () => [
        user(),
        calling(...many(() => call('1'))),
        ...many(() => ({ role: 'function', name: 'boil', content: '' })),
      ],
    ],
  ])('a conversation %s is read in linear time', (_who, messages) => {
    const request = requestOf(messages());
    soon(() => readConversation(request));
  });
});

it('ids for a vendor are assigned to thousands of calls in linear time', () => {
  const given = Array.from({ length: 25_000 }, () => 'a');
  const ms = processorMs(() =>
    expect(new Set([...vendorCallIds(given.map((id) => ({ id }))).values()]).size).toBe(25_000),
  );
  expect(ms).toBeLessThan(1500);
});

it('thousands of notes are emulated in linear time', () => {
  const count = 25_000;
  const notes = Array.from({ length: count }, (_, index) => [
    { role: 'user', content: 'u' },
    { role: 'system', content: `note ${index}` },
  ]);
  const messages = notes.flat();
  // A copy for every note would take seconds here.
  expect(processorMs(() => emulated(messages))).toBeLessThan(3_000);
  const [turn] = emulated(messages).conversation.turns;
  expect(turn?.role === 'user' && turn.parts.length).toBe(2 * count);
});
