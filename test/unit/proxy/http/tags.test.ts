// Which value a request's tag has, and that no value makes the request fail or is another caller's text.
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import { tagValue } from '../../../../common/tags.ts';
import { clientFormats } from '../../../../proxy/client-formats.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import type { ClientFormatName } from '../../../../proxy/formats/client-format.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { requestTags, type TagRules } from '../../../../proxy/http/tags.ts';

const names = ['feature', 'user', 'constructor'];

/** Alternating names and values. */
type Headers = readonly string[];

interface Sent {
  readonly headers?: Headers;
  readonly body?: object;
  readonly format?: ClientFormatName;
  readonly tagNames?: readonly string[];
}

const bodies: Record<ClientFormatName, object> = {
  chat_completions: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  messages: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] },
  generate_content: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  converse: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
  invoke: {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'hi' }],
  },
};

function rules(tagNames: readonly string[], direct = false): TagRules {
  return { principal: { organization: tagNames.length === 0 ? {} : { tagNames } }, direct };
}

function tagged({ headers = [], body = {}, format = 'chat_completions', tagNames = names }: Sent) {
  const { translation, metadataField } = clientFormats[format];
  const bytes = Buffer.from(JSON.stringify({ ...bodies[format], ...body }));
  const path = { stream: false };
  const request = parseChatRequest({
    bytes,
    numbersArePlain: true,
    ...(translation && { client: { translation, headers: [], path }, modelInPath: 'm' }),
  });
  const tags = requestTags(rules(tagNames), {
    request,
    headers: new RequestHeaders(headers),
    format: { metadataField },
  });
  return Object.fromEntries(tags ?? []);
}

describe('The tags of a request', () => {
  it.each([
    ['chat_completions', { metadata: { feature: 'search' }, user: 'ada' }, { feature: 'search', user: 'ada' }],
    ['chat_completions', { safety_identifier: 'hash', user: 'ada' }, { user: 'hash' }],
    ['chat_completions', { metadata: { user: 'from metadata' } }, { user: 'from metadata' }],
    ['responses', { metadata: { feature: 'search' }, user: 'ada' }, { feature: 'search', user: 'ada' }],
    ['responses', { safety_identifier: 'hash', user: 'ada', metadata: { user: 'x' } }, { user: 'hash' }],
    ['messages', { metadata: { user_id: 'ada', feature: 'search' } }, { user: 'ada' }],
    ['generate_content', { labels: { feature: 'search', user: 'ada' } }, { feature: 'search', user: 'ada' }],
    ['converse', { requestMetadata: { feature: 'search', user: 'ada' } }, { feature: 'search', user: 'ada' }],
    ['invoke', { metadata: { user_id: 'ada' } }, { user: 'ada' }],
  ] as const)('of %s %j are %j', (format, body, tags) => {
    expect(tagged({ format, body })).toEqual(tags);
  });

  it('have the header before every field of the body', () => {
    const headers = ['X-Svc-Tag-User', 'from header', 'x-svc-tag-feature', 'search'];
    const body = { safety_identifier: 'hash', user: 'ada', metadata: { user: 'x', feature: 'y' } };
    expect(tagged({ headers, body })).toEqual({ user: 'from header', feature: 'search' });
  });

  it('are none where the organization has named none, or not this one', () => {
    const headers = ['x-svc-tag-user', 'ada', 'x-svc-tag-other', 'x'];
    expect(tagged({ headers, tagNames: [] })).toEqual({});
    expect(tagged({ headers, tagNames: ['feature'], body: { user: 'ada' } })).toEqual({});
  });

  it.each([
    ['empty', ''],
    ['of blanks', '   '],
    ['with a control character', 'a\u0000b'],
    ['with a line break', 'a\nb'],
    ['with a mark that turns text around', 'a\u202eb'],
    ['with half a character', '\ud800'],
    ['not a text', { a: 1 }],
    ['a number', 7],
    ['a key of the gateway', createCredential('virtualKey')],
    ['a key that a header has', 'key-of-a-provider-123456'],
  ])('leave out a value that is %s, and take the next one', (_, value) => {
    const headers = ['authorization', 'Bearer key-of-a-provider-123456'];
    const body = { ...bodies.chat_completions, safety_identifier: value, user: 'ada', metadata: { feature: value } };
    const request = parseChatRequest(Buffer.from(JSON.stringify(body)));
    const format = clientFormats.chat_completions;
    const tags = requestTags(rules(names, true), { request, headers: new RequestHeaders(headers), format });
    expect(Object.fromEntries(tags ?? [])).toEqual({ user: 'ada' });
  });

  it('are read from members that the body has, and from no others', () => {
    expect(tagged({ body: { metadata: JSON.parse('{"__proto__": {"feature": "x"}}') } })).toEqual({});
    expect(tagged({ body: { metadata: { constructor: 'mine' } } })).toEqual({ constructor: 'mine' });
    expect(tagged({ body: { metadata: 'feature' } })).toEqual({});
    expect(tagged({ body: { metadata: ['feature'] } })).toEqual({});
  });

  it('have the first usable one of several headers, in UTF-8 or Latin-1', () => {
    const utf8 = Buffer.from('Müller 漢字').toString('latin1');
    expect(tagged({ headers: ['x-svc-tag-user', '\u0001', 'X-SVC-TAG-USER', utf8, 'x-svc-tag-user', 'b'] })).toEqual({
      user: 'Müller 漢字',
    });
    expect(tagged({ headers: ['x-svc-tag-user', 'M\u00fcller'] })).toEqual({ user: 'Müller' });
  });
});

describe('A value of a tag', () => {
  it.each([
    ['is trimmed', ' \t ada ', 'ada'],
    ['is composed', 'e\u0301', '\u00e9'],
    ['is cut after 128 characters', '\u{1f600}'.repeat(200), '\u{1f600}'.repeat(128)],
    ['is cut without a blank at its end', `${'a'.repeat(127)} b`, 'a'.repeat(127)],
    ['is cut to 128 characters of a megabyte', 'x'.repeat(1 << 20), 'x'.repeat(128)],
    ['has letters of every script', 'поиск-検索 (β) 🔎', 'поиск-検索 (β) 🔎'],
  ])('%s', (_, text, value) => {
    expect(tagValue(text)).toBe(value);
  });
});
