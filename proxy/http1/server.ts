// The engine's listener, in plain text or with TLS. It serves requests in the plain form, and gives every other
// connection to node:http or to node:http2, with the bytes that it read. docs/http1.md says which.
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { InboundRequest } from './inbound-request.ts';
import type { OutboundResponse } from './outbound-response.ts';
import { type Fault, ServerConnection, type ServerConnectionDeps } from './server-connection.ts';

export interface EngineOptions {
  /** Absent for plain text. */
  readonly tls?: TlsOptions | undefined;
  /** A longer head is given to node:http, which counts in another way. */
  readonly headBytesMax: number;
  /** From the first byte of a head, or of the connection. */
  readonly headTimeoutMs: number;
  /** Announced to callers. */
  readonly keepAliveSeconds: number;
  /** For which an idle connection really is kept. */
  readonly keepAliveMs: number;
  /** Never listens. */
  readonly http: HttpServer;
  /** Takes a connection that begins with the preface of HTTP/2, which is still to be read. */
  onHttp2(socket: Socket): void;
  onRequest(request: InboundRequest, response: OutboundResponse, expectsContinue: boolean): void;
  /** Responds if it can, and ends the connection. */
  onFault(socket: Socket, fault: Fault): void;
}

const sweepMs = 1000;
const http2Protocol = 'h2';

export class EngineServer {
  readonly #options: EngineOptions;
  readonly #deps: ServerConnectionDeps;
  readonly #connections = new Set<ServerConnection>();
  readonly #sweep: NodeJS.Timeout;
  /** Accepts connections. Its owner starts it, and may add listeners before. */
  readonly listener: Server;

  constructor(options: EngineOptions) {
    const { tls, headBytesMax, keepAliveSeconds, http } = options;
    this.#options = options;
    this.#deps = {
      ...{ headBytesMax, keepAliveSeconds },
      onRequest: (request, response, expectsContinue) => options.onRequest(request, response, expectsContinue),
      onOther: (socket, bytes, to) => this.#handOver(socket, bytes, to),
      onFault: (socket, fault) => options.onFault(socket, fault),
      onClosed: (connection) => this.#connections.delete(connection),
    };
    const shared = { allowHalfOpen: true, noDelay: true };
    if (tls === undefined) this.listener = createServer(shared, (socket) => this.#accept(socket));
    else {
      const secured = { ...tls, ...shared, ALPNProtocols: [http2Protocol, 'http/1.1'] };
      this.listener = createSecureServer(secured, (socket) => this.#acceptSecure(socket));
    }
    // Without it a server that does not listen keeps no time limits and no list of its connections.
    http.emit('listening');
    this.#sweep = setInterval(() => this.#closeLate(), sweepMs).unref();
    this.listener.once('close', () => {
      clearInterval(this.#sweep);
      http.close();
    });
  }

  closeIdleConnections(): void {
    for (const connection of this.#connections) {
      if (connection.isIdle) connection.socket.destroy();
    }
    this.#options.http.closeIdleConnections();
  }

  closeAllConnections(): void {
    for (const { socket } of this.#connections) socket.destroy();
    this.#options.http.closeAllConnections();
  }

  #accept(socket: Socket): void {
    this.#connections.add(new ServerConnection(socket, this.#deps));
  }

  #acceptSecure(socket: TLSSocket): void {
    if (socket.alpnProtocol === http2Protocol) this.#options.onHttp2(socket);
    else this.#accept(socket);
  }

  #handOver(socket: Socket, bytes: Buffer, to: 'other' | 'http2'): void {
    // Its next owner reads what is put back. A socket that flows would drop it until there is one.
    socket.pause();
    socket.unshift(bytes);
    // A paused socket would never deliver it to node:http. node:http2 reads it in the next tick, before it flows.
    if (to === 'http2') {
      this.#options.onHttp2(socket);
      process.nextTick(resume, socket);
    } else {
      this.#options.http.emit('connection', socket);
      socket.resume();
    }
  }

  #closeLate(): void {
    const { headTimeoutMs, keepAliveMs } = this.#options;
    const now = performance.now();
    for (const connection of this.#connections) {
      const { waitsFor } = connection;
      if (waitsFor === 'head' && connection.waitedMs(now) > headTimeoutMs) connection.expire();
      else if (waitsFor === 'caller' && connection.waitedMs(now) > keepAliveMs) connection.socket.destroy();
    }
  }
}

function resume(socket: Socket): void {
  socket.resume();
}
