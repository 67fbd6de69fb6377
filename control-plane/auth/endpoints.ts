// The paths of the console that sign people in: the only place that reads a cookie. They make access tokens for the API
// and nothing else; the API never reads the cookie.
import { isLoopbackHost } from '../../common/addresses.ts';
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';
import { roles } from '../../proto/words/access.ts';
import { name as nameField, timeText } from '../domain/shared-fields.ts';
import { CallError } from '../rpc/errors.ts';
import { type Exchange, expectJson, readBody, single } from '../rpc/http-request.ts';
import { clearCookie, cookieValueOf, setCookie } from './cookie.ts';
import type { Browser } from './deps.ts';
import { type RealmRequest, realmOf } from './home-realm.ts';
import {
  beginLogin,
  endByIssuer,
  finishLogin,
  type IssuerDeps,
  issuerOfSession,
  issuersLogout,
} from './issuer-sign-in.ts';
import { fetchToken, startDevice } from './programs.ts';
import { expectOwnPage } from './same-site.ts';
import { renew, signInWithLink, signInWithToken, signOut } from './sign-in.ts';
import type { Site } from './site.ts';

export interface EndpointDeps extends IssuerDeps {
  /** Whether links sign in: only in a gateway that runs as one process. */
  readonly links: boolean;
}

/** What a path responds with. */
export interface AuthResponse {
  /** Undefined: status 204. */
  readonly body?: object;
  readonly cookies?: readonly string[];
  /** Where the browser goes: status 302. */
  readonly location?: string;
}

interface Request {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly cookieName: string;
  readonly browser: Browser;
}

type Endpoint = (deps: EndpointDeps, request: Request) => Promise<AuthResponse>;

/** By the path below `auth/`. */
const endpoints = { token, start, link, logout, issuers } as const satisfies Record<string, Endpoint>;
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
  const signedInAt = await issuerOfSession(deps, session.id, browser);
  return {
    body: {
      accessToken,
      expiresAt: timeText(tokenEndsAt),
      person: { id: personId, name, role: roles.names[role], ...(organizationId !== undefined && { organizationId }) },
      // For signing in again there.
      ...signedInAt,
    },
    ...(cookie !== undefined && { cookies: [setCookie(site, cookieName, cookie)] }),
  };
}

/** With an operator token, or at an issuer: then the response says where the browser goes. */
async function start(deps: EndpointDeps, request: Request): Promise<AuthResponse> {
  const { site, cookieName, browser } = request;
  const body = await bodyOf(request);
  if (typeof body.operatorToken === 'string' && Object.keys(body).length === 1) {
    const cookie = await signInWithToken(deps, body.operatorToken, browser);
    return { cookies: [setCookie(site, cookieName, cookie)] };
  }
  if (!site.isNamed)
    throw new CallError('invalid_request', 'set GATEWAY_CONSOLE_URL, to which issuers send browsers back');
  const { issuerId, returnPath = '', again = false, invitation = '', organization: slug = '' } = body;
  const areTexts = typeof issuerId === 'string' && typeof returnPath === 'string' && typeof invitation === 'string';
  if (!areTexts || typeof again !== 'boolean' || typeof slug !== 'string') {
    throw new CallError('invalid_request', 'the body must be {"operatorToken": "…"} or {"issuerId": "…"}');
  }
  const { url, login } = await beginLogin(
    deps,
    {
      ...{ issuerId, returnPath, again, slug, redirectUri: callbackUrl(site, issuerId) },
      invitation: isWellFormedCredential('invitation', invitation) ? hashCredential(invitation) : '',
    },
    browser,
  );
  return { body: { redirect: url.href }, cookies: [setCookie(site, loginCookie(cookieName), login)] };
}

/** The issuers that a sign-in page offers; of an organization that does not exist none. */
async function issuers(deps: EndpointDeps, request: Request): Promise<AuthResponse> {
  return { body: await realmOf(deps, realmRequest(await bodyOf(request)), request.browser) };
}

const realmFields = { organizationId: 'id', organization: 'slug', email: 'email', invitation: 'invitation' } as const;

/** @throws CallError */
function realmRequest(body: JsonObject): RealmRequest {
  const given = Object.entries(realmFields).flatMap(([field, by]) => {
    const text = body[field];
    return typeof text === 'string' ? [{ by, text }] : [];
  });
  const [first = { by: 'platform' } as const] = given;
  if (given.length <= 1 && Object.keys(body).length === given.length) return first;
  throw new CallError(
    'invalid_request',
    'the body must be {} or have one of organizationId, organization, email, invitation',
  );
}

/** The issuer sends the browser back here. @throws CallError sign_in_refused, issuer_unavailable, too_many_requests */
export async function callback(
  deps: EndpointDeps,
  issuerId: string,
  { request, from }: Exchange,
  site: Site,
): Promise<AuthResponse> {
  const { cookieName } = site;
  if (cookieName === undefined) throw noPlainHttp();
  const cookies = request.headersDistinct.cookie?.join('; ');
  const browser = { from, userAgent: single(request, 'user-agent') ?? '', cookie: cookieValueOf(cookies, cookieName) };
  const login = cookieValueOf(cookies, loginCookie(cookieName), sealedPattern);
  const url = new URL(callbackUrl(site, issuerId));
  url.search = (request.url ?? '').split('?').slice(1).join('?');
  const { cookie, returnPath } = await finishLogin(deps, { issuerId, login, url }, browser);
  return {
    location: `${site.base}${returnPath}`,
    cookies: [setCookie(site, cookieName, cookie), clearCookie(site, loginCookie(cookieName))],
  };
}

/** The issuer itself sends this, without a browser. @throws CallError invalid_request, issuer_unavailable, too_many_requests */
export async function backchannelLogout(
  deps: EndpointDeps,
  issuerId: string,
  { request, from }: Exchange,
): Promise<AuthResponse> {
  if (request.method !== 'POST') throw new CallError('method_not_allowed', 'this path is called with POST');
  const tokens = new URLSearchParams(await readBody(request, logoutBytesMax)).getAll('logout_token');
  const [logoutToken = ''] = tokens;
  if (tokens.length !== 1) throw new CallError('invalid_request', 'the body must be logout_token=…');
  await endByIssuer(deps, issuerId, logoutToken, { from, userAgent: '', cookie: undefined });
  return { body: {} };
}

/**
 * Programs that sign in through a person's browser. They send no cookie, and no page can read the response.
 * @throws CallError
 */
export async function callProgramEndpoint(
  deps: EndpointDeps,
  name: ProgramEndpointName,
  { request, from }: Exchange,
  site: Site,
): Promise<AuthResponse> {
  if (request.method !== 'POST') throw new CallError('method_not_allowed', 'this path is called with POST');
  expectJson(request);
  const body = parseJson(await readBody(request, bodyBytesMax));
  if (!isObject(body)) throw new CallError('invalid_request', 'the body must be a JSON object');
  const caller = { from, userAgent: '', cookie: undefined };
  if (name === 'device') return { body: await deviceStarted(deps, body, caller, site) };
  const { code, verifier, deviceCode } = body;
  const given = [code ?? deviceCode, ...(code === undefined ? [] : [verifier])];
  const [shown, proof] = given;
  if (typeof shown !== 'string' || (given.length === 2 && typeof proof !== 'string')) {
    throw new CallError('invalid_request', 'the body must be {"code": "…", "verifier": "…"} or {"deviceCode": "…"}');
  }
  const { endsAt, ...issued } = await fetchToken(deps, shown, typeof proof === 'string' ? proof : undefined, caller);
  return { body: { ...issued, expiresAt: timeText(endsAt) } };
}

export type ProgramEndpointName = 'device' | 'exchange';

async function deviceStarted(deps: EndpointDeps, body: JsonObject, caller: Browser, site: Site): Promise<object> {
  const field = typeof body.name === 'string' ? nameField(body.name) : undefined;
  if (field === undefined || !('value' in field)) {
    throw new CallError('invalid_request', 'the body must be {"name": "…"}, the program as the person will see it');
  }
  const started = await startDevice(deps, field.value, caller);
  return { ...started, verificationUri: `${site.origin}${site.base}device` };
}

const logoutBytesMax = 32 * 1024;
const sealedPattern = /^[A-Za-z0-9_-]{1,4000}$/;

function callbackUrl({ origin, base }: Site, issuerId: string): string {
  return `${origin}${base}auth/callback/${issuerId}`;
}

function loginCookie(cookieName: string): string {
  return `${cookieName}-login`;
}

async function link(deps: EndpointDeps, request: Request): Promise<AuthResponse> {
  // The person who runs the gateway on this machine may use its link, and nobody beyond it.
  if (!deps.links || !isLoopbackHost(request.browser.from)) {
    throw new CallError('link_unavailable', 'links sign in only on the machine of a gateway that runs as one process');
  }
  const cookie = await signInWithLink(deps, await textOf(request, 'link'), request.browser);
  return { cookies: [setCookie(request.site, request.cookieName, cookie)] };
}

/** Where the issuer has a page that ends its own session, the response says where the browser goes. */
async function logout(deps: EndpointDeps, { site, cookieName, browser }: Request): Promise<AuthResponse> {
  const session = await signOut(deps, browser);
  const url = session && (await issuersLogout(deps, session.id, `${site.origin}${site.base}`));
  return { cookies: [clearCookie(site, cookieName)], ...(url !== undefined && { body: { redirect: url.href } }) };
}

const bodyBytesMax = 4096;

/** The only field of the body. @throws CallError; its message contains nothing of the body */
async function textOf(request: Request, field: string): Promise<string> {
  const body = await bodyOf(request);
  const text = Object.keys(body).length === 1 ? body[field] : undefined;
  if (typeof text === 'string') return text;
  throw new CallError('invalid_request', `the body must be {"${field}": "…"}`);
}

async function bodyOf({ exchange }: Request): Promise<JsonObject> {
  const value = parseJson(await readBody(exchange.request, bodyBytesMax));
  if (isObject(value)) return value;
  throw new CallError('invalid_request', 'the body must be a JSON object');
}

function noPlainHttp(): CallError {
  return new CallError('tls_required', 'people sign in over https, or over http on this machine (GATEWAY_CONSOLE_URL)');
}
