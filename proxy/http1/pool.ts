// The connections to one server. A request takes the connection that was used last, because the others may then become
// old enough to be closed, or opens one: how many there are, the sender decides.
import { isIP, type LookupFunction, connect as openPlain, type Socket } from 'node:net';
import { connect as openSecure, type SecureContext, type TLSSocket } from 'node:tls';
import { Connection, type ConnectionDeps, type ExchangeHandler } from './connection.ts';
import { ConnectTimeoutError } from './errors.ts';
import { type Request, type RequestHead, writeRequestHead } from './request.ts';

export interface PoolOptions<H extends ExchangeHandler> {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The header Host. */
  readonly hostField: string;
  /** Absent for plain text. The certificate has to be of the host. */
  readonly secureContext?: SecureContext | undefined;
  /** Resolves the host for the exchange that opens a connection, within a time limit of its own. */
  lookup(handler: H): LookupFunction;
  /** From the address on. */
  readonly connectTimeoutMs: number;
  /** For an idle connection, unless the server announces a shorter time. */
  readonly keepAliveMs: number;
  /** A connection of this age takes no new request. Default: no limit. */
  readonly connectionAgeMs?: number | undefined;
  readonly headBytesMax: number;
}

/** A connection is not used so shortly before the server closes it: the request could meet the end on its way. */
const beforeServersEndMs = 2000;
const sweepMs = 500;
const probeDelayMs = 60_000;

export class Pool<H extends ExchangeHandler> {
  readonly #options: PoolOptions<H>;
  /** The last one was used last. */
  readonly #idle: Connection[] = [];
  readonly #connections = new Set<Connection>();
  readonly #opening = new Set<Socket>();
  readonly #deps: ConnectionDeps;
  #sweep: NodeJS.Timeout | undefined;
  #isClosing = false;
  #onEmpty: (() => void)[] = [];
  /** The TLS session of the last connection, with which the next one opens faster. */
  #session: Buffer | undefined;

  constructor(options: PoolOptions<H>) {
    this.#options = options;
    this.#deps = {
      headBytesMax: options.headBytesMax,
      onIdle: (connection) => this.#keep(connection),
      onClosed: (connection) => this.#forget(connection),
    };
  }

  /** @throws TypeError about a request that cannot be sent */
  send(request: Request, handler: H): void {
    const head = writeRequestHead(request, this.#options.hostField);
    const kept = this.#takeIdle();
    if (kept === undefined) this.#open({ request, head, handler });
    else kept.send(request, head, handler);
  }

  /** Closes idle connections now, and each other one after its response. Resolves when all are closed. */
  close(): Promise<void> {
    this.#isClosing = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
    return this.#emptied();
  }

  /** Ends every exchange. Resolves when all connections are closed. */
  destroy(): Promise<void> {
    this.#isClosing = true;
    for (const socket of this.#opening) socket.destroy();
    for (const connection of this.#connections) connection.destroy();
    return this.#emptied();
  }

  #takeIdle(): Connection | undefined {
    const now = performance.now();
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.isUsable && now < last.idleUntil) return last;
      last.destroy();
    }
    return undefined;
  }

  #open({ request, head, handler }: Sending<H>): void {
    const { connectTimeoutMs, host, lookup, secureContext } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const limitTime = () => {
      timer ??= setTimeout(() => socket.destroy(new ConnectTimeoutError()), connectTimeoutMs);
    };
    // A name that is not resolved in time has an error of its own, which says more.
    const resolve = lookup(handler);
    const socket: Socket = this.#connect((name, options, callback) => {
      resolve(name, options, (...resolved) => {
        limitTime();
        callback(...resolved);
      });
    });
    if (isIP(host) !== 0) limitTime();
    this.#opening.add(socket);
    const unwatch = watchBody(request, socket);
    let failure: Error | undefined;
    socket.once('error', (error) => {
      failure = error;
    });
    const closed = () => {
      clearTimeout(timer);
      unwatch();
      this.#opening.delete(socket);
      dropBody(request);
      handler.onError(failure ?? new Error('the connection was closed before it was open'));
      this.#checkEmpty();
    };
    socket.once('close', closed);
    socket.once(secureContext === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer);
      unwatch();
      socket.off('close', closed);
      this.#opening.delete(socket);
      const connection = new Connection(socket, this.#deps);
      this.#connections.add(connection);
      if (handler.isOver) {
        dropBody(request);
        this.#keep(connection);
      } else connection.send(request, head, handler);
    });
  }

  #connect(lookup: LookupFunction): Socket {
    const { host, port, secureContext } = this.#options;
    const shared = { host, port, lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeDelayMs };
    if (secureContext === undefined) return openPlain(shared);
    const socket: TLSSocket = openSecure({
      ...shared,
      secureContext,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      session: this.#session,
    });
    socket.on('session', (session) => {
      this.#session = session;
    });
    return socket;
  }

  #keep(connection: Connection): void {
    const { keepAliveMs, connectionAgeMs = Number.POSITIVE_INFINITY } = this.#options;
    const now = performance.now();
    const announcedMs = (connection.keptMs ?? Number.POSITIVE_INFINITY) - beforeServersEndMs;
    connection.idleUntil = Math.min(now + Math.min(keepAliveMs, announcedMs), connection.openedAt + connectionAgeMs);
    if (this.#isClosing || connection.idleUntil <= now) connection.destroy();
    else {
      this.#idle.push(connection);
      this.#sweep ??= setInterval(() => this.#closeOld(), sweepMs).unref();
    }
  }

  #closeOld(): void {
    const now = performance.now();
    const old = this.#idle.filter(({ idleUntil }) => idleUntil <= now);
    for (const connection of old) connection.destroy();
    if (this.#idle.length > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#checkEmpty();
  }

  #emptied(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty.push(resolve);
      this.#checkEmpty();
    });
  }

  #checkEmpty(): void {
    if (this.#connections.size + this.#opening.size > 0 || !this.#isClosing) return;
    clearInterval(this.#sweep);
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

interface Sending<H> {
  readonly request: Request;
  readonly head: RequestHead;
  readonly handler: H;
}

/** A body that ends before it is sent ends the attempt to connect. @returns stops watching */
function watchBody({ body }: Request, socket: Socket): () => void {
  if (typeof body !== 'object') return () => undefined;
  const ended = (error?: Error) => socket.destroy(error ?? new Error('the body of the request ended early'));
  body.once('error', ended).once('close', ended);
  return () => body.off('error', ended).off('close', ended);
}

function dropBody({ body }: Request): void {
  if (typeof body === 'object') body.destroy();
}
