// Which headers pass through a proxy that forwards.
import { describe, expect, it } from 'vitest';
import { forwardedHeaders, returnedHeaders } from '../../../../proxy/forward/headers.ts';

const forward = (raw: readonly string[], key?: { header: string; value: string }) =>
  forwardedHeaders(raw, { requestId: 'made', key });

describe('of a request', () => {
  it('all pass as they came: order, letter case, repetitions and bytes above ASCII', () => {
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
  ])('%s ends here', (name, value) => {
    expect(forward([name, value, 'accept', '*/*'])).toEqual(['accept', '*/*', 'x-request-id', 'made']);
  });

  it('those that Connection names end here, whatever their letter case', () => {
    const raw = ['connection', 'close, X-Hop ,x-other', 'x-hop', '1', 'X-OTHER', '2', 'x-end', '3'];
    expect(forward(raw)).toEqual(['x-end', '3', 'x-request-id', 'made']);
  });

  it('of several Connection headers all count', () => {
    expect(forward(['connection', 'x-one', 'Connection', 'x-two', 'x-one', '1', 'x-two', '2'])).toEqual([
      'x-request-id',
      'made',
    ]);
  });

  it('there is one request id, the one of the log', () => {
    expect(forward(['X-Request-Id', 'sent', 'x-request-id', 'again'])).toEqual(['x-request-id', 'made']);
  });

  it('an attached key replaces what stands under its name', () => {
    const key = { header: 'x-svc-vk', value: 'attached' };
    expect(forward(['X-Svc-Vk', 'junk', 'authorization', 'Bearer other'], key)).toEqual([
      ...['authorization', 'Bearer other'],
      ...['x-request-id', 'made', 'x-svc-vk', 'attached'],
    ]);
  });

  it('a Connection header cannot take the attached key or the request id away', () => {
    const key = { header: 'x-svc-vk', value: 'attached' };
    expect(forward(['connection', 'x-svc-vk, x-request-id'], key)).toEqual([
      ...['x-request-id', 'made', 'x-svc-vk', 'attached'],
    ]);
  });
});

describe('of an answer', () => {
  it('all pass but those between two hops', () => {
    const raw = ['Content-Type', 'a/b', 'Connection', 'x-hop', 'x-hop', '1', 'Keep-Alive', 'timeout=75'];
    expect(returnedHeaders([...raw, 'Transfer-Encoding', 'chunked', 'x-request-id', 'theirs'])).toEqual([
      ...['Content-Type', 'a/b', 'x-request-id', 'theirs'],
    ]);
  });

  it('bytes are read as Latin-1, as they are written', () => {
    expect(returnedHeaders([Buffer.from('x-name'), Buffer.from([0x63, 0xe9])])).toEqual([
      'x-name',
      'c\u00e9',
    ]);
  });
});
