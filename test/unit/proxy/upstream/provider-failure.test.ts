import { describe, expect, it } from 'vitest';
import { providerFailure } from '../../../../proxy/upstream/provider-failure.ts';

const vendor = (status: number, code?: string) => ({
  status,
  message: 'account acct_123 is out',
  type: undefined,
  param: undefined,
  code,
});
const now = Date.parse('2026-11-20T12:00:00Z');
const stored = (status: number, headers = {}, code?: string) =>
  providerFailure(vendor(status, code), headers, false, now);

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
      expect(providerFailure(vendor(status), {}, true, now).message).toContain('acct_123');
    },
  );

  it.each([401, 403])('status %i of a stored key is not the caller’s failure', (status) => {
    expect(stored(status)).toMatchObject({ code: 'upstream_authentication_failed', status: 502 });
    expect(providerFailure(vendor(status), {}, true, now)).toMatchObject({ name: 'ProviderFailure', status });
  });

  it('529 as 503', () => {
    expect(stored(529)).toMatchObject({ status: 503 });
  });

  it.each([101, 204, 302, 399, 600, 999])('no status %i', (status) => {
    expect(stored(status)).toMatchObject({ code: 'upstream_protocol_error' });
  });

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '1.2' }, 2],
    [{ 'retry-after-ms': '1500' }, 2],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('when to come back: %j', (headers, retryAfter) => {
    expect(stored(429, headers)).toMatchObject({ retryAfter });
  });

  it('that a spent quota does not come back by waiting', () => {
    expect(stored(429, {}, 'insufficient_quota')).toMatchObject({ retryable: false });
    expect(stored(429, {}, 'rate_limit_exceeded')).toMatchObject({ retryable: true });
  });
});
