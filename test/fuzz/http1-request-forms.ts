// Requests in HTTP/1.1 as clients send them, and lines with which programs have been made to see two requests for one: the
// facts of the published cases of llhttp and of the HTTP Garden, and of RFC 9112.
import type { Random } from '../support/access/random.ts';
import { changedMessage } from './http1-changes.ts';

const json = '{"model":"m"}';
const start = 'POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n';
const chunks = '5\r\n{"mod\r\n08\r\nel":"m"}\r\n0\r\n\r\n';

/** What real clients send, also several on one connection. */
export const requestForms: readonly string[] = [
  'GET /v1/models HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer key\r\n\r\n',
  `${start}Content-Type: application/json\r\nContent-Length: 13\r\n\r\n${json}`,
  `${start}content-type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  `${start}Connection: keep-alive\r\nAccept: */*\r\nUser-Agent: OpenAI/Python 2.1\r\nContent-Length: 13\r\n\r\n${json}`,
  `${start}Connection: close\r\ncontent-length: 13\r\n\r\n${json}`,
  `${start}Expect: 100-continue\r\nContent-Length: 13\r\n\r\n${json}`,
  `${start}Content-Length: 0\r\n\r\n`,
  `${start}x-empty:\r\nx-spaced: \t a  b \t \r\nx-note: caf\xe9\r\ncontent-length: 13\r\n\r\n${json}`,
  'GET /v1/models/a%2Fb?x=1&y=%20;z HTTP/1.1\r\nhost:gateway\r\n\r\n',
  `GET /v1/models HTTP/1.1\r\nHost: gateway\r\n\r\n${start}Content-Length: 13\r\n\r\n${json}`,
  `${start}Transfer-Encoding: chunked\r\n\r\n${chunks}GET /second HTTP/1.1\r\nHost: gateway\r\n\r\n`,
  'GET /v1/models HTTP/1.0\r\nHost: gateway\r\n\r\n',
  'OPTIONS /v1/models HTTP/1.1\r\nHost: gateway\r\n\r\n',
  `PUT /v1/models HTTP/1.1\r\nHost: gateway\r\nContent-Length: 13\r\n\r\n${json}`,
];

const lines = [
  ...[
    'Content-Length: 13',
    'Content-Length: 5',
    'content-length: 13, 13',
    'Content-Length: +13',
    'Content-Length: 0xd',
  ],
  ...['Content-Length: 013', 'Content-Length: 1 3', 'Content-Length:', 'Content-Length : 13', 'Content-Length: -1'],
  ...['Content-Length: 99999999999999999999', 'Content-Length:\t13', 'Content-Length: 13 ', 'Content-Length: 1_3'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: Chunked', 'Transfer-Encoding: identity'],
  ...['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: chunked;q=1'],
  ...[
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding:',
    'Transfer-Encoding: "chunked"',
  ],
  ...['Transfer-Encoding: chunked, identity', 'Transfer-Encoding: ,chunked', 'Transfer-Encoding: chunked '],
  ...['Transfer-Encoding: xchunked', 'Transfer_Encoding: chunked', 'Content_Length: 5', 'TE: trailers'],
  ...['Host: other', 'Host:', 'host: gateway', 'Connection: close', 'Connection: keep-alive', 'Connection: Upgrade'],
  ...['Connection: keep-alive, close', 'Connection: content-length', 'Upgrade: websocket', 'Upgrade: h2c'],
  ...['HTTP2-Settings: AAMAAABk', 'Expect: 100-continue', 'Expect: nothing', 'Proxy-Connection: close', 'Trailer: x'],
  ...[' folded: value', '\tfolded', 'no colon', ': no name', 'na me: 1', 'name\t: 1', 'na(me: 1', '__proto__: 1'],
  ...['constructor: 1', 'x: a\rb', 'x: a\nContent-Length: 1', 'x: a\0b', 'x: \x01', 'GET /other HTTP/1.1', 'x: \x7f'],
  ...['X-HTTP-Method-Override: PUT', 'Keep-Alive: timeout=1', '\xe9: 1', 'x\0y: 1', '"x": 1'],
];

/** @returns the bytes of one or several requests, with none to three changes, as Latin-1 */
export function changedRequest(random: Random): string {
  return changedMessage(random, { forms: requestForms, lines });
}
