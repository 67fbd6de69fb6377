import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { providerFailure } from '../../../../proxy/upstream/provider-failure.ts';

const vendor = (status: number, code?: string) => ({
  status,
  message: 'account acct_123 is out',
  param: undefined,
  code,
  retryable: code !== 'insufficient_quota',
  retryAfter: undefined,
});
const now = Date.parse('2026-11-20T12:00:00Z');
const credential = { apiKey: new Secret('sk-whole-key') };
const storedKey = { credential, providerKeyId: 'provider-key-1' };
const ownKey = { credential, providerKeyId: undefined };
const stored = (status: number, headers = {}, code?: string) =>
  providerFailure(vendor(status, code), headers, storedKey, now);

describe("what a caller is told of a provider's error", () => {
  it.each([400, 409, 413, 422, 429])('status %i with its words', (status) => {
    expect(stored(status)).toMatchObject({
      name: 'ProviderFailure',
      status,
      message: 'account acct_123 is out',
    });
  });

  it.each([404, 500, 502, 503])(
    'status %i without words that may name the account of a stored key',
    (status) => {
      expect(stored(status)).toMatchObject({ name: 'ProviderFailure', status });
      expect(stored(status).message).not.toContain('acct_123');
      expect(providerFailure(vendor(status), {}, ownKey, now).message).toContain('acct_123');
    },
  );

  it.each([401, 403])('status %i of a stored key is not the caller’s failure', (status) => {
    expect(stored(status)).toMatchObject({ code: 'upstream_authentication_failed', status: 502 });
    expect(providerFailure(vendor(status), {}, ownKey, now)).toMatchObject({
      name: 'ProviderFailure',
      status,
    });
  });

  it('529 as 503', () => {
    expect(stored(529)).toMatchObject({ status: 503 });
  });

  it.each([101, 204, 302, 399, 600, 999])('no status %i', (status) => {
    expect(stored(status)).toMatchObject({ code: 'upstream_protocol_error' });
  });

  it('when to come back, where that helps', () => {
    expect(stored(429, { 'retry-after': '7' })).toMatchObject({ retryAfter: 7 });
    expect(stored(429, { 'retry-after': '7' }, 'insufficient_quota')).toMatchObject({
      retryAfter: undefined,
    });
  });

  it('that a spent quota does not come back by waiting', () => {
    expect(stored(429, {}, 'insufficient_quota')).toMatchObject({ retryable: false });
    expect(stored(429, {}, 'rate_limit_exceeded')).toMatchObject({ retryable: true });
  });

  it.each([
    ['message', 'no key sk-whole-key here', 'no key [key] here'],
    ['code', 'sk-whole-key', undefined],
    ['param', 'headers.sk-whole-key', 'headers.[key]'],
  ])('a %s without the key that was sent, whoever owns it', (field, text, told) => {
    for (const target of [storedKey, ownKey]) {
      const failure = providerFailure({ ...vendor(422), [field]: text }, {}, target, now);
      expect(failure).toMatchObject({ [field]: told });
    }
  });

  it('codes and fields only where they look like it, and so many words', () => {
    const odd = {
      status: 422,
      message: 'm'.repeat(9000),
      param: 'a b',
      code: 'c'.repeat(65),
      retryable: false,
      retryAfter: undefined,
    };
    const failure = providerFailure(odd, {}, storedKey, now);
    expect([failure.message.length, failure.param, failure.code]).toEqual([2000, undefined, undefined]);
  });
});
