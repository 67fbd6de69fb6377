import { describe, expect, it } from 'vitest';
import { proxyHeaderBytesMax, readProxyHeader } from '../../../common/proxy-protocol.ts';
import { proxyLine, proxyV2 } from '../../support/proxy-headers.ts';
import { roundsOf } from '../../support/seed.ts';

const text = (line: string) => Buffer.from(line, 'latin1');
const read = (source: string | undefined, length: number) => ({ state: 'read', length, source });

describe('a PROXY header of version 1', () => {
  it.each([
    ['PROXY TCP4 198.51.100.1 192.0.2.7 4711 443\r\n', '198.51.100.1'],
    ['PROXY TCP6 2001:db8::1 2001:DB8::7 65535 0\r\n', '2001:db8::1'],
    ['PROXY UNKNOWN\r\n', undefined],
    ['PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n', undefined],
  ])('%j names %s', (line, source) => {
    expect(readProxyHeader(text(`${line}GET / HTTP/1.1\r\n`))).toEqual(read(source, line.length));
  });

  it.each([
    'PROXY \r\n',
    'PROXY TCP4\r\n',
    'PROXY TCP4 198.51.100.1 192.0.2.7 4711\r\n',
    'PROXY TCP4 198.51.100.1 192.0.2.7 4711 443 \r\n',
    'PROXY TCP4  198.51.100.1 192.0.2.7 4711 443\r\n',
    'PROXY TCP4 198.51.100.256 192.0.2.7 4711 443\r\n',
    'PROXY TCP4 198.51.100.1 192.0.2 4711 443\r\n',
    'PROXY TCP4 2001:db8::1 2001:db8::7 4711 443\r\n',
    'PROXY TCP6 198.51.100.1 192.0.2.7 4711 443\r\n',
    'PROXY TCP4 198.51.100.1 192.0.2.7 65536 443\r\n',
    'PROXY TCP4 198.51.100.1 192.0.2.7 -1 443\r\n',
    'PROXY TCP5 198.51.100.1 192.0.2.7 1 443\r\n',
    'PROXY UDP4 198.51.100.1 192.0.2.7 1 443\r\n',
    'PROXY UNKNOWNX\r\n',
    'PROXY tcp4 198.51.100.1 192.0.2.7 1 443\r\n',
    'proxy TCP4 198.51.100.1 192.0.2.7 1 443\r\n',
    `PROXY TCP4 198.51.100.1 192.0.2.7 1 443${' '.repeat(70)}\r\n`,
    `PROXY UNKNOWN ${'x'.repeat(100)}\r\n`,
    `PROXY ${'x'.repeat(200)}`,
    'PROXY TCP4 198.51.100.1\r 192.0.2.7 1 443\r\n',
    'PROXY TCP4 198.51.100.1\n192.0.2.7 1 443\r\n',
  ])('%j is refused', (line) => {
    expect(readProxyHeader(text(line))).toEqual({ state: 'bad' });
  });
});

describe('a PROXY header of version 2', () => {
  it.each([
    ['IPv4', proxyV2({ source: '198.51.100.1' }), '198.51.100.1'],
    ['IPv6', proxyV2({ source: '2001:db8:0:1:2:3:4:5' }), '2001:db8:0:1:2:3:4:5'],
    ['with what a cloud adds', proxyV2({ source: '198.51.100.1', extra: 300 }), '198.51.100.1'],
    ['a health check of the proxy’s own', proxyV2({ source: '198.51.100.1', command: 0x20 }), undefined],
    ['its own, of whatever family', proxyV2({ source: '198.51.100.1', command: 0x20, family: 0x7f }), undefined],
    ['of no family', proxyV2({ source: '198.51.100.1', family: 0x00 }), undefined],
    ['of a socket in the file system', proxyV2({ source: '198.51.100.1', family: 0x31 }), undefined],
  ])('%s', (_, header, source) => {
    const bytes = Buffer.concat([header, text('GET / HTTP/1.1\r\n')]);
    expect(readProxyHeader(bytes)).toEqual(read(source, header.length));
  });

  it.each([
    ['another version', proxyV2({ source: '198.51.100.1', command: 0x11 })],
    ['an unknown command', proxyV2({ source: '198.51.100.1', command: 0x22 })],
    ['datagrams', proxyV2({ source: '198.51.100.1', family: 0x12 })],
    ['an unknown family', proxyV2({ source: '198.51.100.1', family: 0x41 })],
    ['addresses that are cut', proxyV2({ source: '198.51.100.1', length: 11 })],
    ['a length beyond every bound', proxyV2({ source: '198.51.100.1', length: 65_535 })],
    ['a length just beyond', proxyV2({ source: '198.51.100.1', length: proxyHeaderBytesMax - 15 })],
    ['a signature that is not whole', Buffer.from('\r\n\r\n\0\r\nQUIT\r', 'latin1')],
  ])('with %s is refused', (_, header) => {
    expect(readProxyHeader(header)).toEqual({ state: 'bad' });
  });
});

describe('a PROXY header', () => {
  it.each([
    ['version 1', proxyLine('198.51.100.1')],
    ['version 2', proxyV2({ source: '2001:db8:0:1:2:3:4:5', extra: 40 })],
  ])('of %s is awaited byte by byte, and nothing beyond it is read', (_, header) => {
    for (let end = 0; end < header.length; end++)
      expect(readProxyHeader(header.subarray(0, end)), `${end}`).toEqual({ state: 'more' });
    expect(readProxyHeader(header)).toMatchObject({ state: 'read', length: header.length });
  });

  it.each(['GET / HTTP/1.1\r\n', '\x16\x03\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'PROXYTCP4', '\r\n\r\nGET', '\0'])(
    'is refused when the bytes begin with %j',
    (first) => {
      expect(readProxyHeader(text(first))).toEqual({ state: 'bad' });
    },
  );

  it('is decided for any bytes, and never longer than the maximum', () => {
    let seed = 7;
    const random = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % max;
    };
    const whole = [proxyLine('198.51.100.1'), proxyV2({ source: '198.51.100.1', extra: 60 })];
    for (let run = 0; run < roundsOf(2_000); run++) {
      const bytes = Buffer.from(whole[random(2)] ?? '');
      for (let change = random(4); change > 0; change--) bytes.writeUInt8(random(256), random(bytes.length));
      const header = readProxyHeader(Buffer.concat([bytes, Buffer.alloc(random(20))]));
      if (header.state === 'read') expect(header.length).toBeLessThanOrEqual(proxyHeaderBytesMax);
      // Bytes of the maximum length are always decided.
      const filled = Buffer.concat([bytes, Buffer.alloc(proxyHeaderBytesMax)]);
      expect(readProxyHeader(filled).state).not.toBe('more');
    }
  });
});
