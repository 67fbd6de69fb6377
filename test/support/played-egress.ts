// An egress gateway that the test plays, in plain HTTP on loopback: requests are recorded unchanged, and the test sets
// the responses. The default response is `{}`.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './process.ts';

export type Responder = (request: IncomingMessage, response: ServerResponse) => void;

export interface PlayedEgress {
  readonly url: string;
  readonly host: string;
  /** Requests, oldest first. */
  readonly seen: IncomingMessage[];
  /** Number of opened connections. */
  connections(): number;
  respondWith(respond: Responder): void;
  /** Forgets recorded requests and set responses. */
  reset(): void;
  lastSeen(): Promise<IncomingMessage>;
  close(): void;
}

/** @param port default: a free one */
export async function playEgress(port = 0): Promise<PlayedEgress> {
  const seen: IncomingMessage[] = [];
  let connections = 0;
  let respond: Responder = plainResponse;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    seen.push(request);
    respond(request, response);
  });
  server.on('connection', () => connections++);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url: `http://${host}`, host, seen, connections: () => connections },
    respondWith: (next) => {
      respond = next;
    },
    reset: () => {
      seen.length = 0;
      respond = plainResponse;
    },
    lastSeen: () => until(() => seen.at(-1)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const plainResponse: Responder = (request, response) => {
  request.resume().once('end', () => response.end('{}'));
};

/** Raw headers as names and values. */
export function headerPairs(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));
}
