import { describe, expect, it } from 'vitest';
import { ClosedError, ProtocolError } from '../../../../proxy/http1/errors.ts';
import { type ResponseHandler, ResponseReader } from '../../../../proxy/http1/response-reader.ts';

const headBytesMax = 1000;

class Seen implements ResponseHandler {
  readonly events: string[] = [];
  body = '';
  onHead: ResponseHandler['onHead'] = ({ status }) => void this.events.push(`head ${status}`);
  onData: ResponseHandler['onData'] = (bytes) => {
    this.body += bytes.toString('latin1');
  };
  onEnd = () => void this.events.push('end');
}

function read(pieces: readonly string[], { ends = false, method = 'POST' } = {}): Seen {
  const reader = new ResponseReader(headBytesMax);
  const seen = new Seen();
  reader.expect(method, seen);
  for (const piece of pieces) reader.read(Buffer.from(piece, 'latin1'));
  if (ends) reader.end();
  return seen;
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const responses: readonly (readonly [string, string, string])[] = [
  ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 'hello'],
  ['chunks', `${chunked}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`, 'hello'],
  ['extensions of chunks', `${chunked}2;a=b;c\r\nhe\r\n0003;x="a \\"b"\r\nllo\r\n0;end\r\n\r\n`, 'hello'],
  ['line ends in chunks', `${chunked}4\r\n\r\n\r\n\r\n1\r\n\n\r\n0\r\n\r\n`, '\r\n\r\n\n'],
  ['trailers', `${chunked}5\r\nhello\r\n0\r\nx-sum: 1\r\ny:\r\n\r\n`, 'hello'],
  [
    'interim responses',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\na: b\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    'ok',
  ],
];

describe('a response', () => {
  it.each(responses)('with %s is read the same wherever it is cut', (_what, text, body) => {
    for (let at = 0; at <= text.length; at++) {
      const seen = read([text.slice(0, at), text.slice(at)]);
      expect([seen.body, seen.events], `cut at ${at}`).toEqual([body, ['head 200', 'end']]);
    }
    expect(read([...text]).body).toBe(body);
  });

  it.each(responses)('with %s that is cut before its end is not complete', (_what, text) => {
    for (let at = 0; at < text.length; at++) {
      expect(() => read([text.slice(0, at)], { ends: true }), `cut at ${at}`).toThrow(ClosedError);
    }
  });

  it('without length or chunks ends with the connection', () => {
    const seen = read(['HTTP/1.1 200 OK\r\n\r\nhel', 'lo'], { ends: true });
    expect([seen.body, seen.events]).toEqual(['hello', ['head 200', 'end']]);
  });

  it.each([
    ['no hexadecimal size', 'g\r\n'],
    ['no size', '\r\n'],
    ['a sign', '+1\r\na\r\n'],
    ['a prefix', '0x1\r\na\r\n'],
    ['white space before the size', ' 1\r\na\r\n'],
    ['nine digits', '000000001\r\na\r\n'],
    ['a line feed alone after the size', '1\na\r\n'],
    ['an extension of two words', '1;a b\r\na\r\n'],
    ['white space after the size', '1 \r\na\r\n'],
    ['a carriage return in an extension', '1;a\rb\r\na\r\n'],
    ['more data than its size', '1\r\nab\r\n'],
    ['no line end after the data', '1\r\na0\r\n\r\n'],
    ['a line feed alone after the data', '1\r\na\n0\r\n\r\n'],
    ['a trailer without a colon', '0\r\ntrailer\r\n\r\n'],
    ['a trailer with a length', '0\r\nContent-Length: 5\r\n\r\n'],
    ['a trailer with a transfer coding', '0\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a folded trailer', '0\r\na: b\r\n c\r\n\r\n'],
    ['an endless extension', `1;${'a'.repeat(5000)}`],
    ['endless trailers', `0\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(20)}`],
  ])('with a chunk of %s is refused', (_what, body) => {
    expect(() => read([chunked + body])).toThrow(ProtocolError);
    expect(() => read([...chunked, ...body])).toThrow(ProtocolError);
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['TLS', '\x15\x03\x01\x00\x02'],
    ['a line end', '\r\n'],
    ['line feeds alone', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
  ])('that begins with %s is refused before its end', (_what, text) => {
    expect(() => read([text])).toThrow(ProtocolError);
    expect(() => read([...text])).toThrow(ProtocolError);
  });

  it('may have a head of the maximal size, and no larger one', () => {
    const headOf = (bytes: number) => {
      const start = 'HTTP/1.1 204 No Content\r\nx: ';
      return `${start}${'a'.repeat(bytes - start.length)}`;
    };
    expect(read([`${headOf(headBytesMax)}\r\n\r\n`]).events).toEqual(['head 204', 'end']);
    expect(() => read([`${headOf(headBytesMax + 1)}\r\n\r\n`])).toThrow(ProtocolError);
    expect(() => read([...headOf(headBytesMax + 1)])).toThrow(ProtocolError);
  });

  it('comes after at most eight interim ones', () => {
    const interim = 'HTTP/1.1 102 Processing\r\n\r\n';
    expect(read([`${interim.repeat(8)}HTTP/1.1 204 \r\n\r\n`]).events).toEqual(['head 204', 'end']);
    expect(() => read([interim.repeat(9)])).toThrow(ProtocolError);
  });

  it('may not switch the connection to another protocol', () => {
    expect(() => read(['HTTP/1.1 101 Switching Protocols\r\n\r\n'])).toThrow('another protocol');
  });

  it('is not read beyond its end', () => {
    const reader = new ResponseReader(headBytesMax);
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    reader.expect('POST', new Seen());
    expect(reader.read(Buffer.from(`${text}HTTP/1.1 200 OK\r\n\r\n`))).toBe(text.length);
    expect(reader.isBusy).toBe(false);
  });

  it('is not read while its reader pauses', () => {
    const reader = new ResponseReader(headBytesMax);
    const seen = new Seen();
    const pausing: ResponseHandler = {
      ...{ onHead: seen.onHead, onEnd: seen.onEnd },
      onData: (bytes) => {
        seen.onData(bytes);
        reader.isPaused = true;
      },
    };
    reader.expect('POST', pausing);
    const bytes = Buffer.from(`${chunked}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`);
    const at = reader.read(bytes);
    expect(seen.body).toBe('a');
    reader.isPaused = false;
    reader.read(bytes, at);
    expect(seen.body).toBe('ab');
  });
});
