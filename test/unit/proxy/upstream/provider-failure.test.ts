import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import type { ProviderCall, Target } from '../../../../proxy/providers/provider.ts';
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
const prompt = 'the patient was born in Nantes on the third of May';
const callWith = (providerKeyId: string | undefined): Pick<ProviderCall, 'request' | 'target'> => ({
  request: parseChatRequest(
    Buffer.from(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: prompt }] })),
  ),
  target: { credential, providerKeyId } as Target,
});
const storedKey = callWith('provider-key-1');
const ownKey = callWith(undefined);
const stored = (status: number, headers = {}, code?: string) =>
  providerFailure(vendor(status, code), { head: headers }, storedKey, now);

describe('a provider’s error as the caller gets it', () => {
  it.each([400, 409, 413, 422, 429, 500, 502, 503, 504])('contains status %i with the provider’s message', (status) => {
    expect(stored(status)).toMatchObject({
      name: 'ProviderFailure',
      status,
      message: 'account acct_123 is out',
    });
  });

  it('contains no message for status 404 of a stored key, because it may reveal the key’s account', () => {
    expect(stored(404)).toMatchObject({ name: 'ProviderFailure', status: 404 });
    expect(stored(404).message).not.toContain('acct_123');
    expect(providerFailure(vendor(404), { head: {} }, ownKey, now).message).toContain('acct_123');
  });

  it('contains nothing that looks like a key when the key is a stored one', () => {
    const masked = { ...vendor(503), message: 'no capacity for sk-who********-key, try again' };
    expect(providerFailure(masked, { head: {} }, storedKey, now).message).toBe('no capacity for [hidden], try again');
    expect(providerFailure(masked, { head: {} }, ownKey, now).message).toBe(masked.message);
  });

  it.each([400, 429, 500, 529])('contains status %i with the provider’s request id and limits', (status) => {
    const headers = { 'request-id': 'req_1', 'x-ratelimit-limit-requests': '5', server: 'nginx' };
    expect(stored(status, headers)).toMatchObject({
      headers: ['x-svc-upstream-request-id', 'req_1', 'x-svc-upstream-ratelimit-limit-requests', '5'],
    });
    expect(stored(status, { 'request-id': 'req_sk-whole-key' })).toMatchObject({ headers: [] });
  });

  it.each([401, 403])('is an error of the gateway for status %i of a stored key', (status) => {
    const refused = stored(status, { 'x-request-id': 'req_1', 'x-ratelimit-limit-requests': '5' });
    expect(refused).toMatchObject({ code: 'upstream_authentication_failed', status: 502 });
    expect(refused.headers).toEqual(['x-svc-upstream-request-id', 'req_1']);
    expect(refused.message).not.toContain('acct_123');
    expect(providerFailure(vendor(status), { head: {} }, ownKey, now)).toMatchObject({
      name: 'ProviderFailure',
      status,
    });
  });

  it('of a spent quota contains the wait that the error itself names, and none of the headers', () => {
    const spent = { ...vendor(429, 'insufficient_quota'), retryAfter: 36 };
    const headers = { 'retry-after': '5' };
    expect(providerFailure(spent, { head: headers }, storedKey, now)).toMatchObject({ retryAfter: 36 });
    expect(stored(429, headers, 'insufficient_quota')).toMatchObject({ retryAfter: undefined });
  });

  it('contains 503 for 529', () => {
    expect(stored(529)).toMatchObject({ status: 503 });
  });

  it.each([101, 204, 302, 399, 600, 999])('is a protocol error for status %i', (status) => {
    expect(stored(status)).toMatchObject({ code: 'upstream_protocol_error' });
  });

  it('contains the time until the next try when waiting helps', () => {
    expect(stored(429, { 'retry-after': '7' })).toMatchObject({ retryAfter: 7 });
    expect(stored(429, { 'retry-after': '7' }, 'insufficient_quota')).toMatchObject({
      retryAfter: undefined,
    });
  });

  it('is not retryable when a quota is spent', () => {
    expect(stored(429, {}, 'insufficient_quota')).toMatchObject({ retryable: false });
    expect(stored(429, {}, 'rate_limit_exceeded')).toMatchObject({ retryable: true });
  });

  it.each([
    ['message', 'no key sk-whole-key here', 'no key [key] here'],
    ['code', 'sk-whole-key', undefined],
    ['param', 'headers.sk-whole-key', 'headers.[key]'],
  ])('contains no %s with the key that was sent, stored or not', (field, text, parsed) => {
    for (const target of [storedKey, ownKey]) {
      const failure = providerFailure({ ...vendor(422), [field]: text }, { head: {} }, target, now);
      expect(failure).toMatchObject({ [field]: parsed });
    }
  });

  it('contains a code and a field only if they are well-formed, and a message of limited length', () => {
    const odd = {
      status: 422,
      message: 'm'.repeat(9000),
      param: 'a b',
      code: 'c'.repeat(65),
      retryable: false,
      retryAfter: undefined,
    };
    const failure = providerFailure(odd, { head: {} }, storedKey, now);
    expect([failure.message.length, failure.param, failure.code]).toEqual([2000, undefined, undefined]);
  });
});

describe('a logged provider error', () => {
  const reason = (status: number, message: string, call = storedKey) => {
    const failure = providerFailure({ ...vendor(status), message }, { head: {} }, call, now);
    return 'reason' in failure ? failure.reason : String((failure.cause as Error).message);
  };

  it.each([401, 403, 404, 409, 429, 500, 503, 529])('contains the message in one line for status %i', (status) => {
    expect(reason(status, 'over\r\n\tloaded\u0007')).toBe(`status ${status}: over loaded`);
  });

  it.each([400, 413, 415, 422])(
    'contains only the status for status %i, because the message may quote the request',
    (status) => {
      expect(reason(status, 'messages[0].content: cannot read it')).toBe(`status ${status}`);
    },
  );

  it('contains no key, stored or not', () => {
    for (const call of [storedKey, ownKey]) {
      expect(reason(429, 'slow down, sk-whole-key', call)).toBe('status 429: slow down, [key]');
      expect(reason(503, 'no room for sk-abcdefghij0123', call)).toBe('status 503: no room for [hidden]');
    }
  });

  it('contains nothing of the prompt', () => {
    for (const repeated of [prompt, prompt.slice(5, 29), `failed at "${prompt.slice(11)}"`])
      expect(reason(500, `cannot tokenize: ${repeated}`)).toBe('status 500');
  });

  it('contains no message for a request too large to search for quotes', () => {
    const long = { ...storedKey, request: { ...storedKey.request, bytes: 200 * 1024 } };
    expect(reason(500, 'The server had an error', long)).toBe('status 500');
  });

  it('has a limited length', () => {
    expect(reason(500, 'word '.repeat(4000)).length).toBeLessThan(330);
  });
});
