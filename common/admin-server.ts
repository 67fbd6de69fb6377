// The admin listener of both planes: /metrics, /livez, /readyz. It is never on the traffic port, and nothing in it is
// secret.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from './listen.ts';
import type { ListenAddress } from './settings.ts';

export interface AdminDeps {
  /** The Prometheus text and its content type. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Undefined when the program is ready; otherwise the reason in a few words. */
  notReady(): string | undefined;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * @param setting name of the environment variable that moves this listener
 * @throws ListenError
 */
export async function startAdminServer(
  address: ListenAddress,
  deps: AdminDeps,
  setting = 'GATEWAY_ADMIN_LISTEN',
): Promise<AdminServer> {
  const server = createServer((request, response) => {
    const send = (status: number, body: string, contentType = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, 'method not allowed\n');
    switch (request.url?.split('?')[0]) {
      case '/livez':
        return send(200, 'ok\n');
      case '/readyz': {
        const reason = deps.notReady();
        return reason === undefined ? send(200, 'ok\n') : send(503, `not ready: ${reason}\n`);
      }
      case '/metrics':
        deps.metrics().then(
          ({ body, contentType }) => send(200, body, contentType),
          () => send(500, 'metrics could not be collected\n'),
        );
        return;
      default:
        return send(404, 'not found; there are /metrics, /livez and /readyz\n');
    }
  });
  server.requestTimeout = 10_000;
  await listen(server, address, setting);
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
