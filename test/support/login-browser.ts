// Browsers that sign in at an issuer: the console's cookies, and the redirects that a test follows one by one.
import { expect } from 'vitest';
import { IssuerBrowser, type OidcIssuer, oidcClientId } from './oidc-issuer.ts';
import { freshName, type JsonResponse, type OperatorsPlane, type TestTenant } from './operators.ts';

/** Where a refused login leads. */
export const refusedTo = '../../?error=sign_in_refused';

/** A browser at the console: its cookies, and the redirects that it does not follow. */
export class LoginBrowser {
  readonly #port: number;
  readonly #issuerId: string;
  readonly cookies = new Map<string, string>();

  constructor({ plane }: OperatorsPlane, issuerId: string) {
    this.#port = plane.httpPort;
    this.#issuerId = issuerId;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, cookie, connection: 'close' };
    const url = new URL(path, `http://127.0.0.1:${this.#port}/console/`);
    const response = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  async post(path: string, body: object): Promise<{ readonly status: number; readonly json: JsonResponse }> {
    // Node's fetch sends no Sec-Fetch-Site, as an old browser does.
    const headers = { 'content-type': 'application/json', origin: `http://127.0.0.1:${this.#port}` };
    const response = await this.fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  /** Goes to the issuer and signs in there. @returns the callback, which was not followed yet */
  async toCallback(subject: string, request: object = {}, at = new IssuerBrowser()): Promise<URL> {
    const { status, json } = await this.post('auth/start', { issuerId: this.#issuerId, ...request });
    if (status !== 200) throw new Error(`auth/start: ${JSON.stringify(json)}`);
    return await at.follow(json.redirect, subject);
  }

  /** @returns where the callback sends the browser */
  async callback(url: URL): Promise<string> {
    const response = await this.fetch(url.href);
    expect(response.status).toBe(302);
    return response.headers.get('location') ?? '';
  }

  async signIn(subject: string, request: object = {}, at?: IssuerBrowser): Promise<string> {
    return await this.callback(await this.toCallback(subject, request, at));
  }

  async token(): Promise<{ readonly status: number; readonly json: JsonResponse }> {
    return await this.post('auth/token', {});
  }
}

/** The person of the browser's session. */
export async function personOf(browser: LoginBrowser): Promise<JsonResponse> {
  const { status, json } = await browser.token();
  expect(status).toBe(200);
  return json.person;
}

/** Adds the issuer to the organization, with a client that may come back; its group `admins` gives the role. @returns its id */
export async function createIssuer(plane: OperatorsPlane, tenant: TestTenant, at: OidcIssuer): Promise<string> {
  const request = {
    ...{ organizationId: tenant.id, name: freshName('issuer'), url: at.url, clientId: oidcClientId },
    ...{ secret: at.clientSecret, roles: [{ claim: 'groups', value: 'admins', role: 'ROLE_ADMIN' }] },
  };
  const { id } = await plane.expect('SignIn.CreateIssuer', tenant.owner.token, request);
  at.serve([`http://127.0.0.1:${plane.plane.httpPort}/console/auth/callback/${id}`]);
  return id;
}

/** A control plane that may reach the issuers. */
export const issuerPlane = (...issuers: readonly OidcIssuer[]) => ({
  env: { GATEWAY_PRIVATE_ISSUERS: issuers.map(({ hostAndPort }) => hostAndPort).join(',') },
  rates: { sign_ins: { perMinute: 10_000, burst: 10_000 } },
});
