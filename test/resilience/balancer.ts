// A Service as kube-proxy makes it: a new connection goes to one of the endpoints, an open one stays with its own, also
// after that has been removed.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly port: number;
  add(port: number): void;
  /** For new connections. */
  remove(port: number): void;
  /** Connections that no endpoint took. */
  refused(): number;
  stop(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const endpoints: number[] = [];
  const sockets = new Set<Socket>();
  let next = 0;
  let refused = 0;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (near) => {
    next = (next + 1) % Math.max(1, endpoints.length);
    const port = endpoints[next];
    if (port === undefined) {
      refused++;
      return void near.resetAndDestroy();
    }
    const far = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    let isOpen = false;
    far.once('connect', () => {
      isOpen = true;
      near.pipe(far);
      far.pipe(near);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    far.once('error', () => {
      if (!isOpen) refused++;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    add: (port) => void endpoints.push(port),
    remove: (port) => {
      const index = endpoints.indexOf(port);
      if (index >= 0) endpoints.splice(index, 1);
    },
    refused: () => refused,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
