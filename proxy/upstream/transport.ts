// HTTP to providers. One pool for each origin, HTTP/1.1 with keep-alive, no redirects, no
// decompression. Its only time-out is that for connecting: the watchdog of http/ limits all others. A look-up for a new
// connection belongs to the request that needs it: it counts for the request's organization and ends with it.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { ForbiddenAddressError, filteredLookup, type LookupFor, type Resolve } from '../../common/filtered-lookup.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { ClientTlsSource } from '../../common/tls.ts';
import type { ExchangeControl, ExchangeHandler } from '../http1/connection.ts';
import { ConnectTimeoutError, ProtocolError } from '../http1/errors.ts';
import { Pool } from '../http1/pool.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { type LoopScheduler, pieceBytes } from '../loop-scheduler.ts';
import type { AddressPolicy } from './addresses.ts';
import { LookupFailedError, LookupRefusedError } from './name-lookups.ts';

export interface TransportOptions {
  readonly addresses: AddressPolicy;
  readonly resolve: Resolve;
  readonly connectTimeoutMs: number;
  /**
   * Idle connections are closed after this time. It is below that of providers' load balancers, so that they close none
   * during a request.
   */
  readonly keepAliveMs: number;
  /** Maximum number of pools. The least recently used closes when its requests are done. */
  readonly originsMax: number;
  /** Schedules the processing of responses. Default: they are processed on arrival. */
  readonly loop?: LoopScheduler | undefined;
  /** Client certificate and authorities. Default: none, and the system's. New connections use the current files. */
  readonly tls?: ClientTlsSource | undefined;
  /** A connection of this age takes no new request, so that load reaches new replicas. Default: no limit. */
  readonly connectionAgeMs?: number;
}

export interface OutgoingRequest {
  /** Default POST. */
  readonly method?: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: string[];
  /** A stream is not read before there is a connection, and is destroyed when the exchange is over. */
  readonly body: string | Readable | undefined;
  /** It needs a new connection: kept ones may be as dead as the one on which it was sent before. Default: false. */
  readonly fresh?: boolean;
}

/** How an attempt failed below HTTP. */
export type TransportFailureKind = 'connect' | 'forbidden' | 'overloaded' | 'closed' | 'protocol';

type SentState = Pick<TransportError, 'begun' | 'wasIdle'>;

export class TransportError extends Error {
  readonly kind: TransportFailureKind;
  /** Whether a connection took the request: some of it may have been sent. */
  readonly begun: boolean;
  /**
   * Whether a kept connection ended under the request before a byte of the response: nearly always because the other
   * end had closed it while it was idle.
   */
  readonly wasIdle: boolean;

  constructor(kind: TransportFailureKind, cause: unknown, { begun = true, wasIdle = false }: Partial<SentState> = {}) {
    super(`upstream ${kind}`, { cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.begun = begun;
    this.wasIdle = wasIdle;
  }
}

/** Alternating names and values, as received. */
export type RawHeaders = readonly string[];

/** Called in this order: head, data…, then end or error; only error if there is no head. */
export interface UpstreamReceiver {
  /** @param raw the same headers as received, for relaying */
  onHead(status: number, headers: IncomingHttpHeaders, raw?: RawHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: TransportError): void;
}

export interface UpstreamConnection {
  /** Whether a connection took the request: some of it may have been sent. */
  readonly begun: boolean;
  pause(): void;
  resume(): void;
  /** Ends the exchange with the provider at once. The receiver is not called any more. */
  cancel(): void;
}

export interface Transport {
  /** @param owner on whose behalf it is sent: decides which hosts are allowed and whose shares it uses */
  send(request: OutgoingRequest, receiver: UpstreamReceiver, owner: ShareOwner): UpstreamConnection;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const origins = new LRUCache<string, Origin>({
    max: options.originsMax,
    dispose: ({ pools }) => {
      for (const pool of pools.values()) void pool.close();
    },
  });
  const poolFor: PoolFor = ({ origin: name, fresh }, { organization }) => {
    const origin = origins.get(name) ?? originOf(name);
    const scope = options.addresses.scopeOf(origin.hostAndPort, organization);
    const kept = origin.pools.get(scope);
    if (kept !== undefined && fresh !== true) return kept;
    const pool = openPool(origin, scope !== undefined, options);
    if (fresh === true) return pool;
    origin.pools.set(scope, pool);
    origins.set(name, origin);
    return pool;
  };
  // Requests in flight end on the connection that they have.
  const stopFollowing = options.tls?.onChange(() => origins.clear());
  return {
    send: (request, receiver, owner) => {
      const exchange = new UpstreamExchange(receiver, owner, options.loop);
      exchange.start(request, poolFor);
      return exchange;
    },
    close: async () => {
      stopFollowing?.();
      const open = [...origins.values()].flatMap(({ pools }) => [...pools.values()]);
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

interface Origin {
  /** Scheme, host and port. */
  readonly name: string;
  /** Without brackets. */
  readonly host: string;
  readonly hostAndPort: string;
  /** The header Host: without the scheme's own port. */
  readonly hostField: string;
  readonly port: number;
  readonly isSecure: boolean;
  /**
   * By the scope for which the host is listed: only callers that may open a connection to a private host may use one.
   */
  readonly pools: Map<string | undefined, UpstreamPool>;
}

type PoolFor = (request: Pick<OutgoingRequest, 'origin' | 'fresh'>, owner: ShareOwner) => UpstreamPool;

function originOf(name: string): Origin {
  const { host: hostField, hostname, port: ownPort, protocol } = new URL(name);
  const isSecure = protocol === 'https:';
  const port = Number(ownPort) || (isSecure ? 443 : 80);
  return {
    name,
    ...{ isSecure, hostField, port },
    host: hostname.replace(/^\[|\]$/g, ''),
    hostAndPort: `${hostname}:${port}`,
    pools: new Map(),
  };
}

/** @throws ForbiddenAddressError */
function openPool(origin: Origin, isListed: boolean, options: TransportOptions): UpstreamPool {
  const { host, hostField, port, isSecure } = origin;
  const allows = (address: string) => options.addresses.allows(address, isListed);
  // An address in the URL is not looked up, so it is checked here.
  if ((isIP(host) !== 0 && !allows(host)) || (!isSecure && !isListed)) throw new ForbiddenAddressError(host);
  return new Pool({
    ...{ host, hostField, port, headBytesMax },
    connectTimeoutMs: options.connectTimeoutMs,
    keepAliveMs: options.keepAliveMs,
    connectionAgeMs: options.connectionAgeMs,
    secureContext: isSecure ? contextOf(options.tls) : undefined,
    lookup: (exchange) => filteredLookup(allows, options.resolve, exchange.lookingUp()),
  });
}

type UpstreamPool = Pool<UpstreamExchange>;

const headBytesMax = 32 * 1024;

/**
 * Cached, because creating one is the slowest part of a connection, and callers choose how many connections there are.
 */
const contexts = new WeakMap<object, SecureContext>();
const ofSystem = {};

function contextOf(tls: ClientTlsSource | undefined): SecureContext {
  const material = tls?.current ?? ofSystem;
  const context = contexts.get(material) ?? createSecureContext(material);
  contexts.set(material, context);
  return context;
}

class UpstreamExchange implements UpstreamConnection, ExchangeHandler {
  readonly #receiver: UpstreamReceiver;
  readonly #owner: ShareOwner;
  readonly #loop: LoopScheduler | undefined;
  /** Received data that waits for time on the event loop. Its source is paused meanwhile. */
  #pieces: Buffer[] = [];
  /** Paused by the receiver. */
  #isPaused = false;
  #control: ExchangeControl | undefined;
  #lookup: AbortController | undefined;
  /** When the request was written to a kept connection, until the first byte of its response. */
  #sentOnKeptAt: number | undefined;
  isOver = false;

  constructor(receiver: UpstreamReceiver, owner: ShareOwner, loop: LoopScheduler | undefined) {
    this.#receiver = receiver;
    this.#owner = owner;
    this.#loop = loop;
  }

  /** A name is being looked up for this exchange. */
  lookingUp(): LookupFor {
    this.#lookup ??= new AbortController();
    return { owner: this.#owner, signal: this.#lookup.signal };
  }

  start(request: OutgoingRequest, poolFor: PoolFor): void {
    const { method = 'POST', path, headers, body, fresh } = request;
    try {
      const pool = poolFor(request, this.#owner);
      pool.send({ method, path, headers, body }, this);
      // A pool of its own closes once the response has ended.
      if (fresh === true) void pool.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  get begun(): boolean {
    return this.#control !== undefined;
  }

  pause(): void {
    this.#isPaused = true;
    if (!this.isOver) this.#control?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.isOver && this.#pieces.length === 0) this.#control?.resume();
  }

  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#lookup?.abort(new Error('cancelled'));
    this.#control?.abort(new Error('cancelled'));
  }

  onStart(control: ExchangeControl, isKept: boolean): void {
    this.#control = control;
    this.#lookup = undefined;
    if (isKept) this.#sentOnKeptAt = performance.now();
  }

  onHead({ status, headers, raw }: ResponseHead): void {
    this.#sentOnKeptAt = undefined;
    if (!this.isOver) this.#receiver.onHead(status, headers, raw);
  }

  onData(bytes: Buffer): void {
    if (this.isOver) return;
    if (this.#loop === undefined) {
      this.#receiver.onData(bytes);
      return;
    }
    const waits = this.#pieces.length > 0;
    for (let at = 0; at < bytes.length; at += pieceBytes) this.#pieces.push(bytes.subarray(at, at + pieceBytes));
    if (!waits) this.#proceed(this.#loop);
  }

  /** Passes received data on, a piece at a time. The first piece is passed at once if there is time. */
  #proceed(loop: LoopScheduler): void {
    for (;;) {
      const [piece] = this.#pieces;
      if (piece === undefined || this.isOver) return;
      let isNow = true;
      const isDone = loop.run(this.#owner, piece.length, () => {
        // It may have been passed on already at the end of the response.
        if (this.#pieces[0] !== piece) return;
        this.#pieces.shift();
        if (isNow) this.#receiver.onData(piece);
        else this.#later(piece, loop);
      });
      isNow = false;
      if (isDone) continue;
      this.#control?.pause();
      return;
    }
  }

  /** Outside of the connection's calls, no other code would see an error that the receiver throws. */
  #later(piece: Buffer, loop: LoopScheduler): void {
    if (this.isOver) return;
    try {
      this.#receiver.onData(piece);
    } catch (error) {
      this.#control?.abort(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#proceed(loop);
    if (this.#pieces.length === 0 && !this.#isPaused && !this.isOver) this.#control?.resume();
  }

  /** Passes the rest on without waiting: it is at most one read of a socket. */
  #handOn(): void {
    for (const piece of this.#pieces.splice(0)) if (!this.isOver) this.#receiver.onData(piece);
  }

  onEnd(): void {
    this.#handOn();
    if (this.isOver) return;
    this.isOver = true;
    this.#receiver.onEnd();
  }

  onError(error: Error): void {
    this.#handOn();
    this.#fail(error);
  }

  #fail(error: unknown): void {
    // The look-up may still be in progress, but is too late for the connection.
    this.#lookup?.abort(new Error('failed'));
    if (this.isOver) return;
    this.isOver = true;
    const kind = failureKind(error);
    // A connection that breaks later, with a request on it, has the same codes as a failed connect.
    const { begun } = this;
    const closes = kind === 'closed' || (begun && kind === 'connect');
    const sentAt = this.#sentOnKeptAt;
    const wasIdle = closes && sentAt !== undefined && performance.now() - sentAt < idleClosesMs;
    this.#receiver.onError(new TransportError(closes ? 'closed' : kind, error, { begun, wasIdle }));
  }
}

/**
 * A connection that the other end closed while it was idle ends as soon as a request is written to it. One that ends
 * later may have ended under the work on that request, which may have cost something.
 */
const idleClosesMs = 1000;

const connectCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

function failureKind(error: unknown): TransportFailureKind {
  if (error instanceof ForbiddenAddressError) return 'forbidden';
  if (error instanceof LookupRefusedError) return 'overloaded';
  if (error instanceof LookupFailedError || error instanceof ConnectTimeoutError) return 'connect';
  if (error instanceof ProtocolError) return 'protocol';
  if (error instanceof AggregateError) return failureKind(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // The gateway has no descriptor left for another connection.
  if (code === 'EMFILE' || code === 'ENFILE') return 'overloaded';
  if (connectCodes.has(code) || code.startsWith('ERR_TLS') || code.startsWith('CERT_')) return 'connect';
  return 'closed';
}
