// PROXY headers as load balancers send them, and invalid ones.
import { isIPv4 } from 'node:net';

/** Version 1. */
export function proxyLine(source: string): Buffer {
  const [family, destination] = isIPv4(source) ? ['TCP4', '192.0.2.7'] : ['TCP6', '2001:db8::7'];
  return Buffer.from(`PROXY ${family} ${source} ${destination} 4711 443\r\n`);
}

export interface V2Options {
  /** IPv4, or IPv6 with all its groups. */
  readonly source: string;
  /** 0x21: of a client's connection; 0x20: the proxy's own. */
  readonly command?: number;
  readonly family?: number;
  /** Number of bytes after the addresses. */
  readonly extra?: number;
  /** Length in the header, if it is not the real one. */
  readonly length?: number;
}

export function proxyV2({ source, command = 0x21, family, extra = 0, length }: V2Options): Buffer {
  const address = isIPv4(source)
    ? Buffer.from(source.split('.').map(Number))
    : Buffer.concat(source.split(':').map((group) => Buffer.from(group.padStart(4, '0'), 'hex')));
  const addresses = Buffer.concat([address, address, Buffer.alloc(4), Buffer.alloc(extra, 1)]);
  const fixed = Buffer.from('\r\n\r\n\0\r\nQUIT\n\0\0\0\0', 'latin1');
  fixed.writeUInt8(command, 12);
  fixed.writeUInt8(family ?? (isIPv4(source) ? 0x11 : 0x21), 13);
  fixed.writeUInt16BE(length ?? addresses.length, 14);
  return Buffer.concat([fixed, addresses]);
}
