// The header with which load balancers that pass on bytes say whose connection it is: the PROXY protocol of HAProxy, versions 1 and 2
// (haproxy.org, proxy-protocol.txt). Pure: bytes in, what they say out. Nothing is guessed: what is neither is no header.
import { isIP } from 'node:net';

export type ProxyHeader =
  /** Its end has not come yet. */
  | { readonly state: 'more' }
  | { readonly state: 'bad' }
  | {
      readonly state: 'read';
      /** Of the header, in bytes: what is behind it is the connection's. */
      readonly length: number;
      /** Whose connection it is; undefined: the proxy's own, or of a kind that has no IP address. */
      readonly source: string | undefined;
    };

const more: ProxyHeader = { state: 'more' };
const bad: ProxyHeader = { state: 'bad' };

const textStart = Buffer.from('PROXY ');
/** Of a line with its end, as the specification has it. */
const lineBytesMax = 107;
const binaryStart = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const fixedBytes = 16;
/** Room for what clouds add behind the addresses, far below what a length can say. */
const binaryBytesMax = 2048;

/** The most that is read before it is known whether it is one. */
export const proxyHeaderBytesMax = binaryBytesMax;

export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, binaryStart)) return bytes.length < fixedBytes ? more : readBinary(bytes);
  if (beginsWith(bytes, textStart)) return readLine(bytes);
  return bad;
}

/** As far as it has come. */
function beginsWith(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

/** `PROXY TCP4 198.51.100.1 192.0.2.7 4711 443\r\n` */
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

/** Bytes of the addresses of both ends and their ports, by the byte that says family and transport. */
const addressBytes = new Map([
  [0x11, 12],
  [0x21, 36],
]);
/** No IP address is in it: not told, or sockets of a file system. */
const withoutAddress: ReadonlySet<number> = new Set([0x00, 0x31]);

function readBinary(bytes: Buffer): ProxyHeader {
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const following = bytes.readUInt16BE(14);
  const length = fixedBytes + following;
  const isOwn = command === 0x20;
  if ((!isOwn && command !== 0x21) || length > binaryBytesMax) return bad;
  const needed = addressBytes.get(family);
  // A health check of the proxy's own says nothing of anybody, whatever is behind it.
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
