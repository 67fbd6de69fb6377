// Responses in HTTP/1.1 as servers send them, and small changes by which two parsers could come to see two things.
import type { Random } from '../support/access/random.ts';

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

const special = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '"',
    '\\',
    '/',
    '\x0b',
    '\x7f',
    '\x80',
    '\xff',
    '\xa0',
  ],
  ...[
    '0',
    '1',
    '5',
    'f',
    'F',
    'x',
    '-',
    '+',
    '_',
    'chunked',
    'close',
    'identity',
    'gzip, chunked',
    'HTTP/1.1 200 OK\r\n',
  ],
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

type Change = (random: Random, text: string) => string;

const at = (random: Random, text: string) => random.below(text.length + 1);

const changes: readonly Change[] = [
  (random, text) => spliced(text, at(random, text), 0, random.pick(special)),
  (random, text) => spliced(text, at(random, text), 1, random.pick(special)),
  (random, text) => spliced(text, at(random, text), 1 + random.below(4), ''),
  (random, text) => withLine(random, text, random.pick(lines)),
  (random, text) => withLine(random, text, random.pick(lines)),
  (random, text) => withoutLine(random, text),
  (random, text) => text.slice(0, at(random, text)),
  (random, text) => text + random.pick([...special, ...forms]),
  (random, text) => text.replace(/\d+/g, (digits) => (random.chance(0.2) ? String(random.below(40)) : digits)),
  (random, text) => (random.chance(0.5) ? text.toUpperCase() : text.toLowerCase()),
  (random, text) => text.replaceAll('\r\n', () => (random.chance(0.1) ? random.pick(['\n', '\r', '\r\r\n']) : '\r\n')),
  (random, text) =>
    text.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.10', 'ICY'])),
];

/** @returns the bytes of one response, with none to three changes, as Latin-1 */
export function changedForm(random: Random): string {
  let text = random.pick(forms);
  for (let times = random.below(4); times > 0; times--) text = random.pick(changes)(random, text);
  return text;
}

function spliced(text: string, from: number, removed: number, added: string): string {
  return text.slice(0, from) + added + text.slice(from + removed);
}

function withLine(random: Random, text: string, line: string): string {
  const parts = text.split('\r\n');
  const end = Math.max(1, parts.indexOf(''));
  return parts.toSpliced(1 + random.below(end), 0, line).join('\r\n');
}

function withoutLine(random: Random, text: string): string {
  const parts = text.split('\r\n');
  return parts.toSpliced(random.below(parts.length), 1).join('\r\n');
}
