import { describe, expect, it } from 'vitest';
import { converseError, readConverseError } from '../../../../../proxy/formats/converse/errors.ts';
import { Random } from '../../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../../support/seed.ts';

const body = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const parsed = { message: 'as reported' };

describe('an error of the managed cloud service', () => {
  it.each([
    ['ValidationException', 400, { status: 400, retryable: false }],
    ['AccessDeniedException', 403, { status: 403, retryable: false }],
    ['UnrecognizedClientException', 403, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['InvalidSignatureException', 403, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['ExpiredTokenException', 403, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['MissingAuthenticationToken', 403, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['InvalidClientTokenId', 403, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['IncompleteSignature', 400, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['RequestExpired', 400, { status: 401, code: 'invalid_api_key', retryable: false }],
    ['ResourceNotFoundException', 404, { status: 404, code: 'model_not_found', retryable: false }],
    ['ConflictException', 400, { status: 400, retryable: false }],
    ['ServiceQuotaExceededException', 400, { status: 429, code: 'insufficient_quota', retryable: false }],
    ['ThrottlingException', 429, { status: 429, code: 'rate_limit_exceeded', retryable: true }],
    ['ModelNotReadyException', 429, { status: 503, retryable: true }],
    ['ModelTimeoutException', 408, { status: 504, code: 'timeout', retryable: true }],
    ['ModelErrorException', 424, { status: 502, retryable: true }],
    ['ModelStreamErrorException', 424, { status: 502, retryable: true }],
    ['InternalServerException', 500, { status: 500, retryable: true }],
    ['ServiceUnavailableException', 503, { status: 503, retryable: true }],
  ])(
    'trap 22: %s with status %i is classified in the header, in the body and in a stream, in every form of its type',
    (type, status, expected) => {
      const all = { ...parsed, ...expected };
      for (const written of [type, `${type}:`, `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`]) {
        expect(readConverseError(status, body(parsed), { 'x-amzn-errortype': written })).toMatchObject(all);
      }
      for (const written of [type, `com.amazon.coral.service#${type}`]) {
        expect(readConverseError(status, body({ __type: written, Message: 'as reported' }), {})).toMatchObject(all);
      }
      const inStream = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
      expect(converseError({ type: inStream, message: 'as reported' })).toMatchObject(all);
    },
  );

  it.each([
    'Input is too long for requested model.',
    'The model returned the following errors: prompt is too long: 200001 tokens > 200000 maximum',
    'Too many input tokens. Max input tokens: 8192, request input token count: 9000',
    'The input and max tokens exceed the context limit of this model.',
    "This model's maximum context length is 128000 tokens.",
  ])('is a context-length error by its message: %s', (message) => {
    const error = readConverseError(400, body({ message }), { 'x-amzn-errortype': 'ValidationException' });
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' });
  });

  it.each(['Too many tokens per day, please wait before trying again.', 'Too many requests per day.'])(
    'is a spent quota by its message: %s',
    (message) => {
      const error = readConverseError(429, body({ message }), { 'x-amzn-errortype': 'ThrottlingException' });
      const all = { status: 429, code: 'insufficient_quota', retryable: false, type: 'ThrottlingException' };
      expect(error).toMatchObject(all);
    },
  );

  it('has a type only if the vendor’s SDK knows it', () => {
    const typeOf = (type: string) => readConverseError(400, body(parsed), { 'x-amzn-errortype': type }).type;
    expect(typeOf('servicequotaexceededexception:http://x')).toBe('ServiceQuotaExceededException');
    expect(typeOf('TeapotException')).toBeUndefined();
    expect(readConverseError(503, body(''), {}).type).toBeUndefined();
  });

  it('is reported without the signed text that the vendor’s message repeats', () => {
    const message = 'The signature does not match.\n\nThe Canonical String was\nx-amz-security-token:token';
    const error = readConverseError(403, body({ message }), {
      'x-amzn-errortype': 'InvalidSignatureException',
    });
    expect(error.message).toBe('The signature does not match.');
  });

  it.each([
    [413, '', { status: 413, code: 'request_too_large', retryable: false }],
    [429, '<html>', { status: 429, retryable: true }],
    [503, 'upstream connect error', { status: 503, retryable: true }],
    [403, '[]', { status: 403, retryable: false }],
    [401, 'null', { status: 401, retryable: false }],
    [400, '{"message":{"text":"x"}}', { status: 400, retryable: false }],
    [500, '{"message":""}', { status: 500, retryable: true }],
    [599, '{"__type":7}', { status: 500, retryable: true }],
  ])('trap 22: of status %i without a readable message is classified by its status: %s', (status, text, expected) => {
    const error = readConverseError(status, body(text), {});
    expect(error).toMatchObject({
      ...expected,
      message: expect.stringContaining(`status ${error.status}`),
    });
  });

  it('is read despite an unusual error-type header', () => {
    const head = { 'x-amzn-errortype': ['ThrottlingException', 'x'] } as Record<string, string[]>;
    expect(readConverseError(429, body(parsed), head)).toMatchObject({ status: 429 });
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect(readConverseError(400, body(parsed), { 'x-amzn-errortype': name })).toMatchObject({
        status: 400,
      });
    }
  });

  const seed = startingSeed();
  it(`never makes the reader throw (seed ${seed})`, () => {
    const random = new Random(seed);
    const pieces = ['{', '}', '[', ']', '"message"', '"__type"', ':', ',', '"a#b:c"', 'null', '1', '\n', 'é'];
    for (let count = 0; count < roundsOf(2000); count++) {
      const bytes = random.chance(0.5)
        ? Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))
        : Buffer.from(Array.from({ length: random.below(20) }, () => random.pick(pieces)).join(''));
      const status = 300 + random.below(300);
      const error = readConverseError(status, bytes, { 'x-amzn-errortype': bytes.toString('latin1') });
      expect(error.status).toBeGreaterThanOrEqual(400);
      expect(error.message).not.toBe('');
    }
  });
});
