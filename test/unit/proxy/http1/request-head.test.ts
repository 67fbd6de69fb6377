// The plain form of a request, rule by rule of RFC 9110 and 9112: what the engine serves, and what it leaves to node:http.
import { describe, expect, it } from 'vitest';
import { http2Preface, type PlainHead, readHead } from '../../../../proxy/http1/request-head.ts';

const bytesMax = 16_384;
const read = (text: string, known = 0) => readHead(Buffer.from(text, 'latin1'), bytesMax, known);
const withFields = (...fields: readonly string[]) => ['POST /v1 HTTP/1.1', 'Host: x', ...fields, '', ''].join('\r\n');

function plain(text: string): PlainHead {
  const head = read(text);
  if (typeof head === 'string') throw new Error(`it is ${head}`);
  return head;
}

const whole = withFields('X-Name: \t a b \t', 'x-empty:', 'x-note: caf\xe9\xa0', 'Content-Length: 5', '__proto__: 1');

describe('the head of a request', () => {
  it('has its headers as received, without the white space around values', () => {
    expect(plain(`${whole}hello`)).toEqual({
      ...{ method: 'POST', target: '/v1', body: 5, persists: true, expectsContinue: false, length: whole.length },
      rawHeaders: [
        ...['Host', 'x', 'X-Name', 'a b', 'x-empty', '', 'x-note', 'caf\xe9\xa0', 'Content-Length', '5'],
        ...['__proto__', '1'],
      ],
    });
  });

  it('is read in whichever pieces it arrives', () => {
    for (let cut = 0; cut < whole.length; cut++) {
      expect(read(whole.slice(0, cut))).toBe('more');
      expect(read(whole, cut)).toEqual(plain(whole));
    }
  });

  it.each([
    ['no length', [], { body: 0 }],
    ['a length', ['content-length: 015'], { body: 15 }],
    ['chunks', ['TRANSFER-ENCODING: Chunked'], { body: 'chunked' }],
    ['keep-alive', ['Connection: Keep-Alive'], { persists: true }],
    ['close', ['connection: CLOSE'], { persists: false }],
    ['an expectation', ['Expect: 100-Continue'], { expectsContinue: true }],
    ['headers of names alike', ['x-content-length: 1', 'hosts: 1', 'transfer_encoding: chunked', 'TE: a'], { body: 0 }],
  ])('may have %s', (_what, fields, expected) => {
    expect(plain(withFields(...fields))).toMatchObject(expected);
  });

  it('may be long, and its strings then share no memory', () => {
    const long = withFields(`x-long: ${'a'.repeat(15_000)}`);
    expect(plain(long).rawHeaders[3]).toHaveLength(15_000);
  });

  it.each([
    ['another method', 'PUT /v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in lower case', 'get /v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the absolute form', 'GET http://x/v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the authority form', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two spaces', 'GET  /v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a tab for a space', 'GET\t/v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /v1 /v2 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a fragment', 'GET /v1#a HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a byte above ASCII in the target', 'GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a control character in the target', 'GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['HTTP/1.0', 'GET /v1 HTTP/1.0\r\nHost: x\r\n\r\n'],
    ['HTTP/1.2', 'GET /v1 HTTP/1.2\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 'GET /v1\r\n\r\n'],
    ['HTTP/2 with another rest', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'],
    ['an empty line before it', '\r\nGET /v1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a line that ends with LF', 'GET /v1 HTTP/1.1\nHost: x\r\n\r\n'],
    ['a head that ends with LF', 'GET /v1 HTTP/1.1\r\nHost: x\r\n\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01'],
    ['a header before Host that is folded', 'GET /v1 HTTP/1.1\r\n Host: x\r\n\r\n'],
    ['no Host', 'GET /v1 HTTP/1.1\r\nx: y\r\n\r\n'],
    ['two Hosts', withFields('host: x')],
    ['a folded header', withFields('x: a', ' b')],
    ['a header folded with a tab', withFields('x: a', '\tb')],
    ['white space before the colon', withFields('x : a')],
    ['no colon', withFields('x')],
    ['no name', withFields(': a')],
    ['a name that is no token', withFields('x(y: a')],
    ['a name above ASCII', withFields('\xe9: a')],
    ['a CR in a value', withFields('x: a\rb')],
    ['an LF in a value', withFields('x: a\nb')],
    ['a NUL in a value', withFields('x: a\0b')],
    ['DEL in a value', withFields('x: \x7f')],
    ['two lengths', withFields('content-length: 1', 'content-length: 1')],
    ['a list of lengths', withFields('content-length: 1, 1')],
    ['a sign', withFields('content-length: +1')],
    ['hexadecimal', withFields('content-length: 0x1')],
    ['an empty length', withFields('content-length:')],
    ['a length of sixteen digits', withFields(`content-length: ${'1'.repeat(16)}`)],
    ['a padded length', withFields('content-length: 1 ')],
    ['a length after a tab', withFields('content-length:\t1')],
    ['a length and chunks', withFields('content-length: 1', 'transfer-encoding: chunked')],
    ['chunks and a length', withFields('transfer-encoding: chunked', 'content-length: 1')],
    ['chunks twice', withFields('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['chunked in a list', withFields('transfer-encoding: chunked, chunked')],
    ['another coding', withFields('transfer-encoding: identity')],
    ['a parameter', withFields('transfer-encoding: chunked;q=1')],
    ['a padded coding', withFields('transfer-encoding: chunked\t')],
    ['an empty coding', withFields('transfer-encoding:')],
    ['Connection twice', withFields('connection: close', 'connection: close')],
    ['a list of options', withFields('connection: keep-alive, close')],
    ['an option that is a header', withFields('connection: content-length')],
    ['Proxy-Connection', withFields('proxy-connection: close')],
    ['Upgrade', withFields('upgrade: h2c')],
    ['another expectation', withFields('expect: 200-ok')],
    ['an expectation twice', withFields('expect: 100-continue', 'expect: 100-continue')],
    ['too many headers', withFields(...Array.from({ length: 256 }, () => 'a:'))],
    ['too many bytes', withFields(`x: ${'a'.repeat(bytesMax)}`)],
  ])('with %s is not plain', (_what, text) => {
    expect(read(text)).toBe('other');
  });

  it.each([
    ['GET /v1 HTTP/1.1\r\nHost: x\n'],
    ['GET /v1\n'],
    ['GEX'],
    ['PRX'],
    ['\n'],
    [`POST /${'a'.repeat(bytesMax)}`],
  ])('is known not to be plain before its end: %.20j', (text) => {
    expect(read(text)).toBe('other');
  });

  it('is the preface of HTTP/2, in whichever pieces', () => {
    for (let cut = 1; cut < http2Preface.length; cut++) expect(read(http2Preface.slice(0, cut))).toBe('more');
    expect(read(`${http2Preface}\0\0\0`)).toBe('http2');
  });
});
