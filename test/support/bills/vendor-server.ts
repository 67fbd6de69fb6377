// The vendors' usage and cost APIs as strict fakes: they refuse a wrong key, parameter, range, group or page as the
// vendor would, return smaller pages than requested, and respond to some requests with 429 first.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VendorRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export interface VendorResponse {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VendorServer {
  readonly url: string;
  /** Every received request, refused or not. */
  readonly requested: VendorRequest[];
  close(): Promise<void>;
}

export interface Playing {
  responseTo(requested: VendorRequest): VendorResponse;
  /** Every n-th request gets a 429 first. */
  readonly busyEvery?: number;
}

export async function startVendor({ responseTo, busyEvery = 0 }: Playing): Promise<VendorServer> {
  const requested: VendorRequest[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://vendor');
    const one = { path: url.pathname, query: url.searchParams, headers: request.headers };
    requested.push(one);
    const isBusy = busyEvery > 0 && requested.length % busyEvery === 0;
    const { status, body, headers: more } = isBusy ? refused(429, 'Too many requests') : responseTo(one);
    const headers = { 'content-type': 'application/json', ...more, ...(isBusy && { 'retry-after': '0' }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function refused(status: number, message: string): VendorResponse {
  return { status, body: { error: { message, type: 'invalid_request_error' } } };
}

/** Allowed values of a query's parameters by name; other names are refused. */
export type Rules = Readonly<Record<string, (value: string) => boolean>>;

/** @returns the reason of the refusal */
export function mistakeIn(query: URLSearchParams, rules: Rules, required: readonly string[]): string | undefined {
  const absent = required.find((name) => !query.has(name));
  if (absent !== undefined) return `Missing required parameter: ${absent}`;
  const wrong = [...query].find(([name, value]) => rules[name]?.(value) !== true);
  return wrong && `Invalid parameter: ${wrong[0]}=${wrong[1]}`;
}

/** Sums over rows with equal group fields; the other fields are null. */
export function grouped<Row extends object>(
  rows: readonly Row[],
  groups: readonly string[],
  all: readonly string[],
  sums: readonly string[],
): readonly Record<string, unknown>[] {
  const of = (row: Row, name: string): unknown => (row as Readonly<Record<string, unknown>>)[name];
  const byGroup = Map.groupBy(rows, (row) => JSON.stringify(groups.map((name) => of(row, name))));
  return [...byGroup.values()].map((some) => {
    const [first] = some;
    const result: Record<string, unknown> = {};
    for (const name of all) result[name] = first !== undefined && groups.includes(name) ? of(first, name) : null;
    for (const name of sums) result[name] = some.reduce((sum, row) => sum + Number(of(row, name) ?? 0), 0);
    return result;
  });
}

export const dayMs = 86_400_000;

/** The page of days at a token, or the first one. */
export function pageOf(
  days: readonly string[],
  token: string | null,
  size: number,
): { readonly days: readonly string[]; readonly next: string | null } | undefined {
  const from = token === null ? 0 : days.findIndex((day) => pageToken(day) === token);
  if (from === -1) return undefined;
  const next = days[from + size];
  return { days: days.slice(from, from + size), next: next === undefined ? null : pageToken(next) };
}

function pageToken(day: string): string {
  return `page_${Buffer.from(`from ${day}`).toString('base64url')}`;
}

export function daysFrom(startMs: number, endMs: number): readonly string[] {
  const days: string[] = [];
  for (let at = startMs; at < endMs; at += dayMs) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
