// A request to a URL that did not come from the operator: the author of a webhook or a guardrail chooses where a
// program connects to. Therefore: https with verified certificates only, allowed addresses only (checked when
// connecting), no redirects, and no response is read further than necessary. node:https does all of this; undici would
// be a second client.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { ByteStore } from './byte-store.ts';
import { createResolve } from './dns-resolve.ts';
import { ForbiddenAddressError, filteredLookup, type Resolve } from './filtered-lookup.ts';
import type { ShareOwner } from './shares.ts';

export interface GuardedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST';
  /** The owner whose share of look-ups it uses. */
  readonly owner?: ShareOwner;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty if it is not read; only its beginning with `bodyStartBytesMax`. */
  readonly body: Buffer;
}

export class ResponseTooLongError extends Error {
  constructor() {
    super('the response is too long');
    this.name = 'ResponseTooLongError';
  }
}

/** @throws Error if there is no response before the signal aborts; ResponseTooLongError, ForbiddenAddressError */
export type GuardedPost = (request: GuardedRequest, signal: AbortSignal) => Promise<GuardedResponse>;

export interface GuardOptions {
  readonly allows: (address: string) => boolean;
  /** Default: the DNS servers. */
  readonly resolve?: Resolve;
  /** Authorities in PEM; default: those of Node. */
  readonly ca?: string;
  /**
   * Maximum of a response body in bytes; a longer one is an error. Bodies of a status other than 200 are not read.
   * Default: only the head counts as the response; some of the body is read for a short time, so that the receiver can
   * finish.
   */
  readonly bodyBytesMax?: number;
  /**
   * Without `bodyBytesMax`: so many bytes of the beginning of a body belong to the response, whatever its status.
   * Default: none.
   */
  readonly bodyStartBytesMax?: number;
  /** Also takes plain http. Only for hosts that the platform's operator has listed. */
  readonly plain?: true;
  /** Default: each request has its own connection. */
  readonly keep?: KeptConnections;
}

/**
 * Connections that wait for the next request to the same host. Each connection was checked when it was made and leads
 * to that checked address. If a name resolves to another address later, the next new connection notices it. No
 * connection is used for longer than `ageMsMax` after its first response.
 */
export interface KeptConnections {
  readonly countMax: number;
  readonly idleMs: number;
  readonly ageMsMax: number;
}

const headBytesMax = 16 * 1024;
const discardedBytesMax = 64 * 1024;

export function createGuardedPost(options: GuardOptions): GuardedPost {
  const { allows, ca, keep, bodyBytesMax, bodyStartBytesMax = 0, plain, resolve = createResolve() } = options;
  const own = {
    method: 'POST',
    // A new connection for each request, closed afterwards. A reused one could have been checked for another host or at
    // another time.
    agent: false,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    maxHeaderSize: headBytesMax,
  } as const satisfies RequestOptions;
  const kept = keep && { ...own, agent: createAgent(keep) };
  return async (request, signal) => {
    const url = checkedUrl(request.url, allows, plain);
    signal.throwIfAborted();
    // The look-up ends with the request, however the request ends.
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const each = {
      signal,
      lookup: filteredLookup(allows, resolve, { owner: request.owner, signal: either }),
    };
    try {
      const outgoing = { ...request, url, bodyBytesMax, bodyStartBytesMax };
      if (kept !== undefined) {
        const result = await send(outgoing, { ...kept, ...each }).catch(ifStale);
        if (result !== undefined) return result;
      }
      return await send(outgoing, { ...own, ...each });
    } finally {
      ending.abort();
    }
  };
}

/**
 * The other side may close a kept connection at any moment. A request that hits this got no response and is sent again.
 */
function ifStale(error: unknown): undefined {
  if (!(error instanceof StaleConnectionError)) throw error;
}

/**
 * An address in the URL itself is never looked up, so it is checked here. The URL parser has already normalized forms
 * such as 0x7f.1.
 */
function checkedUrl(text: string, allows: GuardOptions['allows'], plain: GuardOptions['plain']): URL {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTaken = url.protocol === 'https:' || (plain === true && url.protocol === 'http:');
  if (isTaken && (isIP(host) === 0 || allows(host))) return url;
  throw new ForbiddenAddressError(host);
}

function createAgent({ countMax, idleMs, ageMsMax }: KeptConnections): Agent {
  const agent = new Agent({
    keepAlive: true,
    maxFreeSockets: countMax,
    timeout: idleMs,
    scheduling: 'lifo',
    // No TLS session resumption: each new connection presents its certificate.
    maxCachedSessions: 0,
  });
  const madeAt = new WeakMap<object, number>();
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const since = madeAt.get(socket) ?? performance.now();
    madeAt.set(socket, since);
    return performance.now() - since < ageMsMax && keepSocketAlive(socket);
  };
  return agent;
}

class StaleConnectionError extends Error {
  constructor(cause: Error) {
    super('the connection was closed while it waited', { cause });
    this.name = 'StaleConnectionError';
  }
}

interface Outgoing extends Omit<GuardedRequest, 'url'> {
  readonly url: URL;
  readonly bodyBytesMax: number | undefined;
  readonly bodyStartBytesMax: number;
}

function send(request: Outgoing, options: RequestOptions): Promise<GuardedResponse> {
  const { url, method = 'POST', headers, body, bodyBytesMax, bodyStartBytesMax } = request;
  const { promise, resolve, reject } = Promise.withResolvers<GuardedResponse>();
  const open = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const outgoing = open(url, {
    ...options,
    method,
    headers: method === 'GET' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  let head: GuardedResponse | undefined;
  const start = new ByteStore();
  const failed = (error: Error) => {
    if (head !== undefined && bodyBytesMax === undefined) return resolve({ ...head, body: start.bytes });
    const isStale = head === undefined && outgoing.reusedSocket && isReset(error);
    reject(isStale ? new StaleConnectionError(error) : error);
  };
  outgoing.on('error', failed);
  outgoing.once('close', () => failed(new Error('the connection was closed without a response')));
  outgoing.once('response', (response) => {
    const result = { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.alloc(0) };
    head = result;
    if (bodyBytesMax === undefined)
      return discard(response, (chunk) => start.push(chunk.subarray(0, bodyStartBytesMax - start.length)));
    if (result.status === 200)
      return read(response, bodyBytesMax, { ended: (body) => resolve({ ...result, body }), failed });
    resolve(result);
    response.destroy();
  });
  outgoing.end(body);
  return promise;
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function discard(response: IncomingMessage, seen: (chunk: Buffer) => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    seen(chunk);
    bytes += chunk.length;
    if (bytes > discardedBytesMax) response.destroy();
  });
  response.on('error', () => undefined);
}

interface BodyReader {
  ended(body: Buffer): void;
  failed(error: Error): void;
}

function read(response: IncomingMessage, bytesMax: number, { ended, failed }: BodyReader): void {
  const body = new ByteStore();
  response.on('data', (chunk: Buffer) => {
    body.push(chunk);
    if (body.length > bytesMax) response.destroy(new ResponseTooLongError());
  });
  response.once('end', () => ended(body.bytes));
  // Also if the body is cut off.
  response.on('error', failed);
}
