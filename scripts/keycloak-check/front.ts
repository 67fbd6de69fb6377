// A server in front of Keycloak that passes every request on, and can replace one response of the token endpoint: with
// what Keycloak itself signed for another time, client or login. So each fault has Keycloak's own signature.
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenPath } from './tokens.ts';

export interface Front {
  readonly hostAndPort: string;
  /** What the next request of the gateway for tokens gets, in place of Keycloak's response to it. */
  replaceTokens(body: string): void;
  /** Whether nobody has got them yet. */
  isReplacing(): boolean;
  close(): Promise<void>;
}

/** @param port of Keycloak */
export async function startFront(port: number): Promise<Front> {
  let replacement: string | undefined;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const passed = forward({ host: '127.0.0.1', port, method, path: url, headers }, (received) => {
      const isReplaced = replacement !== undefined && request.url === tokenPath && received.statusCode === 200;
      if (!isReplaced) return pass(received, response);
      received.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(replacement);
      replacement = undefined;
    });
    passed.on('error', () => response.writeHead(502).end());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    hostAndPort: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    replaceTokens: (body) => {
      replacement = body;
    },
    isReplacing: () => replacement !== undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function pass(received: IncomingMessage, response: ServerResponse): void {
  response.writeHead(received.statusCode ?? 502, received.headers);
  received.pipe(response);
}
