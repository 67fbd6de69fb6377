// A receiver of webhooks on loopback, with a certificate of a test authority, and the sending side that may reach it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createPostWebhook, type GuardOptions } from '../../control-plane/webhooks/guarded-request.ts';
import type { TestAuthority } from './tls.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  /** Every request, answered or not. */
  readonly received: Received[];
  /** Default: 204. */
  answer: (response: ServerResponse, request: Received) => void;
  url(host?: string): string;
  close(): Promise<void>;
}

export async function startReceiver(authority: TestAuthority): Promise<Receiver> {
  const { certFile, keyFile } = await authority.issue({ commonName: 'receiver' });
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    received: [],
    answer: (response) => response.writeHead(204).end(),
    url: (host = 'localhost') => `https://${host}:${port}/hook?token=in-the-url`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const received = { path: request.url ?? '', headers: request.headers, body };
    receiver.received.push(received);
    receiver.answer(response, received);
  });
  return receiver;
}

/** As in the program, but loopback counts as public and the test authority as known. */
export function postOnLoopback(authority: TestAuthority, more: Partial<GuardOptions> = {}) {
  return createPostWebhook({ allows: () => true, ca: readFileSync(authority.caFile, 'utf8'), ...more });
}
