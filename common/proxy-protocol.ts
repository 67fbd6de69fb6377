// Parses the header with which layer-4 load balancers report the original source of a connection: HAProxy's PROXY
// protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt). It is a pure function of the bytes. It does not guess:
// bytes that match neither version are not a header.
import { isIP } from 'node:net';

export type ProxyHeader =
  /** The end of the header has not arrived yet. */
  | { readonly state: 'more' }
  | { readonly state: 'bad' }
  | {
      readonly state: 'read';
      /** Length of the header in bytes; the bytes after it belong to the connection. */
      readonly length: number;
      /**
       * The source address of the connection; undefined if the proxy itself connected, or the source has no IP address.
       */
      readonly source: string | undefined;
    };

const more: ProxyHeader = { state: 'more' };
const bad: ProxyHeader = { state: 'bad' };

const textStart = Buffer.from('PROXY ');
/** Maximum length of a version 1 line with its line break, from the specification. */
const lineBytesMax = 107;
const binaryStart = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const fixedBytes = 16;
/** Room for the extensions that clouds add after the addresses, far below what the length field allows. */
const binaryBytesMax = 2048;

/** Maximum of bytes that are read to decide whether they are a header. */
export const proxyHeaderBytesMax = binaryBytesMax;

export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, binaryStart)) return bytes.length < fixedBytes ? more : readBinary(bytes);
  if (beginsWith(bytes, textStart)) return readLine(bytes);
  return bad;
}

/** Compares only the bytes that have arrived. */
function beginsWith(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

/** Parses `PROXY TCP4 198.51.100.1 192.0.2.7 4711 443\r\n`. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, lineBytesMax).indexOf('\r\n');
  if (end === -1) return bytes.length < lineBytesMax ? more : bad;
  const line = bytes.toString('latin1', 0, end);
  const length = end + 2;
  if (/^PROXY UNKNOWN(?: [\x20-\x7e]*)?$/.test(line)) return { state: 'read', length, source: undefined };
  const match = /^PROXY TCP([46]) ([0-9A-Fa-f.:]+) ([0-9A-Fa-f.:]+) (\d{1,5}) (\d{1,5})$/.exec(line);
  if (match === null) return bad;
  const [, family, source = '', destination = '', ...ports] = match;
  const isSound =
    isIP(source) === Number(family) &&
    isIP(destination) === Number(family) &&
    ports.every((port) => Number(port) <= 65_535);
  return isSound ? { state: 'read', length, source } : bad;
}

/** Length of both addresses and ports in bytes, by the byte for family and transport. */
const addressBytes = new Map([
  [0x11, 12],
  [0x21, 36],
]);
/** Families without an IP address: unspecified, or Unix sockets. */
const withoutAddress: ReadonlySet<number> = new Set([0x00, 0x31]);

function readBinary(bytes: Buffer): ProxyHeader {
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const following = bytes.readUInt16BE(14);
  const length = fixedBytes + following;
  const isOwn = command === 0x20;
  if ((!isOwn && command !== 0x21) || length > binaryBytesMax) return bad;
  const needed = addressBytes.get(family);
  // A health check of the proxy itself carries no source, so the bytes after it do not matter.
  if (!isOwn && (needed === undefined ? !withoutAddress.has(family) : following < needed)) return bad;
  if (bytes.length < length) return more;
  const source = isOwn || needed === undefined ? undefined : sourceIn(bytes, family === 0x11);
  return { state: 'read', length, source };
}

function sourceIn(bytes: Buffer, isIPv4: boolean): string {
  if (isIPv4) return bytes.subarray(fixedBytes, fixedBytes + 4).join('.');
  const groups = Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(fixedBytes + 2 * group));
  return groups.map((group) => group.toString(16)).join(':');
}
