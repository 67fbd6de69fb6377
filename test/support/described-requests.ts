// Compares every request that a client in this process sends to a proxy with docs/openapi.yaml: its path and method have
// an operation, which has the status of the response, and with an error of the gateway also its code.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface ProxyApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> };
}

export const proxyApi: ProxyApi = parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.yaml'), 'utf8'));

export interface SeenResponse {
  readonly method: string;
  /** Of the request, as received. */
  readonly target: string;
  readonly status: number;
  /** `x-svc-error-source` and `x-svc-error-code`. */
  readonly source?: string | undefined;
  readonly code?: string | undefined;
}

const paths = Object.entries(proxyApi.paths).map(([path, operations]) => {
  const source = path
    .split(/(\{[a-z_]+\})/)
    .map((part) => (part.startsWith('{') ? '.+' : RegExp.escape(part)))
    .join('');
  return { expression: new RegExp(`^${source}$`), operations };
});

/** @returns how the response differs from the document; undefined if it does not */
export function differenceOf({ method, target, status, source, code = '' }: SeenResponse): string | undefined {
  const [path = ''] = target.split('?', 1);
  const seen = `${method} ${path} ${status} ${code}`;
  const found = paths.filter(({ expression }) => expression.test(path));
  if (code === 'route_not_found') return undefined;
  if (found.length === 0) return `${seen}: no such path`;
  // A WebSocket is refused on every path, before a route is matched.
  if (status === 426) return undefined;
  const methods = found.flatMap(({ operations }) => operations[method.toLowerCase()] ?? []);
  if (code === 'method_not_allowed') return methods.length === 0 ? undefined : `${seen}: the document has the method`;
  const range = `${Math.floor(status / 100)}XX`;
  const described = methods.flatMap(({ responses }) => responses[status] ?? responses[range] ?? []);
  if (described.length === 0) return `${seen}: ${methods.length === 0 ? 'no such method' : 'no such status'}`;
  if (source !== 'gateway') return undefined;
  const isNamed = described.some(({ $ref = '' }) => {
    const response = proxyApi.components.responses[$ref.slice($ref.lastIndexOf('/') + 1)];
    return response?.description.includes(`\`${code}\``);
  });
  return isNamed ? undefined : `${seen}: the status has no such code`;
}

export interface DescribedRequests {
  /** Stops. @throws Error that lists every difference, or if there was no request */
  close(): void;
}

/** What Node's fetch and undici publish of a response. */
interface FetchedResponse {
  readonly request: { readonly origin: string; readonly method: string; readonly path: string };
  /** Headers are alternating names and values. */
  readonly response: { readonly statusCode: number; readonly headers: readonly Buffer[] };
}

/** What node:http publishes of a response. */
interface ReceivedResponse {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** @param port of the proxy's listener */
export function watchRequests(port: number): DescribedRequests {
  const differences = new Set<string>();
  let count = 0;
  const compare = (seen: SeenResponse) => {
    count++;
    const difference = differenceOf(seen);
    if (difference !== undefined) differences.add(difference);
  };
  const onFetched = (message: unknown) => {
    const { request, response } = message as FetchedResponse;
    if (new URL(request.origin).port !== String(port)) return;
    const { method, path: target } = request;
    const texts = response.headers.map((bytes) => bytes.toString('latin1'));
    const header = (name: string) => texts.find((_text, at) => at % 2 === 1 && texts[at - 1]?.toLowerCase() === name);
    compare({ method, target, status: response.statusCode, ...errorOf(header) });
  };
  const onReceived = (message: unknown) => {
    const { request, response } = message as ReceivedResponse;
    if (request.socket?.remotePort !== port) return;
    const { method, path: target } = request;
    const header = (name: string) => response.headers[name]?.toString();
    compare({ method, target, status: response.statusCode ?? 0, ...errorOf(header) });
  };
  subscribe('undici:request:headers', onFetched);
  subscribe('http.client.response.finish', onReceived);
  return {
    close: () => {
      unsubscribe('undici:request:headers', onFetched);
      unsubscribe('http.client.response.finish', onReceived);
      if (count === 0) throw new Error('no request was compared with docs/openapi.yaml');
      if (differences.size > 0) throw new Error(`docs/openapi.yaml lacks:\n${[...differences].join('\n')}`);
    },
  };
}

function errorOf(header: (name: string) => string | undefined): Pick<SeenResponse, 'source' | 'code'> {
  return { source: header('x-svc-error-source'), code: header('x-svc-error-code') };
}
