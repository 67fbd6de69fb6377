// A provider of raw bytes: it reads requests from its connections and lets the test write any bytes at any time.
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { Environment } from './gateway.ts';

export interface RawUpstream {
  readonly port: number;
  /** Settings of a proxy whose GPT vendor is this server. */
  readonly settings: Environment;
  /** Number of open connections. */
  open(): number;
  close(): Promise<void>;
}

/** Responds to one request by writing to the socket or destroying it. `body` is the gateway's request body. */
export type RawResponder = (socket: Socket, body: Buffer) => void | Promise<void>;

export async function startRawUpstream(respond: RawResponder): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const request = firstRequest(received);
      if (request === undefined) return;
      received = received.subarray(request.length);
      void respond(socket, request.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    settings: {
      GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${port}/v1`,
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
    },
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The gateway always sends a content length. */
function firstRequest(bytes: Buffer): { readonly length: number; readonly body: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return bytes.length < end ? undefined : { length: end, body: bytes.subarray(headEnd + 4, end) };
}
