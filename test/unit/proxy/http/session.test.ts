// The conversation that a request belongs to.
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { sessionOf } from '../../../../proxy/http/session.ts';

const user = (content: unknown) => ({ role: 'user', content });
const system = (content: string) => ({ role: 'system', content });

function session(fields: object, headers: readonly string[] = []): string {
  const body = { model: 'fast', messages: [user('Hello')], ...fields };
  const request = parseChatRequest(Buffer.from(JSON.stringify(body)));
  return sessionOf({ request, headers: new RequestHeaders(headers) });
}

describe('a session is named by', () => {
  const all = {
    prompt_cache_key: 'cache',
    metadata: { user_id: 'user' },
  };
  const headers = ['X-Session-Affinity', 'affinity', 'Session-Id', 'session', 'X-Claude-Code-Session-Id', 'claude'];

  it('the first of these that a request has', () => {
    expect(session(all, headers)).toBe('claude');
    expect(session(all, headers.slice(0, 4))).toBe('session');
    expect(session(all, headers.slice(0, 2))).toBe('affinity');
    expect(session(all)).toBe('cache');
    expect(session({ metadata: all.metadata })).toBe('user');
  });

  it('nothing that is empty, or no text', () => {
    const plain = session({});
    expect(session({ prompt_cache_key: '', metadata: { user_id: 7 } }, ['session-id', ''])).toBe(plain);
    expect(session({ metadata: 'user' })).toBe(plain);
  });

  it('fields of the client’s own format', () => {
    const { translation } = clientFormats.messages;
    if (translation === undefined) throw new Error('messages are translated');
    const body = { model: 'fast', max_tokens: 9, messages: [user('Hello')], metadata: { user_id: 'of-messages' } };
    const bytes = Buffer.from(JSON.stringify(body));
    const client = { translation, headers: [], path: { stream: undefined } };
    const request = parseChatRequest({ bytes, numbersArePlain: true, client });
    expect(sessionOf({ request, headers: new RequestHeaders([]) })).toBe('of-messages');
  });
});

describe('without a name, a session is', () => {
  const tools = [
    { type: 'function', function: { name: 'read', parameters: { type: 'object', properties: { n: 1.5 } } } },
  ];
  const start = { messages: [system('Be brief.'), user('First')], tools };
  const later = [{ role: 'assistant', content: 'Yes' }, user('Second')];

  it('the same for all turns', () => {
    expect(session({ ...start, messages: [...start.messages, ...later], temperature: 1 })).toBe(session(start));
  });

  it('the same if marks of a cache move', () => {
    const part = (fields: object) => ({ messages: [user([{ type: 'text', text: 'First', ...fields }])] });
    expect(session(part({ cache_control: { type: 'ephemeral' } }))).toBe(session(part({})));
  });

  it.each<[string, object]>([
    ['another system prompt', { messages: [system('Be long.'), user('First')] }],
    ['none', { messages: [user('First')] }],
    ['another first turn', { messages: [system('Be brief.'), user('Other')] }],
    ['the texts at another boundary', { messages: [system('Be brief.First'), user('')] }],
    ['other tools', { tools: [{ ...tools[0], type: 'custom' }] }],
    ['tools with another number', { tools: JSON.parse(JSON.stringify(tools).replace('1.5', '2.5')) }],
    ['no tools', { tools: undefined }],
  ])('another one with %s', (_what, fields) => {
    expect(session({ ...start, ...fields })).not.toBe(session(start));
  });

  it('found without a walk through everything', () => {
    const long = 'x'.repeat(500_000);
    const many = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    const request = { messages: [user(long)], tools: many };
    const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`;
    expect(session(request)).toBe(session({ messages: [user(`${long}end`)], tools: [...many, 'end'] }));
    expect(session({ tools: JSON.parse(deep) })).toMatch(/=$/);
  });
});
