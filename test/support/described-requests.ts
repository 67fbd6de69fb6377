// Compares every request that a proxy in this process serves with docs/openapi.yaml: its path and method have an
// operation, which has the status of the response, and with an error of the gateway also its code.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** @param port of the proxy's listener */
export function watchRequests(port: number): DescribedRequests {
  const differences = new Set<string>();
  let count = 0;
  const onFinish = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.socket.localPort !== port) return;
    count++;
    const difference = differenceOf({
      method: request.method ?? '',
      target: request.url ?? '',
      status: response.statusCode,
      source: textOf(response.getHeader('x-svc-error-source')),
      code: textOf(response.getHeader('x-svc-error-code')),
    });
    if (difference !== undefined) differences.add(difference);
  };
  subscribe('http.server.response.finish', onFinish);
  return {
    close: () => {
      unsubscribe('http.server.response.finish', onFinish);
      if (count === 0) throw new Error('no request was compared with docs/openapi.yaml');
      if (differences.size > 0) throw new Error(`docs/openapi.yaml lacks:\n${[...differences].join('\n')}`);
    },
  };
}

function textOf(value: number | string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
