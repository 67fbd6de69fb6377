// A DNS server on loopback that knows a few names (RFC 1035) with addresses or texts, or never responds.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

export interface DnsServer {
  /** host:port */
  readonly address: string;
  /** Names that it received. */
  readonly requested: string[];
  /** TXT records: name → texts of at most 255 bytes. */
  readonly texts: Map<string, readonly string[]>;
  /** It receives requests and does not respond. */
  silent: boolean;
  close(): Promise<void>;
}

/**
 * @param names name → IPv4 addresses; undefined: it never responds
 * @param silence a part of names for which it never responds
 */
export async function startDnsServer(
  names: Readonly<Record<string, readonly string[]>> | undefined,
  silence?: string,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const requested: string[] = [];
  const texts = new Map<string, readonly string[]>();
  const state = { silent: names === undefined };
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query);
    requested.push(name);
    if (names === undefined || state.silent || (silence !== undefined && name.endsWith(silence))) return;
    const known = names[name] ?? texts.get(name);
    const records = type === 16 ? (texts.get(name) ?? []).map(textRecord) : addressRecords(type, names[name]);
    const head = Buffer.from(query.subarray(0, 12));
    // A response, recursion available; NXDOMAIN if the name is unknown.
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    requested,
    texts,
    get silent() {
      return state.silent;
    },
    set silent(silent) {
      state.silent = silent;
    },
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function question(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function addressRecords(type: number, addresses: readonly string[] = []): readonly Buffer[] {
  if (type !== 1) return [];
  return addresses.filter(isIPv4).map((address) => record(1, Buffer.from(address.split('.').map(Number))));
}

function textRecord(text: string): Buffer {
  return record(16, Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]));
}

/** The name of the question, the type, class IN, a minute. */
function record(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
}
