import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../../proxy/http1/errors.ts';
import { parseResponseHead } from '../../../../proxy/http1/response-head.ts';

const parse = (lines: readonly string[], method = 'POST') => parseResponseHead(lines.join('\r\n'), method);
const ok = 'HTTP/1.1 200 OK';

describe('the head of a response', () => {
  it('has its headers by name in lower case, and as received', () => {
    const { status, headers, raw } = parse([ok, 'X-Name: \t a b \t', 'set-cookie: 1', 'Set-Cookie: 2', 'empty:']);
    expect(status).toBe(200);
    expect({ ...headers }).toEqual({ 'x-name': 'a b', 'set-cookie': ['1', '2'], empty: '' });
    expect(raw).toEqual(['X-Name', 'a b', 'set-cookie', '1', 'Set-Cookie', '2', 'empty', '']);
  });

  it('is read as Latin-1, and no white space but its own is removed', () => {
    expect(parse([ok, 'x: caf\xe9\xa0']).headers.x).toBe('caf\xe9\xa0');
  });

  it('may have a name that means something to JavaScript', () => {
    const { headers } = parse([ok, '__proto__: 1', 'constructor: 2']);
    expect(Object.entries(headers)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it.each([
    ['HTTP/1.1 200', 200],
    ['HTTP/1.1 200 ', 200],
    ['HTTP/1.0 404 Not Found', 404],
    ['HTTP/1.1 599 \xdcber', 599],
  ])('may begin with %j', (line, status) => {
    expect(parse([line, 'content-length: 0']).status).toBe(status);
  });

  it.each([
    ...[
      '',
      'HTTP/1.1',
      'HTTP/1.1  200 OK',
      'HTTP/1.1 20 OK',
      'HTTP/1.1 2000 OK',
      'HTTP/1.1 099 OK',
      'HTTP/1.1\t200 OK',
    ],
    ...['HTTP/1.2 200 OK', 'HTTP/2.0 200 OK', 'HTTP/1.10 200 OK', 'http/1.1 200 OK', ' HTTP/1.1 200 OK', 'ICY 200 OK'],
    ...['HTTP/1.1 200 a\rb', 'HTTP/1.1 200 a\nb', 'HTTP/1.1 200 \0', 'HTTP/1.1 200OK'],
  ])('may not begin with %j', (line) => {
    expect(() => parse([line])).toThrow(ProtocolError);
  });

  it.each([
    ...[
      'no colon',
      ': no name',
      'na me: 1',
      'name : 1',
      'name\t: 1',
      ' folded: 1',
      '\tfolded',
      'na(me: 1',
      'n\xe4me: 1',
    ],
    ...['x: a\rb', 'x: a\nb', 'x: a\0b', 'x: \x01', 'x: \x7f', ''],
  ])('may not have the line %j', (line) => {
    expect(() => parse([ok, 'a: 1', line])).toThrow(ProtocolError);
  });
});

describe('the end of a response', () => {
  it.each([
    ['a length', ['content-length: 12'], 12],
    ['a length with zeros', ['content-length: 0012'], 12],
    ['no bytes', ['content-length: 0'], 'none'],
    ['chunks', ['transfer-encoding: Chunked'], 'chunked'],
    ['neither', [], 'close'],
  ] as const)('is defined by %s', (_what, lines, framing) => {
    expect(parse([ok, ...lines]).framing).toBe(framing);
  });

  it.each([
    ['204', 'HTTP/1.1 204 No Content', 'POST'],
    ['304', 'HTTP/1.1 304 Not Modified', 'GET'],
    ['a response to HEAD', ok, 'HEAD'],
  ])('is the end of the head for %s, whatever its length', (_what, line, method) => {
    expect(parse([line, 'content-length: 12'], method).framing).toBe('none');
    expect(parse([line, 'transfer-encoding: chunked'], method).framing).toBe('none');
  });

  it.each([
    [['content-length: 5', 'content-length: 5']],
    [['content-length: 5, 5']],
    [['content-length: +5']],
    [['content-length: -5']],
    [['content-length: 0x5']],
    [['content-length: 5 5']],
    [['content-length: 5.0']],
    [['content-length: 1e3']],
    [['content-length:']],
    [['content-length: 5 ']],
    [['content-length: 9999999999999999']],
    [['content-length: 5', 'transfer-encoding: chunked']],
    [['transfer-encoding: gzip, chunked']],
    [['transfer-encoding: chunked, chunked']],
    [['transfer-encoding: chunked', 'transfer-encoding: chunked']],
    [['transfer-encoding: chunked;q=1']],
    [['transfer-encoding: identity']],
    [['transfer-encoding: chunked\t']],
    [['transfer-encoding:']],
  ])('is not defined by %j', (lines) => {
    expect(() => parse([ok, ...lines])).toThrow(ProtocolError);
  });

  it('is not defined by chunks in HTTP/1.0', () => {
    expect(() => parse(['HTTP/1.0 200 OK', 'transfer-encoding: chunked'])).toThrow(ProtocolError);
  });
});

describe('a connection after a response', () => {
  it.each([
    [ok, ['content-length: 1'], true],
    [ok, ['content-length: 1', 'connection: close'], false],
    [ok, ['content-length: 1', 'Connection: keep-alive, Close'], false],
    [ok, [], false],
    ['HTTP/1.0 200 OK', ['content-length: 1'], false],
    ['HTTP/1.0 200 OK', ['content-length: 1', 'connection: Keep-Alive'], true],
  ])('of %s with %j persists: %s', (line, lines, persists) => {
    expect(parse([line, ...lines]).persists).toBe(persists);
  });

  it('is kept as long as the server announces', () => {
    expect(parse([ok, 'keep-alive: timeout=5, max=100']).keptMs).toBe(5000);
    expect(parse([ok, 'keep-alive: max=100']).keptMs).toBeUndefined();
  });
});
