// HTTP to providers (the only undici). One pool per origin, HTTP/1.1 with keep-alive, no redirects, no decompression, no
// time-outs of its own but the one for connecting: the watchdog of http/ ends what takes too long.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { type Dispatcher, errors, Pool } from 'undici';
import { ForbiddenAddressError } from '../../common/judged-lookup.ts';
import type { ClientTlsSource } from '../../common/tls.ts';
import type { AddressPolicy } from './addresses.ts';

export interface TransportOptions {
  readonly addresses: AddressPolicy;
  readonly connectTimeoutMs: number;
  /** Idle connections are closed after this long; below what providers' load balancers use, so that they close none under us. */
  readonly keepAliveMs: number;
  /** Pools kept at most; the least recently used closes when its requests are done. */
  readonly originsMax: number;
  /** Client certificate and authorities; default: none, and the system's. New connections use what is new. */
  readonly tls?: ClientTlsSource | undefined;
  /** A connection takes no new request from this age on, so that load finds new replicas. Default: no such age. */
  readonly connectionAgeMs?: number;
}

export interface OutgoingRequest {
  /** Default POST. */
  readonly method?: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** With query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  /** A stream is not read before a connection is there, and destroyed when the exchange is over. */
  readonly body: string | Readable | undefined;
}

/** How an attempt failed below HTTP. */
export type TransportFailureKind = 'connect' | 'forbidden' | 'closed' | 'protocol';

export class TransportError extends Error {
  readonly kind: TransportFailureKind;
  /** Whether a connection took the request: some of it may have been sent. */
  readonly begun: boolean;

  constructor(kind: TransportFailureKind, cause: unknown, begun = true) {
    super(`upstream ${kind}`, { cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.begun = begun;
  }
}

/** Names and values in turn, as they came. */
export type RawHeaders = readonly (Buffer | string)[];

/** Told, in this order: head, data…, then end or error; error alone where there is no head. */
export interface UpstreamReceiver {
  /** @param raw the same headers, for who passes them on */
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
  /** Ends the exchange with the provider at once; the receiver is told nothing more. */
  cancel(): void;
}

export interface Transport {
  send(request: OutgoingRequest, receiver: UpstreamReceiver): UpstreamConnection;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const pools = new LRUCache<string, Pool>({
    max: options.originsMax,
    dispose: (pool) => void pool.close().catch(() => pool.destroy()),
  });
  const poolFor = (origin: string): Pool => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = openPool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  // Requests under way end on the connection that they have.
  const stopFollowing = options.tls?.onChange(() => pools.clear());
  return {
    send: (request, receiver) => {
      const exchange = new UpstreamExchange(receiver);
      exchange.start(request, poolFor);
      return exchange;
    },
    close: async () => {
      stopFollowing?.();
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** @throws ForbiddenAddressError */
function openPool(origin: string, options: TransportOptions): Pool {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const hostAndPort = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
  const { addresses } = options;
  // An address in the URL itself is never looked up, so it is judged here.
  const literal = isIP(host) !== 0 && !addresses.allows(host, hostAndPort);
  if (literal || (url.protocol !== 'https:' && !addresses.isListed(hostAndPort)))
    throw new ForbiddenAddressError(host);
  return new Pool(origin, {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
    maxHeaderSize: 32 * 1024,
    clientTtl: options.connectionAgeMs ?? null,
    connect: {
      ...options.tls?.current,
      timeout: options.connectTimeoutMs,
      lookup: addresses.lookupFor(hostAndPort),
      keepAlive: true,
      noDelay: true,
    },
  });
}

class UpstreamExchange implements UpstreamConnection, Dispatcher.DispatchHandler {
  readonly #receiver: UpstreamReceiver;
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;

  constructor(receiver: UpstreamReceiver) {
    this.#receiver = receiver;
  }

  start(request: OutgoingRequest, poolFor: (origin: string) => Pool): void {
    const { method = 'POST', path, headers, body = null } = request;
    try {
      poolFor(request.origin).dispatch({ method, path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  get begun(): boolean {
    return this.#controller !== undefined;
  }

  pause(): void {
    if (!this.#over) this.#controller?.pause();
  }

  resume(): void {
    if (!this.#over) this.#controller?.resume();
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new Error('cancelled'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Cancelled while it waited for a connection.
    if (this.#over) controller.abort(new Error('cancelled'));
  }

  onResponseStart(
    { rawHeaders }: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#over || status < 200) return;
    this.#receiver.onHead(status, headers, Array.isArray(rawHeaders) ? rawHeaders : []);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over) this.#receiver.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    const kind = failureKind(error);
    // Codes of a failed connect are also those of a connection that dies later, with a request on it.
    this.#receiver.onError(
      new TransportError(this.begun && kind === 'connect' ? 'closed' : kind, error, this.begun),
    );
  }
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

function failureKind(error: unknown): TransportFailureKind {
  if (error instanceof ForbiddenAddressError) return 'forbidden';
  if (error instanceof errors.ConnectTimeoutError) return 'connect';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return 'protocol';
  if (error instanceof errors.ResponseContentLengthMismatchError) return 'closed';
  if (error instanceof AggregateError) return failureKind(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (connectCodes.has(code) || code.startsWith('ERR_TLS') || code.startsWith('CERT_')) return 'connect';
  return 'closed';
}
