// Networks that misbehave: a server that accepts and never responds, and a forwarder that can be cut, frozen and
// healed.
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely, TLSSocket } from 'node:tls';

export interface BlackHole {
  readonly port: number;
  /** Number of connections that it ever accepted. */
  accepted(): number;
  stop(): Promise<void>;
}

/** Accepts connections, reads all bytes, never responds. */
export async function startBlackHole(): Promise<BlackHole> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.resume();
  });
  const port = await listen(server, 0);
  return { port, accepted: () => accepted, stop: () => close(server, sockets) };
}

export interface Target {
  readonly host?: string;
  readonly port: number;
  /** Speaks TLS to the target, for callers in plain text: a load balancer's side of it. */
  readonly tls?: ConnectionOptions;
}

export interface Forwarder {
  readonly port: number;
  /** Number of open connections. */
  open(): number;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Resets every connection, and continues to accept new ones. */
  reset(): void;
  /** Keeps every connection and accepts new ones, but passes no byte on: a silent network. */
  freeze(): void;
  /** Delays every piece of bytes by so much: a slow network. */
  slow(ms: number): void;
  /** New connections go there. */
  redirect(target: Target): void;
  /** Undoes cut, freeze and slow; delayed bytes pass now. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

/** Forwards TCP to the target, from the given port or a free one. */
export async function startForwarder(target: Target, port = 0): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let listening = true;
  let delayMs = 0;
  let destination: Target = target;
  /** A piece of their bytes is delayed, so no later one may pass. */
  const delayed = new Set<Socket>();
  const resume = (socket: Socket) => {
    if (!frozen && !delayed.has(socket)) socket.resume();
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = reach(destination);
    join(near, far);
    join(far, near);
    if (!frozen) near.resume();
    else far.pause();
  });
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.setNoDelay(true);
    const pass = (chunk: Buffer) => {
      delayed.delete(from);
      if (!to.write(chunk)) from.pause();
      else resume(from);
    };
    from.on('data', (chunk: Buffer) => {
      if (delayMs === 0) return pass(chunk);
      from.pause();
      delayed.add(from);
      setTimeout(pass, delayMs, chunk);
    });
    to.on('drain', () => resume(from));
    from.on('end', () => to.end()).on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (!frozen) to.destroySoon();
    });
  };
  const bound = await listen(server, port);
  return {
    port: bound,
    open: () => sockets.size / 2,
    cut: async () => {
      if (listening) await close(server, sockets);
      listening = false;
    },
    reset: () => resetAll(sockets),
    slow: (ms) => {
      delayMs = ms;
    },
    redirect: (changed) => {
      destination = changed;
    },
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    heal: async () => {
      frozen = false;
      delayMs = 0;
      if (!listening) await listen(server, bound);
      listening = true;
      for (const socket of sockets) resume(socket);
    },
    stop: async () => {
      if (listening) await close(server, sockets);
      listening = false;
    },
  };
}

function reach({ host = '127.0.0.1', port, tls }: Target): Socket {
  return tls === undefined ? connect({ host, port }) : connectSecurely({ host, port, ...tls });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    resetAll(sockets);
  });
}

function resetAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) {
    // Node resets plain TCP only; the other side of this one is reset.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }
}
