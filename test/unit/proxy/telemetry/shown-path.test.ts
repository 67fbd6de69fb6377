import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../../common/credential.ts';
import { shownPath } from '../../../../proxy/http/shown-texts.ts';

describe('a path in the log', () => {
  it.each([
    '/v1/messages',
    '/v1/responses',
    '//v1/chat/completions',
    '/v1/v1/chat/completions/',
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    '/openai/deployments/my-gpt-4o/chat/completions',
    '/model/anthropic.claude-3-5-sonnet-20241022-v2:converse',
    '/',
    '*',
  ])('is shown as %s when its parts are plain words', (path) => {
    expect(shownPath(`${path}?api_key=secret`)).toBe(path === '*' ? '…' : path);
  });

  it.each([
    ['/v1/messages/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY/x', '/v1/messages/…'],
    [`/v1/${createCredential('virtualKey')}/chat`, '/v1/…'],
    ['/v1/sk-abcdefgh/chat', '/v1/…'],
    ['/v1/0123456789abcdef0123456789abcdef/chat', '/v1/…'],
    ['/v1/models/%2e%2e/etc', '/v1/models/…'],
    ['/v1/two words', '/v1/…'],
    ['http://me@gateway/v1/models', '…'],
    ['/v1/"\u001b[31m', '/v1/…'],
  ])('%s is cut at the first other part: %s', (path, shown) => {
    expect(shownPath(path)).toBe(shown);
  });

  it('has a maximum length', () => {
    expect(shownPath('/long'.repeat(10_000))).toMatch(/^(\/long)+\/[a-z]*…$/);
    expect(shownPath('/long'.repeat(10_000))).toHaveLength(200);
    expect(shownPath(`/${'a'.repeat(65)}`)).toBe('/…');
  });
});
