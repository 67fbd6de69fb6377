// An OpenID Connect issuer (oidc-provider) on this machine, with faults that a test plants in its responses. It signs
// with a key of the test, so that a forged token has a right signature.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** Changes a JSON document of the issuer. */
export type Fault = (document: Record<string, unknown>) => Record<string, unknown>;

export interface OidcIssuer {
  readonly url: string;
  readonly hostAndPort: string;
  readonly clientSecret: string;
  /** By subject. */
  readonly accounts: Map<string, Account>;
  /** By the path of the document: "/token". */
  readonly faults: Map<string, Fault>;
  /** Paths that were requested. */
  readonly requested: string[];
  /**
   * @param redirectUris where it sends browsers back
   * @param publicJwk the client's key, in place of its secret
   */
  serve(redirectUris: readonly string[], publicJwk?: object): void;
  /** Changes the ID token of the next responses, and signs it anew. */
  forge(change: (claims: Record<string, unknown>) => object, signing?: Signing): void;
  /** A signed token with these claims. */
  sign(claims: object, signing?: Signing): string;
  close(): Promise<void>;
}

export interface Signing {
  /** Default: the issuer's. */
  readonly key?: SigningKey;
  readonly alg?: string;
}

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly kid: string;
  readonly publicJwk: object;
}

interface Provider {
  callback(): (request: unknown, response: ServerResponse) => void;
}
type ProviderConstructor = new (issuer: string, configuration: object) => Provider;

export function createSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  return { privateKey, kid, publicJwk };
}

export const oidcClientId = 'gateway';

/** Listens at once; it responds after `serve`. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const key = createSigningKey('first');
  const accounts = new Map<string, Account>();
  const faults = new Map<string, Fault>();
  const requested: string[] = [];
  const clientSecret = 'a-client-secret-that-nobody-logs';
  // The package has no types.
  const name: string = 'oidc-provider';
  const { default: Provider } = (await import(name)) as { readonly default: ProviderConstructor };
  let serve: ReturnType<Provider['callback']> | undefined;
  server.on('request', (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requested.push(path);
    const fault = faults.get(path);
    if (fault !== undefined) plant(response, fault);
    if (serve === undefined) throw new Error('the issuer has no client yet');
    serve(request, response);
  });
  return {
    ...{ url, hostAndPort: `127.0.0.1:${port}`, clientSecret, accounts, faults, requested },
    serve: (redirectUris, publicJwk) => {
      serve = new Provider(url, configurationOf({ key, accounts, clientSecret, redirectUris, publicJwk })).callback();
    },
    forge: (change, signing) =>
      void faults.set('/token', (document) => ({
        ...document,
        ...(typeof document.id_token === 'string' && {
          id_token: forged(document.id_token, change, { key, ...signing }),
        }),
      })),
    sign: (claims, signing) => signed(claims, { key, ...signing }),
    close: () => closed(server),
  };
}

interface Configured {
  readonly key: SigningKey;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly publicJwk: object | undefined;
}

function configurationOf({ key, accounts, clientSecret, redirectUris, publicJwk }: Configured): object {
  const client = {
    client_id: oidcClientId,
    ...(publicJwk === undefined ? { client_secret: clientSecret } : { jwks: { keys: [publicJwk] } }),
    redirect_uris: redirectUris,
    post_logout_redirect_uris: redirectUris.map((uri) => new URL('../../', uri).href),
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: publicJwk === undefined ? 'client_secret_post' : 'private_key_jwt',
    id_token_signed_response_alg: 'ES256',
  };
  return {
    clients: [client],
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: 'ES256', use: 'sig' }] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the test'] },
    pkce: { required: () => true },
    ttl: Object.fromEntries(
      ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'].map((one) => [one, 600]),
    ),
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts.get(sub) }),
    }),
    // Nobody has to consent.
    loadExistingGrant: async (context: GrantContext) => {
      const { Grant } = context.oidc.provider;
      const grant = new Grant({ clientId: context.oidc.client.clientId, accountId: context.oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

interface GrantContext {
  readonly oidc: {
    readonly provider: { readonly Grant: new (of: object) => Grant };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

/** Changes the document when the response ends. */
function plant(response: ServerResponse, fault: Fault): void {
  const end = response.end.bind(response);
  response.end = ((body: string | Buffer) => {
    const changed = JSON.stringify(fault(JSON.parse(String(body))));
    response.setHeader('content-length', Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}

function forged(
  token: string,
  change: (claims: Record<string, unknown>) => object,
  signing: Signing & { readonly key: SigningKey },
): string {
  return signed(change(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())), signing);
}

/** A JSON Web Token. */
export function signed(claims: object, { key, alg = 'ES256' }: Signing & { readonly key: SigningKey }): string {
  const encoded = [{ alg, kid: key.kid, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const content = encoded.join('.');
  if (alg === 'none') return `${content}.`;
  const signature = sign('sha256', Buffer.from(content), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** A browser at the issuer: it follows redirects there and signs in as the subject. */
export class IssuerBrowser {
  readonly #cookies = new Map<string, string>();

  /** @returns the URL of another host to which the issuer sends the browser */
  async follow(start: string, subject: string): Promise<URL> {
    const home = new URL(start).origin;
    let url = new URL(start);
    for (let step = 0; step < 10; step++) {
      const response = await this.#fetch(url);
      const location = response.headers.get('location');
      if (location !== null) url = new URL(location, url);
      else if (url.pathname.startsWith('/interaction/')) url = await this.#signIn(url, subject);
      else throw new Error(`${response.status} at ${url.pathname}: ${(await response.text()).slice(0, 500)}`);
      if (url.origin !== home) return url;
    }
    throw new Error('the issuer sends the browser around');
  }

  async #signIn(url: URL, subject: string): Promise<URL> {
    const body = new URLSearchParams({ prompt: 'login', login: subject, password: 'any' });
    const response = await this.#fetch(url, { method: 'POST', body });
    return new URL(response.headers.get('location') ?? '', url);
  }

  async #fetch(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie, connection: 'close' } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
