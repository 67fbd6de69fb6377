// The console on the listener of the JSON API, in front of its methods: the page with its files, and the paths that sign
// people in. It has no access to the methods' data; its page is one more client of the API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AuthResponse,
  backchannelLogout,
  callback,
  callEndpoint,
  callProgramEndpoint,
  type EndpointDeps,
  type EndpointName,
  isEndpointName,
  type ProgramEndpointName,
} from '../auth/endpoints.ts';
import { type Site, type SiteOptions, siteOf } from '../auth/site.ts';
import { CallError, httpStatusOf } from '../rpc/errors.ts';
import { type Exchange, single } from '../rpc/http-request.ts';
import { sendAsset } from './files.ts';
import { consoleHeaders } from './headers.ts';
import { sendPage } from './page.ts';

export interface Console {
  /** Undefined for a path that is not the console's. */
  routeOf(request: IncomingMessage): ConsoleRoute | undefined;
}

export interface ConsoleRoute {
  /** For metrics and the log, such as "Console.Page". */
  readonly name: string;
  /** Sends the response, unless it throws. @throws CallError, StoreUnavailableError */
  serve(exchange: Exchange): Promise<void>;
  /** Sends the error in the form of the path. */
  refuse(response: ServerResponse, error: CallError): void;
}

export interface ConsoleDeps extends EndpointDeps {
  readonly site: SiteOptions;
  /** Where the built console is; it may be built while the program runs. */
  folder(): string;
}

export function createConsole(deps: ConsoleDeps): Console {
  const { path } = deps.site;
  return {
    routeOf: (request) => {
      const [target = ''] = (request.url ?? '').split('?', 1);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (target === '/' && isRead) return redirect(path.slice(1));
      if (`${target}/` === path && isRead) return redirect(path.slice(1));
      if (!target.startsWith(path)) return undefined;
      const [, folder, name = ''] = /^(auth|assets)\/(.*)$/.exec(target.slice(path.length)) ?? [];
      if (folder === 'auth') return authRouteOf(deps, name);
      if (folder === 'assets')
        return reading('Console.Asset', deps, (exchange, site) => sendAsset(deps.folder(), name, exchange, site));
      // A name with an extension is a file, and the page's paths have none.
      return /\.\w+$/.test(target)
        ? nothing
        : reading('Console.Page', deps, (exchange, site) => sendPage(deps.folder(), exchange, site));
    },
  };
}

const names: Readonly<Record<EndpointName, string>> = {
  token: 'Console.Token',
  start: 'Console.Start',
  link: 'Console.Link',
  logout: 'Console.Logout',
  issuers: 'Console.Issuers',
};

function authRoute(deps: ConsoleDeps, endpoint: EndpointName): ConsoleRoute {
  return {
    name: names[endpoint],
    serve: async (exchange) => {
      const site = siteOfRequest(deps, exchange.request);
      sendAuth(exchange.response, site, await callEndpoint(deps, endpoint, exchange, site));
    },
    refuse,
  };
}

function sendAuth(response: ServerResponse, site: Site, { body, cookies, location }: AuthResponse): void {
  const headers = {
    ...consoleHeaders(site),
    ...(cookies !== undefined && { 'set-cookie': cookies }),
    ...(location !== undefined && { location }),
  };
  const status = location !== undefined ? 302 : body === undefined ? 204 : 200;
  send(response, { status, headers, body });
}

function authRouteOf(deps: ConsoleDeps, name: string): ConsoleRoute {
  if (isEndpointName(name)) return authRoute(deps, name);
  if (name === 'device' || name === 'exchange') return programRoute(deps, name);
  const [, path, issuerId = ''] = /^(callback|backchannel-logout)\/([0-9a-f-]{36})$/.exec(name) ?? [];
  if (path === 'callback') return callbackRoute(deps, issuerId);
  return path === undefined ? nothing : logoutRoute(deps, issuerId);
}

/** A program that signs in through a person's browser. */
function programRoute(deps: ConsoleDeps, endpoint: ProgramEndpointName): ConsoleRoute {
  return {
    name: endpoint === 'device' ? 'Console.Device' : 'Console.Exchange',
    serve: async (exchange) => {
      const site = siteOfRequest(deps, exchange.request);
      sendAuth(exchange.response, site, await callProgramEndpoint(deps, endpoint, exchange, site));
    },
    refuse,
  };
}

/** The issuer has ended its session. */
function logoutRoute(deps: ConsoleDeps, issuerId: string): ConsoleRoute {
  return {
    name: 'Console.IssuerLogout',
    serve: async (exchange) => {
      const response = await backchannelLogout(deps, issuerId, exchange);
      sendAuth(exchange.response, siteOfRequest(deps, exchange.request), response);
    },
    refuse,
  };
}

/** A browser that comes back from an issuer. A refusal leads to the page, which shows it. */
function callbackRoute(deps: ConsoleDeps, issuerId: string): ConsoleRoute {
  const route = reading('Console.Callback', deps, async (exchange, site) => {
    sendAuth(exchange.response, site, await callback(deps, issuerId, exchange, site));
  });
  return {
    ...route,
    // Relative: two levels above the callback is the console.
    refuse: (response, { reason }) => send(response, { status: 302, headers: { location: `../../?error=${reason}` } }),
  };
}

function reading(
  name: string,
  deps: ConsoleDeps,
  work: (exchange: Exchange, site: Site) => Promise<void>,
): ConsoleRoute {
  return {
    name,
    serve: async (exchange) => {
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD')
        throw new CallError('method_not_allowed', 'this path is read with GET');
      await work(exchange, siteOfRequest(deps, exchange.request));
    },
    refuse: (response, error) => {
      if (error.reason === 'method_not_allowed') response.setHeader('allow', 'GET, HEAD');
      refuse(response, error);
    },
  };
}

const nothing: ConsoleRoute = {
  name: 'Console.Unknown',
  serve: async () => {
    throw new CallError('not_found', 'no such path');
  },
  refuse,
};

/** Relative, so that it also leads there behind a path prefix. */
function redirect(location: string): ConsoleRoute {
  return {
    name: 'Console.Redirect',
    serve: async ({ response }) => send(response, { status: 302, headers: { location } }),
    refuse,
  };
}

function siteOfRequest({ site }: ConsoleDeps, request: IncomingMessage): Site {
  return siteOf(single(request, 'host') ?? '', site);
}

function refuse(response: ServerResponse, error: CallError): void {
  const { reason, message, retryAfter } = error;
  if (reason === 'method_not_allowed' && !response.hasHeader('allow')) response.setHeader('allow', 'POST');
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  send(response, { status: httpStatusOf(reason), headers, body: { error: { code: reason, message } } });
}

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: object | undefined;
}

function send(response: ServerResponse, { status, headers, body }: Sent): void {
  if (response.destroyed) return;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      ...(bytes !== undefined && { 'content-type': 'application/json' }),
      ...(status !== 204 && { 'content-length': bytes?.length ?? 0 }),
    })
    .end(bytes);
}
