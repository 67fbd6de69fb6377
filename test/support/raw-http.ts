// Raw HTTP for requests that no client library sends: bytes out, head and body of the response back.
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** The next whole response; rejects if the connection ends before it or nothing arrives in time. */
  respond(timeoutMs?: number): Promise<RawResponse>;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
  /** Everything received so far. */
  received(): string;
}

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let received: Buffer = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void closed.then(wake);
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const respond = (timeoutMs = 10_000) =>
    new Promise<RawResponse>((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        settle();
      };
      const look = () => {
        const parsed = parseResponse(received);
        if (parsed !== undefined) {
          received = received.subarray(parsed.length);
          finish(() => resolve(parsed.response));
        } else if (socket.closed) finish(() => reject(new Error(`closed after ${received.length} bytes`)));
      };
      const timer = setTimeout(() => finish(() => reject(new Error('no response in time'))), timeoutMs);
      waiting.add(look);
      look();
    });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    respond,
    closed,
    received: () => received.toString(),
  };
}

/** Responses with a content length only: all of the gateway's own have one. */
function parseResponse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  if (status === 100) {
    const rest = parseResponse(bytes.subarray(headEnd + 4));
    return rest && { response: rest.response, length: rest.length + headEnd + 4 };
  }
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (bytes.length < length) return undefined;
  return { response: { status, headers, body: bytes.subarray(headEnd + 4, length).toString() }, length };
}
