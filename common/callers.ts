// Identifies the caller at a listener by address: the peer itself, or the address that a trusted proxy reports in a
// PROXY header before the bytes of the connection, or in X-Forwarded-For of a request. Whether a PROXY header is
// required depends on the peer and never on the received bytes, so a caller can neither omit nor add it.
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { callerAddress, type IsTrusted, plainAddress } from './caller-address.ts';
import { proxyHeaderBytesMax, readProxyHeader } from './proxy-protocol.ts';

export interface CallersOptions {
  readonly isTrusted: IsTrusted;
  /** Connections of trusted proxies begin with a PROXY header. */
  readonly proxyProtocol: boolean;
  /** How long the gateway waits for the header. */
  readonly headerTimeoutMs: number;
  /**
   * Called when the connection of a trusted proxy was closed because it did not begin with a PROXY header or sent
   * nothing.
   */
  onRefused(reason: RefusedReason, address: string): void;
}

export type RefusedReason = 'no_proxy_header' | 'proxy_header_late';

/** The log message for `no_proxy_header`. */
export const noProxyHeader =
  'a connection of a trusted proxy was closed: it did not begin with the PROXY protocol (GATEWAY_PROXY_PROTOCOL)';

/** One end of a connection, as sockets and their wrappers describe it. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

interface Reported {
  readonly socket: Socket;
  readonly address: string;
}

export class Callers {
  readonly #options: CallersOptions;
  /**
   * By address and port of the peer, because the code that serves a connection may only see a wrapper of the socket.
   */
  readonly #reported = new Map<string, Reported>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Whether connections of some peers begin with a PROXY header. */
  get expectsHeaders(): boolean {
    return this.#options.proxyProtocol;
  }

  /** Delays serving a trusted proxy's connection until its header has been read. Call before the server listens. */
  expectHeaders(server: Server): void {
    if (!this.#options.proxyProtocol) return;
    const serving = server.listeners('connection');
    server.removeAllListeners('connection');
    // A server that wraps the socket (TLS) resumes reading on its own; a server that reads it directly needs resume().
    const isWrapped = server instanceof TlsServer;
    server.on('connection', (socket: Socket) => {
      const serve = () => {
        for (const listener of serving) listener.call(server, socket);
      };
      this.accept(socket, serve, () => isWrapped || socket.resume());
    });
  }

  /**
   * Reads the header of one connection if its peer has to send one.
   * @param serve receives the connection as if there had been no header
   * @param proceed called after a header was read; the bytes after it wait in the paused socket
   */
  accept(socket: Socket, serve: () => void, proceed: () => void): void {
    const { isTrusted, proxyProtocol } = this.#options;
    const address = plainAddress(socket.remoteAddress ?? '');
    if (!proxyProtocol || !isTrusted(address)) {
      serve();
      return;
    }
    this.#readHeader(socket, address, (source) => {
      if (source !== undefined && !this.#report(socket, plainAddress(source))) return void socket.destroy();
      serve();
      proceed();
    });
  }

  /** The address that connected, or the one that a trusted proxy reported in a PROXY header. */
  peerOf({ remoteAddress = '', remotePort }: Peer): string {
    return this.#reported.get(keyOf(remoteAddress, remotePort))?.address ?? plainAddress(remoteAddress);
  }

  /** @param forwardedFor all values of `X-Forwarded-For` in order; it is only read if the peer is trusted */
  addressOf(peer: Peer, forwardedFor: () => string | undefined): string {
    const address = this.peerOf(peer);
    const { isTrusted } = this.#options;
    return isTrusted(address) ? callerAddress(address, forwardedFor(), isTrusted) : address;
  }

  #readHeader(socket: Socket, address: string, read: (source: string | undefined) => void): void {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      clearTimeout(timer);
      socket.off('data', onData).off('error', onGone).off('close', onGone);
    };
    const refuse = (reason: RefusedReason) => {
      stop();
      this.#options.onRefused(reason, address);
      socket.on('error', ignored).destroy();
    };
    const onGone = () => {
      stop();
      socket.on('error', ignored).destroy();
    };
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const header = readProxyHeader(bytes);
      if (header.state === 'more' && bytes.length < proxyHeaderBytesMax) return;
      if (header.state !== 'read') return refuse('no_proxy_header');
      socket.pause();
      stop();
      if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length));
      read(header.source);
    };
    const timer = setTimeout(() => refuse('proxy_header_late'), this.#options.headerTimeoutMs);
    socket.on('data', onData).on('error', onGone).on('close', onGone);
  }

  /**
   * @returns false if another connection from the same peer and port is open, which went to another address of this
   * machine
   */
  #report(socket: Socket, address: string): boolean {
    const key = keyOf(socket.remoteAddress ?? '', socket.remotePort);
    const known = this.#reported.get(key);
    if (known !== undefined && !known.socket.destroyed) return false;
    const reported = { socket, address };
    this.#reported.set(key, reported);
    socket.once('close', () => {
      if (this.#reported.get(key) === reported) this.#reported.delete(key);
    });
    return true;
  }
}

function keyOf(address: string, port: number | undefined): string {
  return `${address} ${port}`;
}

function ignored(): void {}
