// OpenID Connect: the code flow with PKCE, state and nonce. The library checks the protocol; here are the choices. The
// signature of each ID token is verified, with keys of the issuer that are fetched again for an unknown one.
import * as client from 'openid-client';
import type { SealKeys } from '../../common/seal.ts';
import { importClientKey } from '../domain/client-key.ts';
import { CallError } from '../rpc/errors.ts';
import { entraSubject, isEntra } from './entra.ts';
import { type IssuerRow, openClientSecret } from './issuer.ts';
import type { LoginSecrets } from './login.ts';
import { type IssuerLogout, verifyLogoutToken } from './logout-token.ts';
import type { IssuerNetwork } from './outgoing.ts';

export interface OidcDeps {
  readonly network: IssuerNetwork;
  readonly masterKeys: SealKeys;
  readonly now: () => number;
}

/** A verified identity. */
export interface Identity {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The e-mail address, if the issuer vouches for it. */
  readonly email: string | undefined;
  /** The address that it states; never Entra's, where administrators of a tenant give any address to anybody. */
  readonly statedEmail: string | undefined;
  /** When the person proved who they are, in milliseconds since 1970; 0 if the issuer does not say. */
  readonly authenticatedAt: number;
  /** The issuer's id of its session. */
  readonly session: string | undefined;
}

const configurationMs = 10 * 60_000;
const configurationsMax = 500;
const timeoutSeconds = 5;
const clockToleranceSeconds = 60;
/** A person who signs in again has just proved who they are. */
const againSeconds = 120;

interface Known {
  readonly configuration: client.Configuration;
  readonly until: number;
}

export class Oidc {
  readonly #deps: OidcDeps;
  /** By id and revision: a changed issuer is read anew. */
  readonly #known = new Map<string, Known>();

  constructor(deps: OidcDeps) {
    this.#deps = deps;
  }

  /** Where the browser is sent. @throws CallError issuer_unavailable */
  async authorizationUrl(issuer: IssuerRow, redirectUri: string, secrets: LoginSecrets): Promise<URL> {
    const configuration = await this.#configuration(issuer);
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      state: secrets.state,
      nonce: secrets.nonce,
      ...(secrets.again && { prompt: 'login', max_age: '0' }),
    });
    this.#expectAllowed(url, issuer);
    return url;
  }

  /**
   * Exchanges the code for an ID token and verifies it: signature, issuer, audience, nonce, times.
   * @param callback the URL with the issuer's parameters, below the redirect URI
   * @throws CallError issuer_unavailable, sign_in_refused
   */
  async identity(issuer: IssuerRow, callback: URL, secrets: LoginSecrets): Promise<Identity> {
    const configuration = await this.#configuration(issuer);
    let claims: client.IDToken | undefined;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.verifier,
        idTokenExpected: true,
        ...(secrets.again && { maxAge: againSeconds }),
      });
      claims = await withUserInfo(configuration, tokens.access_token, tokens.claims());
    } catch (error) {
      // The library's message may repeat what the issuer or the browser sent.
      throw new CallError('sign_in_refused', `the issuer’s response is not accepted (${codeOf(error)})`);
    }
    if (claims === undefined) throw new CallError('sign_in_refused', 'the issuer sent no ID token');
    const { sub, sid, auth_time: authTime } = claims;
    return {
      subject: subjectOf(claims, sub),
      claims,
      email: claims.email_verified === true ? statedEmail(claims) : undefined,
      statedEmail: statedEmail(claims),
      authenticatedAt: typeof authTime === 'number' ? Math.min(authTime * 1000, this.#deps.now()) : 0,
      session: typeof sid === 'string' ? sid : undefined,
    };
  }

  /** Where the browser ends the issuer's session; undefined if the issuer has no such page, or is silent. */
  async endSessionUrl(issuer: IssuerRow, back: string): Promise<URL | undefined> {
    try {
      const configuration = await this.#configuration(issuer);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const url = client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back });
      this.#expectAllowed(url, issuer);
      return url;
    } catch (error) {
      if (error instanceof CallError) return undefined;
      throw error;
    }
  }

  /** Verifies a logout token of the issuer. @throws CallError invalid_request, issuer_unavailable */
  async logout(issuer: IssuerRow, token: string): Promise<IssuerLogout> {
    const configuration = await this.#configuration(issuer);
    const { issuer: name, jwks_uri: keysUrl } = configuration.serverMetadata();
    if (keysUrl === undefined) throw new CallError('issuer_unavailable', 'the issuer names no keys');
    return await verifyLogoutToken(token, {
      ...{ issuer: name, audience: issuer.client_id, keysUrl: new URL(keysUrl), now: this.#deps.now() },
      fetch: this.#deps.network.fetchFor(issuer.organization_id),
    });
  }

  #expectAllowed(url: URL, issuer: IssuerRow): void {
    if (this.#deps.network.allowsUrl(url, issuer.organization_id)) return;
    throw new CallError('issuer_unavailable', 'the issuer leads to an address that is not allowed');
  }

  async #configuration(issuer: IssuerRow): Promise<client.Configuration> {
    const { now } = this.#deps;
    const key = `${issuer.id} ${issuer.revision}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now()) return known.configuration;
    const configuration = await this.#discover(issuer);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= configurationsMax && oldest !== undefined) this.#known.delete(oldest);
    this.#known.delete(key);
    this.#known.set(key, { configuration, until: now() + configurationMs });
    return configuration;
  }

  async #discover(issuer: IssuerRow): Promise<client.Configuration> {
    const { network, masterKeys } = this.#deps;
    const url = new URL(issuer.url);
    try {
      const configuration = await client.discovery(
        url,
        issuer.client_id,
        { [client.clockTolerance]: clockToleranceSeconds },
        await clientAuthentication(issuer, openClientSecret(masterKeys, issuer)),
        {
          [client.customFetch]: network.fetchFor(issuer.organization_id),
          timeout: timeoutSeconds,
          execute: [
            client.enableNonRepudiationChecks,
            ...(network.isListed(url, issuer.organization_id) ? [client.allowInsecureRequests] : []),
          ],
        },
      );
      return configuration;
    } catch (error) {
      throw new CallError('issuer_unavailable', `the issuer’s configuration cannot be read (${codeOf(error)})`);
    }
  }
}

async function clientAuthentication(issuer: IssuerRow, secret: string | undefined): Promise<client.ClientAuth> {
  if (secret === undefined) return client.None();
  if (issuer.secret_kind === 'secret') return client.ClientSecretPost(secret);
  const key = await importClientKey(secret);
  return client.PrivateKeyJwt(issuer.key_id === null ? key : { key, kid: issuer.key_id });
}

/** An issuer that follows the specification closely sends the address and the name at another URL. */
async function withUserInfo(
  configuration: client.Configuration,
  accessToken: string,
  claims: client.IDToken | undefined,
): Promise<client.IDToken | undefined> {
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
  if (claims === undefined || claims.email !== undefined || endpoint === undefined) return claims;
  const more = await client.fetchUserInfo(configuration, accessToken, claims.sub);
  return { ...more, ...claims };
}

/** At Entra `sub` differs by client; the person is `tid` and `oid`. */
function subjectOf(claims: client.IDToken, sub: string): string {
  const { tid, oid } = claims;
  return isEntra(claims.iss) && typeof tid === 'string' && typeof oid === 'string' ? entraSubject(tid, oid) : sub;
}

function statedEmail(claims: client.IDToken): string | undefined {
  return typeof claims.email === 'string' && !isEntra(claims.iss) ? claims.email : undefined;
}

/** The library's code, such as OAUTH_JWT_CLAIM_COMPARISON_FAILED; never its message. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no response';
}
