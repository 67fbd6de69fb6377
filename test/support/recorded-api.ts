// Replays over HTTPS the responses of a real API server to the keeper (test/integration/keeper/recorded, written by
// `npm run cluster-check -- --record`): by method and path, one recording after the other, the last one repeatedly.
// Watches are replayed as far as a test wants, and then ended, cut or left open.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { isObject, type JsonObject } from '../../common/json.ts';
import { createAuthority } from './tls.ts';

export interface Recording {
  /** The request of the keeper; absent in a test's own recordings. */
  readonly request?: { readonly body?: JsonObject };
  readonly status: number;
  readonly body?: JsonObject;
  /** Lines of a watch. */
  readonly lines?: readonly JsonObject[];
}

const folder = new URL('../integration/keeper/recorded/', import.meta.url);

export function recordingOf(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
}

/** The object of a recording. */
export function recordedObject(name: string): JsonObject {
  const { body } = recordingOf(name);
  if (body === undefined) throw new Error(`the recording ${name} has no object`);
  return body;
}

export type Ending =
  /** As the server does at the end of a watch's time. */
  | 'end'
  /** In the middle of a line. */
  | 'cut'
  | 'stay';

export interface Play extends Recording {
  /** End of a watch; default: it stays open. */
  readonly ending?: Ending;
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

export interface RecordedApi {
  readonly url: string;
  /** PEM file of its authority. */
  readonly caFile: string;
  readonly requests: readonly Received[];
  /** Requests with a method and a path; a watch is a separate method here. */
  to(method: string, path: string): readonly Received[];
  /** Sets the responses from now on. */
  on(method: 'GET' | 'PATCH' | 'DELETE' | 'WATCH', path: string, ...plays: readonly Play[]): void;
  /**
   * Stores an object as recorded, and applies merge patches to it: a write from an older version gets the recorded
   * response.
   */
  remember(path: string, recording: Recording): { readonly data: Readonly<Record<string, string>> };
  /** Cuts every connection, and responds to none until it is open again. */
  setOpen(isOpen: boolean): void;
  /** Accepts requests from now on, and responds to none. */
  fallSilent(): void;
  close(): Promise<void>;
}

export async function startRecordedApi(): Promise<RecordedApi> {
  const authority = await createAuthority('recorded API server');
  const { certFile, keyFile } = await authority.issue({ commonName: 'kube-apiserver' });
  const api = new Played();
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  server.on('request', (request, response) => void api.serve(request, response));
  server.on('secureConnection', (socket: Socket) => api.connected(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(api, {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile: authority.caFile,
    close: () => closed(server).then(authority.remove),
  });
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

class Played {
  readonly requests: Received[] = [];
  readonly #plays = new Map<string, Play[]>();
  readonly #remembered = new Map<string, JsonObject>();
  readonly #sockets = new Set<Socket>();
  #isOpen = true;
  #isSilent = false;

  to(method: string, path: string): readonly Received[] {
    return this.requests.filter((one) => keyOf(one) === `${method} ${path}`);
  }

  on(method: string, path: string, ...plays: readonly Play[]): void {
    this.#plays.set(`${method} ${path}`, [...plays]);
  }

  remember(path: string, { body = {} }: Recording) {
    this.#remembered.set(path, structuredClone(body));
    const remembered = this.#remembered;
    return {
      get data() {
        const { data } = remembered.get(path) ?? {};
        const entries = Object.entries(isObject(data) ? data : {});
        return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(String(text), 'base64').toString()]));
      },
    };
  }

  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (!isOpen) for (const socket of this.#sockets) socket.destroy();
  }

  fallSilent(): void {
    this.#isSilent = true;
  }

  connected(socket: Socket): void {
    if (!this.#isOpen) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'https://api');
    const text = Buffer.concat(chunks).toString();
    const { method = 'GET', headers } = request;
    const received = {
      method,
      path,
      query,
      body: text === '' ? undefined : JSON.parse(text),
      authorization: headers.authorization,
    };
    this.requests.push(received);
    if (this.#isSilent) return;
    const play = this.#nextFor(received);
    response.writeHead(play.status, { 'content-type': 'application/json' });
    if (play.lines === undefined) response.end(JSON.stringify(play.body));
    else playWatch(response, play);
  }

  #nextFor(received: Received): Play {
    const stored = this.#remembered.get(received.path);
    if (stored !== undefined && received.method === 'GET') return { status: 200, body: stored };
    if (stored !== undefined && received.method === 'PATCH') return this.#merged(received, stored);
    const plays = this.#plays.get(keyOf(received)) ?? [];
    const [next] = plays.length > 1 ? plays.splice(0, 1) : plays;
    // A watch without a set response sends nothing.
    if (next === undefined && isWatch(received)) return { status: 200, lines: [], ending: 'stay' };
    return next ?? recordingOf('webhook-absent');
  }

  #merged({ path, body }: Received, stored: JsonObject): Play {
    const { metadata, ...rest } = body as { metadata: JsonObject };
    const own = stored.metadata as JsonObject;
    if (metadata.resourceVersion !== own.resourceVersion) {
      return recordingOf(path.includes('/leases/') ? 'lease-conflict' : 'secret-conflict');
    }
    const resourceVersion = String(Number(own.resourceVersion) + 1);
    const merged = { ...mergePatch(stored, rest), metadata: { ...own, resourceVersion } };
    this.#remembered.set(path, merged);
    return { status: 200, body: merged };
  }
}

/** By RFC 7396: null removes a member. */
export function mergePatch(object: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...object };
  for (const [name, value] of Object.entries(patch)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergePatch(isObject(before) ? before : {}, value) : value;
  }
  return merged;
}

function isWatch({ query }: Received): boolean {
  return query.get('watch') === 'true';
}

function keyOf(received: Received): string {
  if (!isWatch(received)) return `${received.method} ${received.path}`;
  const [, name] = (received.query.get('fieldSelector') ?? '').split('=');
  return `WATCH ${received.path}${name === undefined ? '' : `/${name}`}`;
}

function playWatch(response: ServerResponse, { lines = [], ending = 'stay' }: Play): void {
  response.flushHeaders();
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  if (ending === 'end') {
    response.end(text);
    return;
  }
  response.write(text);
  if (ending === 'cut') response.write('{"type":"MODIFIED","obj', () => response.destroy());
}
