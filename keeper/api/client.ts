// A client for the requests of the keeper to the API server: get, list, patch, delete and watch, over Node's HTTPS. A
// client library with hundreds of kinds is not needed for five verbs on a dozen objects. Every request and every
// response is bounded.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { FileWatcher } from '../../common/file-watcher.ts';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';

export interface ApiClient {
  /** @throws ApiError; status 404 if the object does not exist */
  get(path: string): Promise<JsonObject>;
  /** @param patch a merge patch, or a list of JSON Patch operations @throws ApiError; 409 if the object has changed */
  patch(path: string, patch: object): Promise<JsonObject>;
  /** @param uid of the object to delete, so that a newer object of the same name stays */
  delete(path: string, uid: string): Promise<void>;
  /** Ends when the server ends it, within a minute. @throws ApiError; 410 if the version is too old */
  watch(path: string, query: WatchQuery): AsyncIterable<WatchEvent>;
  /** Requests in progress and all later requests fail at once. */
  close(): void;
}

export interface WatchQuery {
  readonly fieldSelector?: string | undefined;
  /** Undefined: the watch starts now, and reports the existing objects first. */
  readonly resourceVersion: string | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: JsonObject;
}

/**
 * The API server's error response, with the message of its Status:
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

export interface ApiOptions {
  /** Scheme, host and port. */
  readonly url: string;
  /** PEM. */
  readonly ca: Pick<FileWatcher<Buffer>, 'current'>;
  readonly token: Pick<FileWatcher<string>, 'current'>;
  readonly userAgent: string;
  onResponse?(verb: Verb, status: number): void;
}

export const verbs = ['get', 'patch', 'delete', 'watch'] as const;
export type Verb = (typeof verbs)[number];

const timeoutMs = 10_000;
const bytesMax = 64 * 1024 ** 2;
/** A watch is renewed often, so that a dead connection is noticed. */
const watchSeconds = 45;
const watchTimeoutMs = 60_000;

export function createApiClient(options: ApiOptions): ApiClient {
  const api = new Api(options);
  return {
    get: (path) => api.json('get', { method: 'GET', path }),
    patch: (path, patch) => api.json('patch', { method: 'PATCH', path, ...patchBody(patch) }),
    delete: async (path, uid) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
      await api.json('delete', { method: 'DELETE', path, body, contentType: 'application/json' });
    },
    watch: (path, query) => api.watch(path, query),
    close: () => api.close(),
  };
}

function patchBody(body: object): Pick<Call, 'body' | 'contentType'> {
  const kind = Array.isArray(body) ? 'json-patch' : 'merge-patch';
  return { body, contentType: `application/${kind}+json` };
}

interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
}

class Api {
  readonly #options: ApiOptions;
  #agent: Agent | undefined;
  #agentCa: Buffer | undefined;
  readonly #open = new Set<ClientRequest>();
  #closed = false;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async json(verb: Verb, call: Call): Promise<JsonObject> {
    const response = await this.#send(verb, call, timeoutMs);
    const text = await readText(response);
    const value = parseJson(text);
    const { statusCode: status = 0 } = response;
    if (status < 200 || status > 299) throw errorOf(status, value);
    if (!isObject(value)) throw new Error(`the API server responded to ${call.path} without an object`);
    return value;
  }

  async *watch(path: string, { fieldSelector, resourceVersion }: WatchQuery): AsyncIterable<WatchEvent> {
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(watchSeconds),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    });
    const response = await this.#send('watch', { method: 'GET', path: `${path}?${query}` }, watchTimeoutMs);
    if (response.statusCode !== 200) throw errorOf(response.statusCode ?? 0, parseJson(await readText(response)));
    try {
      for await (const line of linesOf(response, bytesMax)) yield eventIn(line);
    } finally {
      response.destroy();
    }
  }

  close(): void {
    this.#closed = true;
    for (const sent of this.#open) sent.destroy(new Error('the client is closed'));
    this.#agent?.destroy();
  }

  /** @param withinMs for the whole exchange; afterwards the response is cut */
  #send(verb: Verb, { method, path, body, contentType }: Call, withinMs: number): Promise<IncomingMessage> {
    const { url, token, userAgent, onResponse } = this.#options;
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    if (this.#closed) return Promise.reject(new Error('the client is closed'));
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(
        new URL(path, url),
        {
          method,
          agent: this.#currentAgent(),
          signal: AbortSignal.timeout(withinMs),
          headers: {
            accept: 'application/json',
            'user-agent': userAgent,
            authorization: `Bearer ${token.current}`,
            ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
          },
        },
        (response) => {
          onResponse?.(verb, response.statusCode ?? 0);
          resolve(response);
        },
      );
      this.#open.add(sent);
      sent.on('close', () => this.#open.delete(sent));
      sent.on('error', (cause) => reject(new Error(`the API server cannot be reached: ${cause.message}`, { cause })));
      sent.end(bytes);
    });
  }

  /** One agent per set of authorities. */
  #currentAgent(): Agent {
    const ca = this.#options.ca.current;
    if (this.#agent === undefined || this.#agentCa !== ca) {
      this.#agent?.destroy();
      this.#agent = new Agent({ keepAlive: true, ca, maxSockets: 32 });
      this.#agentCa = ca;
    }
    return this.#agent;
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`the API server responded with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function eventIn(line: string): WatchEvent {
  const event = parseJson(line);
  const isEvent = isObject(event) && isObject(event.object);
  if (!isEvent) throw new Error('a watch of the API server brought something else than events');
  const { type, object } = event;
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK')
    return { type, object: object as JsonObject };
  const { code } = object as JsonObject;
  throw errorOf(typeof code === 'number' ? code : 0, object);
}

const messageLengthMax = 500;

function errorOf(status: number, value: unknown): ApiError {
  const message = isObject(value) && typeof value.message === 'string' ? value.message : 'no reason is given';
  return new ApiError(status, `the API server responded with ${status}: ${message.slice(0, messageLengthMax)}`);
}

/**
 * Splits a stream of bytes into lines of text: a watch has one event per line.
 * @throws Error for a line above the bound; the stream's error if it is cut. A last line without an end is dropped.
 */
async function* linesOf(chunks: AsyncIterable<Buffer>, lineBytesMax: number): AsyncIterable<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline, from); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      if (line !== '') yield line;
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > lineBytesMax) throw new Error(`a line is longer than ${lineBytesMax} bytes`);
  }
}

const newline = 0x0a;
