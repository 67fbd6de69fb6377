// The end of an HTTP server that others still have connections to: no connection is closed at the instant of its next
// request, which its client could not send again safely.
import { Server as NetServer } from 'node:net';

/** The time that clients read of in `Keep-Alive`: none sends a request on a connection that was idle for so long. */
export const announcedIdleMs = 5_000;

/**
 * Idle connections live so long after a server began to stop: a request may be under way on each. Longer than clients
 * keep an idle connection (as the server announces, and by default 4 s in undici, 5 s in httpx).
 */
export const stoppingIdleMs = 6_000;

/** When the idle connections of a stopping server are closed. Times are monotonic milliseconds. */
export interface IdleConnections {
  /** For so long after `from`. */
  readonly ms: number;
  /** So long after the beginning at the latest. */
  readonly latestMs: number;
  /** When one of them may last have become idle without its client's knowing that it ends. */
  from: number;
}

const sweepMs = 100;

/** Closes connections that wait for a request. A server of node:http does so, or what serves the connections of a listener. */
export interface IdleCloser {
  closeIdleConnections(): void;
}

/** What closes the connections of a listener that wait for a request. A server of node:http closes its own. */
export interface IdleCloser {
  closeIdleConnections(): void;
}

/**
 * Stops listening. Resolves when all connections are closed: idle ones by this function, the others by those who serve
 * them.
 * @param onSweep is called after idle connections were closed, with the time since the beginning
 */
export function closeIdle(
  listener: NetServer,
  closer: IdleCloser,
  idle: IdleConnections,
  onSweep: (elapsedMs: number) => void = () => {},
): Promise<void> {
  const began = performance.now();
  const look = () => {
    const now = performance.now();
    if (now - idle.from < idle.ms && now - began < idle.latestMs) return;
    closer.closeIdleConnections();
    onSweep(now - began);
  };
  const sweep = setInterval(look, sweepMs);
  return new Promise((resolve) => {
    // The close of node:http would end idle connections at once, on some of which a request is under way.
    NetServer.prototype.close.call(listener, () => {
      clearInterval(sweep);
      resolve();
    });
    look();
  });
}
