// Responses in HTTP/1.1 as servers send them, and lines by which two parsers could come to see two things.
import type { Random } from '../support/access/random.ts';
import { changedMessage } from './http1-changes.ts';

const json = '{"id":"1","choices":[]}';
const chunks = '5\r\n{"id"\r\n5;name="a b"\r\n:"1",\r\n00d\r\n"choices":[]}\r\n0\r\n\r\n';

/** What real servers send. */
export const forms: readonly string[] = [
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n${json}`,
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nDate: Tue, 24 Nov 2026 08:00:00 GMT\r\n\r\n${chunks}`,
  `HTTP/1.1 200\r\ncontent-length: 23\r\nconnection: close\r\n\r\n${json}`,
  `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${json}`,
  `HTTP/1.0 200 OK\r\nServer: old\r\n\r\n${json}`,
  `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 23\r\n\r\n${json}`,
  `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:23\r\n\r\n${json}`,
  'HTTP/1.1 204 No Content\r\nx-request-id: 1\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  `HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 23\r\n\r\n${json}`,
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n',
  `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nConnection: Keep-Alive\r\nContent-Length: 23\r\n\r\n${json}`,
  `HTTP/1.1 503 \xdcberlastet\r\nx-note: caf\xe9\r\ncontent-length: 23\r\n\r\n${json}`,
  `HTTP/1.1 200 OK\r\nempty:\r\nspaced: \t a  b \t \r\ncontent-length: 23\r\n\r\n${json}`,
];

const lines = [
  ...[
    'Content-Length: 23',
    'Content-Length: 5',
    'content-length: 23, 23',
    'Content-Length: +23',
    'Content-Length: 0x17',
  ],
  ...['Content-Length: 023', 'Content-Length: 2 3', 'Content-Length:', 'Content-Length : 23', 'Content-Length: -1'],
  ...['Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: Chunked'],
  ...['Transfer-Encoding: identity', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, chunked'],
  ...[
    'Transfer-Encoding: chunked;q=1',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding:',
  ],
  ...['Connection: close', 'Connection: keep-alive, close', 'Connection: upgrade', 'Upgrade: h2c', ' folded: value'],
  ...['\tfolded', 'no colon', ': no name', 'na me: 1', 'name\t: 1', 'na(me: 1', '__proto__: 1', 'constructor: 1'],
  ...['x: a\rb', 'x: a\nContent-Length: 1', 'x: a\0b', 'x: \x01', 'Proxy-Connection: close', 'HTTP/1.1 200 OK'],
];

/** @returns the bytes of one response, with none to three changes, as Latin-1 */
export function changedForm(random: Random): string {
  return changedMessage(random, { forms, lines });
}
