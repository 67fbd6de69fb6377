import { describe, expect, it } from 'vitest';
import { readGenerateContentError } from '../../../../../proxy/formats/generate-content/errors.ts';
import { Random } from '../../../../support/access/random.ts';
import { roundsOf } from '../../../../support/seed.ts';

const reported = (status: number, body: unknown) =>
  readGenerateContentError(status, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
const error = (status: string, fields: object = {}) => ({
  error: { code: 400, message: 'No.', status, ...fields },
});
const detail = (type: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});

describe('errors of the search-company vendor', () => {
  it.each([
    ['a reason', error('INVALID_ARGUMENT', { details: [detail('ErrorInfo', { reason: 'API_KEY_INVALID' })] })],
    ['an expired key', error('INVALID_ARGUMENT', { details: [detail('ErrorInfo', { reason: 'API_KEY_EXPIRED' })] })],
    ['words alone', error('INVALID_ARGUMENT', { message: 'API key not valid. Please pass a valid API key.' })],
  ])('trap 22: an invalid key reported with status 400 becomes 401: %s', (_what, body) => {
    expect(reported(400, body)).toMatchObject({ status: 401, code: 'invalid_api_key', retryable: false });
  });

  it('trap 22: an error inside an array is read', () => {
    expect(reported(404, [error('NOT_FOUND')])).toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: 'No.',
    });
  });

  it.each([
    ['HTML', 503, '<html>no</html>', 503],
    ['plain text', 429, 'slow down', 429],
    ['nothing', 502, '', 502],
    ['an array of nothing', 400, '[]', 400],
    ['an error that is none', 418, '{"error":"teapot"}', 400],
    ['a field of another type', 400, '{"error":{"status":5,"message":[],"details":{}}}', 400],
  ])('trap 22: %s is classified by its status', (_what, status, body, expected) => {
    const read = reported(status, body);
    expect(read.status).toBe(expected);
    expect(read.message).toContain('status');
  });

  it.each([
    ['37s', 37],
    ['1.250s', 1.25],
    ['0s', 0],
    ['37', undefined],
    ['-3s', undefined],
    ['1m', undefined],
    [37, undefined],
  ])('trap 23: the retry time is read from RetryInfo %j', (retryDelay, expected) => {
    const body = error('RESOURCE_EXHAUSTED', { details: [detail('RetryInfo', { retryDelay })] });
    expect(reported(429, body)).toMatchObject({ code: 'rate_limit_exceeded', retryable: true });
    expect(reported(429, body).retryAfter).toBe(expected);
  });

  it.each([
    ['by the minute', ['GenerateRequestsPerMinutePerProjectPerModel'], 'rate_limit_exceeded', true],
    ['by the day', ['GenerateRequestsPerDayPerProjectPerModel-FreeTier'], 'insufficient_quota', false],
    ['by both', ['GenerateRequestsPerMinute', 'GenerateRequestsPerDay'], 'insufficient_quota', false],
  ])('a limit %s is classified as a rate or a quota', (_what, quotaIds, code, retryable) => {
    const violations = quotaIds.map((quotaId) => ({ quotaId }));
    const body = error('RESOURCE_EXHAUSTED', { details: [detail('QuotaFailure', { violations })] });
    expect(reported(429, body)).toMatchObject({ status: 429, code, retryable });
  });

  it.each([
    ['INVALID_ARGUMENT', 400, 400, false],
    ['OUT_OF_RANGE', 400, 400, false],
    ['FAILED_PRECONDITION', 400, 403, false],
    ['UNAUTHENTICATED', 401, 401, false],
    ['PERMISSION_DENIED', 403, 403, false],
    ['NOT_FOUND', 404, 404, false],
    ['ABORTED', 409, 500, true],
    ['CANCELLED', 499, 500, true],
    ['INTERNAL', 500, 500, true],
    ['UNKNOWN', 500, 500, true],
    ['UNIMPLEMENTED', 501, 400, false],
    ['UNAVAILABLE', 503, 503, true],
    ['DEADLINE_EXCEEDED', 504, 504, true],
    ['UNKNOWN_STATUS', 503, 503, true],
  ])('%s with status %i is reported as %i', (status, sent, expected, retryable) => {
    expect(reported(sent, error(status))).toMatchObject({ status: expected, retryable });
  });

  it.each([
    ['The input token count (9) exceeds the maximum number of tokens allowed (8).', 'context_length_exceeded'],
    ['Request payload size exceeds the limit: 20971520 bytes.', 'request_too_large'],
  ])('an error is classified by its message: %s', (message, code) => {
    expect(reported(400, error('INVALID_ARGUMENT', { message })).code).toBe(code);
  });

  it('random bytes never make the reader fail', () => {
    const seed = Date.now();
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(500); round++) {
      const bytes = Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
      const read = readGenerateContentError(400 + random.below(200), bytes);
      expect([typeof read.status, typeof read.message], `seed ${seed}, round ${round}`).toEqual(['number', 'string']);
    }
  });
});
