// A receiver of webhooks on loopback, with a certificate of a test authority, and a sender that may reach it.
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createGuardedPost, type GuardOptions } from '../../common/guarded-request.ts';
import type { CertificateFiles, TestAuthority } from './tls.ts';

/** In its certificate beside localhost, for programs that require a public name. */
export const publicHost = 'receiver.example.com';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The sender's port, which identifies the connection. */
  readonly port: number;
  /** The connection resumed another one's TLS session, so no certificate was presented. */
  readonly resumed: boolean;
}

export interface Receiver {
  readonly port: number;
  /** Every request, with or without a response. */
  readonly received: Received[];
  /** Default: 204. */
  respond: (response: ServerResponse, request: Received) => void;
  url(host?: string): string;
  /** Number of open connections. */
  open(): number;
  /** Closes all connections, like a receiver that restarts. */
  dropConnections(): void;
  close(): Promise<void>;
}

export async function startReceiver(authority: TestAuthority): Promise<Receiver> {
  const { certFile, keyFile } = await certificateOf(authority);
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const receiver: Receiver = {
    port,
    received: [],
    respond: (response) => response.writeHead(204).end(),
    url: (host = 'localhost') => `https://${host}:${port}/hook?token=in-the-url`,
    open: () => sockets.size,
    dropConnections: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { remotePort: sender = 0 } = request.socket;
    const resumed = request.socket instanceof TLSSocket && request.socket.isSessionReused();
    const received = { path: request.url ?? '', headers: request.headers, body, port: sender, resumed };
    receiver.received.push(received);
    receiver.respond(response, received);
  });
  return receiver;
}

const names = ['DNS:localhost', 'IP:127.0.0.1', `DNS:${publicHost}`];
const certificates = new WeakMap<TestAuthority, Promise<CertificateFiles>>();

/** One for all receivers: issuing takes longer than most tests. */
function certificateOf(authority: TestAuthority): Promise<CertificateFiles> {
  const known = certificates.get(authority) ?? authority.issue({ commonName: 'receiver', names });
  certificates.set(authority, known);
  return known;
}

/** As in the program, but loopback counts as public and the test authority is trusted. */
export function postOnLoopback(authority: TestAuthority, more: Partial<GuardOptions> = {}) {
  const ca = readFileSync(authority.caFile, 'utf8');
  // So that no DNS server needs to know localhost.
  return createGuardedPost({ allows: () => true, ca, resolve: lookup, ...more });
}
