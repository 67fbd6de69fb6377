import { describe, expect, it } from 'vitest';
import { repeatsKey, withoutRepeatedKeys } from '../../../../proxy/access/repeated-keys.ts';
import { RequestHeaders, requestId } from '../../../../proxy/http/headers.ts';

const key = 'sk-own-4f9Qx2Lm8RtZ7Kc1';
const plain = 'correcthorse';
const headers = (...raw: string[]) => new RequestHeaders(raw);

const carriers = [
  ...['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'x-svc-vk', 'project-api-key'],
  ...['cloud-access-key-id', 'cloud-secret-access-key', 'cloud-session-token'],
];

describe('a text that may repeat the caller’s key', () => {
  it.each(carriers)('repeats the key sent in %s when it contains the key, alone or inside other words', (name) => {
    const sent = headers(name, name === 'authorization' ? `bearer  ${key}` : key);
    for (const text of [key, `gpt-4o/${key}`, `${key}-x`, `a${key}b`]) {
      expect(repeatsKey(text, sent, false)).toBe(true);
      expect(withoutRepeatedKeys(text, sent, false)).toBe(text.replace(key, '[key]'));
    }
    expect(repeatsKey(key.slice(0, -1), sent, true)).toBe(false);
  });

  it('repeats a key that looks like a word only when that is used as the key', () => {
    const sent = headers('x-api-key', plain);
    expect(repeatsKey(`a/${plain}`, sent, false)).toBe(false);
    expect(repeatsKey(`a/${plain}`, sent, true)).toBe(true);
  });

  it.each(['x', 'none', 'EMPTY', 'ollama'])('may contain "%s", which is a placeholder for a key', (value) => {
    expect(repeatsKey(`a/${value}-large`, headers('authorization', `Bearer ${value}`), true)).toBe(false);
  });

  it('repeats nothing when no key was sent', () => {
    expect(repeatsKey(key, headers('x-request-id', key), true)).toBe(false);
    expect(withoutRepeatedKeys('virtual key is inactive', headers(), true)).toBe('virtual key is inactive');
  });
});

describe('a request id', () => {
  it.each(carriers)('is replaced when it repeats the value of %s', (name) => {
    for (const value of [key, plain]) {
      const id = requestId(headers('x-request-id', `id-${value}`, name, value));
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('is kept when it repeats no key', () => {
    expect(requestId(headers('x-request-id', 'id-1', 'authorization', `Bearer ${key}`))).toBe('id-1');
    expect(requestId(headers('x-request-id', 'id-none', 'x-api-key', 'none'))).toBe('id-none');
  });
});
