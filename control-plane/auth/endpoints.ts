// The paths of the console that sign people in: the only place that reads a cookie. They make access tokens for the API
// and nothing else; the API never reads the cookie.
import { isLoopbackHost } from '../../common/addresses.ts';
import { isObject, parseJson } from '../../common/json.ts';
import { roles } from '../../proto/words/access.ts';
import { timeText } from '../domain/shared-fields.ts';
import { CallError } from '../rpc/errors.ts';
import { type Exchange, readBody, single } from '../rpc/http-request.ts';
import { clearCookie, cookieValueOf, setCookie } from './cookie.ts';
import { expectOwnPage } from './same-site.ts';
import { type Browser, renew, type SignInDeps, signInWithLink, signInWithToken, signOut } from './sign-in.ts';
import type { Site } from './site.ts';

export interface EndpointDeps extends SignInDeps {
  /** Whether links sign in: only in a gateway that runs as one process. */
  readonly links: boolean;
}

/** What a path responds with. */
export interface AuthResponse {
  /** Undefined: status 204. */
  readonly body?: object;
  readonly setCookie?: string;
}

interface Request {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly cookieName: string;
  readonly browser: Browser;
}

type Endpoint = (deps: EndpointDeps, request: Request) => Promise<AuthResponse>;

/** By the path below `auth/`. */
const endpoints = { token, start, link, logout } as const satisfies Record<string, Endpoint>;
export type EndpointName = keyof typeof endpoints;

export function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

/** @throws CallError, StoreUnavailableError */
export async function callEndpoint(
  deps: EndpointDeps,
  name: EndpointName,
  exchange: Exchange,
  site: Site,
): Promise<AuthResponse> {
  const { request, from } = exchange;
  expectOwnPage(request, site);
  const { cookieName } = site;
  if (cookieName === undefined) {
    throw new CallError(
      'tls_required',
      'people sign in over https, or over http on this machine (GATEWAY_CONSOLE_URL)',
    );
  }
  const cookie = cookieValueOf(request.headersDistinct.cookie?.join('; '), cookieName);
  const browser = { from, userAgent: single(request, 'user-agent') ?? '', cookie };
  return await endpoints[name](deps, { exchange, site, cookieName, browser });
}

async function token(deps: EndpointDeps, { site, cookieName, browser }: Request): Promise<AuthResponse> {
  const { accessToken, tokenEndsAt, cookie, session } = await renew(deps, browser);
  const { personId, name, role, organizationId } = session;
  return {
    body: {
      accessToken,
      expiresAt: timeText(tokenEndsAt),
      person: { id: personId, name, role: roles.names[role], ...(organizationId !== undefined && { organizationId }) },
    },
    ...(cookie !== undefined && { setCookie: setCookie(site, cookieName, cookie) }),
  };
}

async function start(deps: EndpointDeps, request: Request): Promise<AuthResponse> {
  const cookie = await signInWithToken(deps, await textOf(request, 'operatorToken'), request.browser);
  return { setCookie: setCookie(request.site, request.cookieName, cookie) };
}

async function link(deps: EndpointDeps, request: Request): Promise<AuthResponse> {
  // The person who runs the gateway on this machine may use its link, and nobody beyond it.
  if (!deps.links || !isLoopbackHost(request.browser.from)) {
    throw new CallError('link_unavailable', 'links sign in only on the machine of a gateway that runs as one process');
  }
  const cookie = await signInWithLink(deps, await textOf(request, 'link'), request.browser);
  return { setCookie: setCookie(request.site, request.cookieName, cookie) };
}

async function logout(deps: EndpointDeps, { site, cookieName, browser }: Request): Promise<AuthResponse> {
  await signOut(deps, browser);
  return { setCookie: clearCookie(site, cookieName) };
}

const bodyBytesMax = 4096;

/** The only field of the body. @throws CallError; its message contains nothing of the body */
async function textOf({ exchange }: Request, field: string): Promise<string> {
  const value = parseJson(await readBody(exchange.request, bodyBytesMax));
  const text = isObject(value) && Object.keys(value).length === 1 ? value[field] : undefined;
  if (typeof text === 'string') return text;
  throw new CallError('invalid_request', `the body must be {"${field}": "…"}`);
}
