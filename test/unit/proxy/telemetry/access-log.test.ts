// The log line of a failed request: its level, and the part of the cause that it contains.
import { describe, expect, it } from 'vitest';
import { createLogger, type LogLevel } from '../../../../common/logger.ts';
import { type ErrorCode, errorTable } from '../../../../proxy/errors.ts';
import type { Exchange, RequestRecord } from '../../../../proxy/http/exchange.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';
import { createAccessLog } from '../../../../proxy/telemetry/access-log.ts';
import { TransportError } from '../../../../proxy/upstream/transport.ts';

interface Arrived {
  readonly level?: LogLevel;
  readonly url?: string;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
}

function lineOf(
  record: Partial<RequestRecord>,
  { level = 'info', url = '/v1/chat/completions', headers = [] }: Arrived = {},
) {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level, stream: { write: (line) => void lines.push(line) } });
  const whole = { route: 'chat', status: 200, attempts: 0, streamed: false, direct: false, requestBytes: 0 };
  const request = { method: 'POST' };
  const sent = { id: 'request-1', address: '192.0.2.1', headers: new RequestHeaders(headers), startedAt: 0 };
  const exchange = { record: { ...whole, ...record }, request: { ...request, url }, ...sent };
  createAccessLog(log)(exchange as unknown as Exchange, 1);
  return lines.map((line) => JSON.parse(line))[0];
}

const failed = (errorCode: ErrorCode, cause?: unknown) =>
  lineOf({ status: errorTable[errorCode].status, errorCode, errorSource: 'gateway', cause });

const codes = Object.keys(errorTable) as ErrorCode[];

describe('the level of an access log line', () => {
  const isOurs = (code: ErrorCode) => errorTable[code].status >= 500;

  it.each(codes.filter(isOurs))('is warn or error for %s', (code) => {
    expect(failed(code).level).toMatch(/^(warn|error)$/);
  });

  it.each(codes.filter((code) => !isOurs(code)))('is info for %s, which the caller can fix', (code) => {
    expect(failed(code).level).toBe('info');
  });

  it('is warn for a provider’s failure, and info for its refusals and for callers that leave', () => {
    const provider = (status: number) => lineOf({ status, errorSource: 'provider' }).level;
    expect([500, 503, 504].map(provider)).toEqual(['warn', 'warn', 'warn']);
    expect([400, 429, 499].map(provider)).toEqual(['info', 'info', 'info']);
  });

  it('decides whether the line is logged', () => {
    expect(lineOf({ status: 200 }, { level: 'warn' })).toBeUndefined();
    expect(lineOf({ status: 503, errorCode: 'overloaded' }, { level: 'warn' })).toMatchObject({
      level: 'warn',
    });
    expect(lineOf({ status: 503, errorCode: 'overloaded' }, { level: 'error' })).toBeUndefined();
    expect(lineOf({ status: 500, errorCode: 'internal_error' }, { level: 'error' })).toMatchObject({
      level: 'error',
    });
  });
});

describe('the cause in an access log line', () => {
  it('has a stack for a defect', () => {
    expect(failed('internal_error', new TypeError('a defect')).err).toMatchObject({
      ...{ type: 'TypeError', message: 'a defect', stack: expect.stringContaining('access-log.test') },
    });
  });

  it('is otherwise one line, from the outer error to the inner one, without repetitions', () => {
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:9');
    const several = new AggregateError([refused, new Error('connect ECONNREFUSED ::1:9')]);
    const line = failed('upstream_unreachable', new TransportError('connect', several));
    expect(line).not.toHaveProperty('err');
    expect(line.reason).toBe('upstream connect: connect ECONNREFUSED 127.0.0.1:9');
    const parsed = new Error('the egress gateway: nothing listens there', {
      cause: new Error('nothing listens there'),
    });
    expect(failed('upstream_unreachable', parsed).reason).toBe('the egress gateway: nothing listens there');
  });

  it('is short, printable and without keys, however deep it is nested', () => {
    let cause = new Error('the end');
    for (let depth = 0; depth < 50; depth++)
      cause = new Error(`sk-proj-a1B2c3D4e5F6 \u001b[31m\n${'x '.repeat(200)}${depth}`, { cause });
    const { reason } = failed('upstream_protocol_error', cause);
    expect(reason.length).toBeLessThanOrEqual(400);
    expect(reason).toMatch(/^\[hidden\] \[31m x x/);
  });
});

describe('an access log line of a failed or unrouted request', () => {
  const key = 'correct-horse-battery';
  const headers = ['authorization', `Bearer ${key}`];

  it('contains no key from a header in its path', () => {
    const line = lineOf({ route: 'none', status: 404 }, { url: `/v1/${key}/models`, headers });
    expect(line.path).toBe('/v1/[key]/models');
    expect(JSON.stringify(line)).not.toContain(key);
  });

  it('contains the caller’s address', () => {
    expect(lineOf({ status: 401, errorCode: 'access_not_found' })).toMatchObject({ address: '192.0.2.1' });
    expect(lineOf({ status: 200 })).not.toHaveProperty('address');
  });
});
