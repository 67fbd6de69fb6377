// Headers that pass through a proxy in forward mode.
import { describe, expect, it } from 'vitest';
import { forwardedHeaders, returnedHeaders } from '../../../../proxy/forward/headers.ts';

const forward = (raw: readonly string[], key?: { header: string; value: string }) =>
  forwardedHeaders(raw, { requestId: 'made', key });

describe('headers of a request in forward mode', () => {
  it('pass unchanged: order, letter case, repetitions and bytes above ASCII', () => {
    const raw = ['Accept', '*/*', 'X-Two', 'a', 'x-two', 'b', 'X-Empty', '', 'x-latin', 'caf\u00e9'];
    expect(forward(raw)).toEqual([...raw, 'x-request-id', 'made']);
  });

  it.each([
    ['Connection', 'keep-alive'],
    ['Keep-Alive', 'timeout=5'],
    ['Proxy-Authenticate', 'Basic'],
    ['Proxy-Authorization', 'Basic x'],
    ['Proxy-Connection', 'keep-alive'],
    ['TE', 'trailers'],
    ['Trailer', 'x-sum'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['Host', 'localhost:8080'],
    ['Expect', '100-continue'],
  ])('%s is not forwarded', (name, value) => {
    expect(forward([name, value, 'accept', '*/*'])).toEqual(['accept', '*/*', 'x-request-id', 'made']);
  });

  it('headers named in Connection are not forwarded, in any letter case', () => {
    const raw = ['connection', 'close, X-Hop ,x-other', 'x-hop', '1', 'X-OTHER', '2', 'x-end', '3'];
    expect(forward(raw)).toEqual(['x-end', '3', 'x-request-id', 'made']);
  });

  it('headers named in each of several Connection headers are not forwarded', () => {
    expect(forward(['connection', 'x-one', 'Connection', 'x-two', 'x-one', '1', 'x-two', '2'])).toEqual([
      'x-request-id',
      'made',
    ]);
  });

  it('contain one request id, which is the one in the log', () => {
    expect(forward(['X-Request-Id', 'sent', 'x-request-id', 'again'])).toEqual(['x-request-id', 'made']);
  });

  it('contain the attached key instead of a header with its name', () => {
    const key = { header: 'x-svc-vk', value: 'attached' };
    expect(forward(['X-Svc-Vk', 'junk', 'authorization', 'Bearer other'], key)).toEqual([
      ...['authorization', 'Bearer other'],
      ...['x-request-id', 'made', 'x-svc-vk', 'attached'],
    ]);
  });

  it('a Connection header cannot remove the attached key or the request id', () => {
    const key = { header: 'x-svc-vk', value: 'attached' };
    expect(forward(['connection', 'x-svc-vk, x-request-id'], key)).toEqual([
      ...['x-request-id', 'made', 'x-svc-vk', 'attached'],
    ]);
  });
});

describe('headers of a response in forward mode', () => {
  it('pass unchanged, except hop-by-hop headers', () => {
    const raw = ['Content-Type', 'a/b', 'Connection', 'x-hop', 'x-hop', '1', 'Keep-Alive', 'timeout=75'];
    expect(returnedHeaders([...raw, 'Transfer-Encoding', 'chunked', 'x-request-id', 'theirs'])).toEqual([
      ...['Content-Type', 'a/b', 'x-request-id', 'theirs'],
    ]);
  });
});
