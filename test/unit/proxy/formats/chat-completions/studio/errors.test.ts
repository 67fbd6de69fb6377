import { describe, expect, it } from 'vitest';
import { readStudioError, studioError } from '../../../../../../proxy/formats/chat-completions/studio/errors.ts';

const read = (status: number, body: unknown) =>
  readStudioError(status, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
const coded = (code: string, message = 'm') => ({ error: { code, message } });

describe('an error of the studio', () => {
  it.each<[number, unknown, readonly [number, string | undefined, boolean]]>([
    [401, coded('401'), [401, 'invalid_api_key', false]],
    [401, { statusCode: 401, message: 'm' }, [401, 'invalid_api_key', false]],
    [403, coded('PermissionDenied'), [403, 'PermissionDenied', false]],
    [404, coded('DeploymentNotFound'), [404, 'model_not_found', false]],
    [404, coded('404'), [404, 'model_not_found', false]],
    [408, coded('Timeout'), [504, 'timeout', true]],
    [409, coded('Conflict'), [409, 'Conflict', true]],
    [422, coded('Invalid input'), [422, 'Invalid input', false]],
    [424, coded('FailedDependency'), [502, 'FailedDependency', true]],
    [429, coded('429'), [429, 'rate_limit_exceeded', true]],
    [429, coded('RateLimitReached'), [429, 'rate_limit_exceeded', true]],
    [429, coded('insufficient_quota'), [429, 'insufficient_quota', false]],
    [429, coded('NoCapacity'), [503, 'server_is_overloaded', true]],
    [400, coded('content_filter'), [400, 'content_filter', false]],
    [400, coded('unsupported_value'), [400, 'unsupported_value', false]],
    [400, coded('BadRequest', 'maximum context length is 10'), [400, 'context_length_exceeded', false]],
    [500, coded('InternalServerError'), [500, 'InternalServerError', true]],
    [502, 'upstream connect error', [502, undefined, true]],
    [503, '<html>', [503, 'server_is_overloaded', true]],
    [504, '', [504, 'timeout', true]],
    [418, '[]', [418, undefined, false]],
  ])('with status %i and body %j is reported as %j', (status, body, expected) => {
    const parsed = read(status, body);
    expect([parsed.status, parsed.code, parsed.retryable]).toEqual(expected);
  });

  it.each([
    ['Please retry after 12 seconds.', 12],
    ['Please retry after 1 second.', 1],
    ['Retry after 99999999999 seconds', undefined],
    ['m', undefined],
  ])('trap 23: contains the time until the next try: %s', (message, seconds) => {
    expect(read(429, coded('429', message)).retryAfter).toBe(seconds);
  });

  it('without a status is classified by its code', () => {
    expect(studioError(coded('429')).status).toBe(429);
    expect(studioError(coded('content_filter')).status).toBe(400);
    expect(studioError(coded('whatever'))).toMatchObject({ status: 502, code: 'whatever', retryable: true });
    expect(studioError({ error: 'm' })).toMatchObject({ status: 502, message: 'm' });
  });
});
