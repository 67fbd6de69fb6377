// Bytes by which one program has been made to see two requests where another saw one, or another target: the facts of
// published cases. Each is followed by a last request, which shows where a server believes to be.

const post = 'POST /first HTTP/1.1\r\nHost: x\r\n';
const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
export const lastRequest = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const withBody = (fields: readonly string[], body = '') =>
  `${post}${fields.map((field) => `${field}\r\n`).join('')}\r\n${body}`;
const chunked = (body: string) => withBody(['Transfer-Encoding: chunked'], body);
const chunkedBody = `0\r\n\r\n${hidden}`;

/** Which of them the engine refuses although node:http accepts it: what they have in common is named. */
export type Stricter = 'an extension of a chunk' | 'trailers' | 'a long size of a chunk';

export interface RawRequest {
  readonly what: string;
  readonly bytes: string;
  readonly stricter?: Stricter;
}

const both: readonly (readonly string[])[] = [
  ['Content-Length: 4', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 4'],
  ['Content-Length: 0', 'Transfer-Encoding: chunked'],
  ['Content-Length: 4', 'Transfer-Encoding: identity'],
  ['Content-Length: 4', 'Transfer-Encoding: gzip, chunked'],
  ['Content-Length: 4', 'Transfer-Encoding: chunked, gzip'],
  ['Content-Length: 4', 'Transfer-Encoding:chunked'],
  ['Content-Length: 4', 'Transfer-Encoding : chunked'],
  ['Content-Length: 4', 'Transfer-Encoding:\tchunked'],
  ['Content-Length: 4', 'Transfer-Encoding: \x0bchunked'],
  ['Content-Length: 4', 'Transfer-Encoding: chunked\x0b'],
  ['Content-Length: 4', 'X: y\rTransfer-Encoding: chunked'],
  ['Content-Length: 4', 'X: y\nTransfer-Encoding: chunked'],
  ['Content-Length: 4', 'X: y', ' Transfer-Encoding: chunked'],
  ['Content-Length: 4', 'Transfer-Encoding:', ' chunked'],
  ['Content-Length: 4', 'Transfer_Encoding: chunked'],
  ['Content-Length: 4', '\0Transfer-Encoding: chunked'],
  ['Content-Length: 4', 'Transfer-Encoding\0: chunked'],
  ['Content-Length: 4', 'Foo: bar\r\rTransfer-Encoding: chunked'],
];
const lengths: readonly (readonly string[])[] = [
  ['Content-Length: 4', 'Content-Length: 4'],
  ['Content-Length: 4', 'Content-Length: 0'],
  ['Content-Length: 4, 4'],
  ['Content-Length: 4, 0'],
  ['Content-Length: +4'],
  ['Content-Length: -4'],
  ['Content-Length: 0x4'],
  ['Content-Length: 4 0'],
  ['Content-Length: 4.0'],
  ['Content-Length: 4e0'],
  ['Content-Length: 0004'],
  ['Content-Length: 4_'],
  ['Content-Length:'],
  ['Content-Length: "4"'],
  ['Content-Length : 4'],
  ['Content-Length:\t4'],
  ['Content-Length: 4 '],
  ['Content-Length: 18446744073709551620'],
  ['Content-Length: 99999999999999999999999'],
  ['X: y', ' Content-Length: 4'],
  ['Content-Length\r: 4'],
  ['Content-Length: 4\r'],
  ['Content-Length: 4\nX: y'],
];
const codings: readonly string[] = [
  ...['Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: chunked;q=1', 'Transfer-Encoding: chunked,'],
  ...['Transfer-Encoding: ,chunked', 'Transfer-Encoding: "chunked"', 'Transfer-Encoding: xchunked'],
  ...['Transfer-Encoding: chunkedx', 'Transfer-Encoding: identity', 'Transfer-Encoding: cow', 'Transfer-Encoding:'],
  ...['Transfer-Encoding: Chunked', 'Transfer-Encoding: chunked ', 'Transfer-Encoding: \x00chunked'],
  ...[
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  ],
];
const sizes: readonly (readonly [string, Stricter?])[] = [
  ...[
    ['-1\r\n'],
    ['+0\r\n'],
    ['0x0\r\n'],
    [' 0\r\n'],
    ['\t0\r\n'],
    ['\r\n'],
    ['g\r\n'],
    ['0\n'],
    ['0\r'],
    ['1\r\na'],
  ].map(([text = '']) => [text] as const),
  ['0 \r\n'],
  ['00000000\r\n'],
  ['000000000\r\n', 'a long size of a chunk'],
  ['100000000\r\n', 'a long size of a chunk'],
  ['ffffffffffffffff\r\n', 'a long size of a chunk'],
  ['10000000000000000\r\n'],
  ['0;a\r\n', 'an extension of a chunk'],
  ['0;a=b\r\n', 'an extension of a chunk'],
  ['0;a="b"\r\n', 'an extension of a chunk'],
  ['0;a\n\r\n'],
  ['0;a\rb\r\n'],
  ['0;\r\n'],
];
const heads: readonly string[] = [
  ...[
    'GET /first HTTP/1.1\r\n\r\n',
    'GET /first HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    '\r\n\r\nGET /first HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...['GET /first HTTP/1.0\r\nHost: x\r\n\r\n', 'GET /first\r\n\r\n', 'GET http://y/first HTTP/1.1\r\nHost: x\r\n\r\n'],
  ...[
    'GET //y/first HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /a/../first HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /%2e%2e/ HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET /first#y HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /first\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /first\x7f HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET  /first HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET\t/first HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /first  HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET /first HTTP/1.1\nHost: x\n\n',
    'GET /first HTTP/1.1\rHost: x\r\r',
    'GET /first HTTP/01.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'get /first HTTP/1.1\r\nHost: x\r\n\r\n',
    ' GET /first HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT y:1 HTTP/1.1\r\nHost: y\r\n\r\n',
  ],
  ...[
    'GET /first HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    'GET /first HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n',
  ],
  ...[
    'GET /first HTTP/1.1\r\nHost: x\r\nConnection: close, keep-alive\r\n\r\n',
    'GET /first HTTP/1.1\r\nHost: x\r\nConnection: host\r\n\r\n',
  ],
  `GET /first HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  `HEAD /first HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
];

export const rawRequests: readonly RawRequest[] = [
  ...both.map((fields) => ({ what: fields.join(' and '), bytes: withBody(fields, chunkedBody) })),
  ...lengths.map((fields) => ({ what: fields.join(' and '), bytes: withBody(fields, `abcd${hidden}`) })),
  ...codings.map((coding) => ({ what: coding, bytes: withBody([coding], chunkedBody) })),
  ...sizes.map(([size, stricter]) => ({
    ...{ what: `the chunk ${JSON.stringify(size)}`, bytes: chunked(`${size}\r\n${hidden}`) },
    ...(stricter !== undefined && { stricter }),
  })),
  { what: 'a chunk that is too long', bytes: chunked(`3\r\nabcd\r\n0\r\n\r\n`) },
  { what: 'a chunk that ends with LF', bytes: chunked(`3\r\nabc\n0\r\n\r\n`) },
  { what: 'a trailer', bytes: chunked(`0\r\nX: y\r\n\r\n`), stricter: 'trailers' },
  { what: 'a length as a trailer', bytes: chunked(`0\r\nContent-Length: 5\r\n\r\n`), stricter: 'trailers' },
  ...heads.map((bytes) => ({ what: JSON.stringify(bytes), bytes })),
];
