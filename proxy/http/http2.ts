// HTTP/2 at the traffic listeners, by node:http2: with TLS by ALPN, in plain text with prior knowledge. Each stream is a
// request of the same request path. A session has limits of its own, because one connection carries many requests.
import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { InboundRequest, InboundResponse } from './inbound.ts';
import { type RefusalOptions, respondRefused } from './refused-connection.ts';

export interface Http2Options extends Pick<RefusalOptions, 'onMalformed'> {
  readonly headerBytesMax: number;
  /** Until the first request of a session. */
  readonly headersTimeoutMs: number;
  /** For which a session without streams is kept. */
  readonly keepAliveMs: number;
  onRequest(request: InboundRequest, response: InboundResponse, expectsContinue: boolean): void;
}

/** Requests of one session at a time. */
const streamsMax = 100;
/** Requests that a session may abort at once, and in each second after that. Each costs what a whole one costs. */
const resets = { streamResetBurst: 200, streamResetRate: 20 };
const headersMax = 128;
const settingsMax = 32;
const invalidFramesMax = 50;
const memoryMaxMiB = 4;
const sweepMs = 1000;

interface Session {
  readonly session: ServerHttp2Session;
  readonly socket: Socket;
  streams: number;
  hasServed: boolean;
  /** When it was opened, or its last stream ended. */
  since: number;
}

export class Http2Sessions {
  readonly #options: Http2Options;
  readonly #sessionOptions: ServerOptions;
  readonly #sessions = new Set<Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(options: Http2Options) {
    this.#options = options;
    this.#sessionOptions = {
      ...resets,
      maxHeaderListPairs: headersMax,
      maxSettings: settingsMax,
      maxSessionInvalidFrames: invalidFramesMax,
      maxSessionMemory: memoryMaxMiB,
      settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: options.headerBytesMax, enablePush: false },
    };
    this.#sweep = setInterval(() => this.#closeLate(), sweepMs).unref();
  }

  /** @param socket whose next bytes are the preface */
  accept(socket: Socket): void {
    // A session does not end its direction itself when its caller has ended the other one.
    socket.allowHalfOpen = false;
    const session = performServerHandshake(socket, this.#sessionOptions);
    const known: Session = { session, socket, streams: 0, hasServed: false, since: performance.now() };
    this.#sessions.add(known);
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags, raw: unknown) => {
      this.#serve(known, { stream, headers, socket, raw: Array.isArray(raw) ? raw.map(String) : [] });
    });
    // The streams report the end of the session.
    session.on('error', () => undefined);
    session.once('close', () => this.#sessions.delete(known));
  }

  /** Announces that no further request is accepted. Those that were sent before are served. */
  closeIdleConnections(): void {
    for (const { session } of this.#sessions) session.close();
  }

  closeAllConnections(): void {
    for (const { session } of this.#sessions) session.destroy();
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #serve(known: Session, { stream, headers, socket, raw }: Incoming): void {
    const { headerBytesMax, onRequest } = this.#options;
    known.streams++;
    known.hasServed = true;
    stream.on('error', () => undefined);
    stream.once('close', () => {
      known.streams--;
      known.since = performance.now();
    });
    const response = new Http2Response(stream);
    // node:http2 announces the limit, and does not enforce it.
    if (raw.reduce((bytes, text) => bytes + text.length, 0) > headerBytesMax) {
      respondRefused(response, 'headers_too_large', this.#options);
      return;
    }
    const expectsContinue = headers.expect?.toLowerCase() === '100-continue';
    onRequest(new Http2Request(stream, { headers, raw, socket }), response, expectsContinue);
  }

  #closeLate(): void {
    const { headersTimeoutMs, keepAliveMs } = this.#options;
    const now = performance.now();
    for (const { socket, streams, hasServed, since } of this.#sessions) {
      if (streams === 0 && now - since > (hasServed ? keepAliveMs : headersTimeoutMs)) socket.destroy();
    }
  }
}

interface Incoming {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly raw: readonly string[];
  readonly socket: Socket;
}

class Http2Request implements InboundRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly httpVersionMinor = 1;
  readonly socket: Socket;
  /** A response before the end of the body ends its stream alone, so the connection need not wait for the rest. */
  readonly complete = true;
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, { headers, raw, socket }: Omit<Incoming, 'stream'>) {
    this.#stream = stream;
    this.method = headers[':method'] ?? '';
    this.url = headers[':path'] ?? '';
    this.rawHeaders = asSent(raw, headers[':authority'], !stream.endAfterHeaders);
    this.socket = socket;
  }

  on(event: 'data', listener: (bytes: Buffer) => void): this {
    this.#stream.on(event, listener);
    return this;
  }

  once(event: 'end', listener: () => void): this;
  once(event: 'error', listener: (error: Error) => void): this;
  once(event: 'end' | 'error', listener: (error: Error) => void): this {
    this.#stream.once(event, listener);
    return this;
  }

  off(event: 'data' | 'end', listener: (bytes: Buffer) => void): this {
    this.#stream.off(event, listener);
    return this;
  }

  removeAllListeners(event: 'data'): this {
    this.#stream.removeAllListeners(event);
    return this;
  }

  isPaused(): boolean {
    return this.#stream.isPaused();
  }

  pause(): this {
    this.#stream.pause();
    return this;
  }

  resume(): this {
    this.#stream.resume();
    return this;
  }
}

/**
 * The headers as a client of HTTP/1.1 would have sent them: with Host, for which HTTP/2 has `:authority`, and with chunks
 * for a body without a length.
 */
function asSent(raw: readonly string[], authority: string | undefined, hasBody: boolean): readonly string[] {
  const sent: string[] = [];
  let host: string | undefined;
  let isUnannounced = hasBody;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (name.startsWith(':')) continue;
    if (name === 'host') host = value;
    if (name === 'content-length') isUnannounced = false;
    sent.push(name, value);
  }
  if (isUnannounced) sent.push('transfer-encoding', 'chunked');
  return authority === undefined || authority === host ? sent : ['host', authority, ...sent];
}

/** Headers about one connection, which HTTP/2 does not have (RFC 9113, section 8.2.2). */
const ofConnections: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);

class Http2Response implements InboundResponse {
  readonly socket = null;
  readonly #stream: ServerHttp2Stream;
  readonly #added: string[] = [];
  shouldKeepAlive = true;
  /** A stream that its caller aborts would be finished too. */
  writableFinished = false;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  get headersSent(): boolean {
    return this.#stream.headersSent;
  }

  get destroyed(): boolean {
    return this.#stream.destroyed;
  }

  setHeader(name: string, value: string): void {
    this.#added.push(name, value);
  }

  writeHead(status: number, headers: readonly string[]): void {
    if (this.#stream.destroyed) return;
    const fields: OutgoingHttpHeaders = { ':status': status };
    const all = [...this.#added, ...headers];
    for (let at = 0; at + 1 < all.length; at += 2) {
      const [name = '', value = ''] = [all[at]?.toLowerCase(), all[at + 1]];
      if (name === 'connection' && value.toLowerCase() === 'close') this.shouldKeepAlive = false;
      if (ofConnections.has(name)) continue;
      const known = fields[name];
      fields[name] = known === undefined ? value : [...[known].flat().map(String), value];
    }
    this.#stream.respond(fields);
    if (!this.shouldKeepAlive) this.#stream.session?.close();
  }

  writeContinue(): void {
    if (!this.#stream.destroyed) this.#stream.additionalHeaders({ ':status': 100 });
  }

  write(bytes: Buffer | string, written?: () => void): boolean {
    return this.#stream.write(bytes, written);
  }

  end(last?: Buffer | (() => void)): void {
    const finished = typeof last === 'function' ? last : undefined;
    const stream = this.#stream;
    stream.end(typeof last === 'function' ? undefined : last, () => {
      this.writableFinished = !stream.aborted;
      finished?.();
      // The caller need not send the rest of its body.
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    this.#stream.destroy();
  }

  on(event: 'drain', listener: () => void): void {
    this.#stream.on(event, listener);
  }

  once(event: 'close', listener: () => void): void {
    this.#stream.once(event, listener);
  }
}
