// Access tokens for the key of a service account: a signed assertion is exchanged for a token that is valid for an
// hour. Source: RFC 7523 and developers.google.com/identity/protocols/oauth2/service-account. A token stays in memory
// until shortly before it expires. The assertion goes to the address in the key file, under the rule for all addresses
// that organizations choose.
import { createPrivateKey, sign } from 'node:crypto';
import type { GuardedPost } from '../../../common/guarded-request.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import type { Secret } from '../../../common/secret.ts';
import type { ShareOwner } from '../../../common/shares.ts';
import { ServiceFailedError } from '../service.ts';

export interface AccessTokensDeps {
  readonly post: GuardedPost;
  /** Milliseconds since 1970. */
  now(): number;
}

interface TokenRequest {
  readonly scope: string;
  readonly owner: ShareOwner;
  readonly signal: AbortSignal;
}

const lifeSeconds = 3600;
/** A token is not used when it expires this soon. */
const marginMs = 60_000;

export class AccessTokens {
  readonly #account: Secret;
  readonly #deps: AccessTokensDeps;
  #known: { readonly token: string; readonly until: number } | undefined;

  constructor(account: Secret, deps: AccessTokensDeps) {
    this.#account = account;
    this.#deps = deps;
  }

  /** @throws ServiceFailedError, or the error of the connection */
  async token({ scope, owner, signal }: TokenRequest): Promise<string> {
    const now = this.#deps.now();
    if (this.#known !== undefined && now < this.#known.until) return this.#known.token;
    const { url, assertion } = this.#assertion(scope, now);
    const { status, body } = await this.#deps.post(
      {
        url,
        owner,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion,
        }).toString(),
      },
      signal,
    );
    const response = parseJson(body.toString('utf8'));
    const reported = isObject(response) ? response.access_token : undefined;
    if (status !== 200 || typeof reported !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(reported))
      throw new ServiceFailedError('refused');
    this.#known = { token: reported, until: now + lifeSeconds * 1000 - marginMs };
    return reported;
  }

  #assertion(scope: string, now: number): { readonly url: string; readonly assertion: string } {
    const file = parseJson(this.#account.reveal());
    const { client_email: iss, private_key: key, token_uri: aud } = isObject(file) ? file : {};
    if (typeof iss !== 'string' || typeof key !== 'string' || typeof aud !== 'string')
      throw new ServiceFailedError('no_key');
    const iat = Math.floor(now / 1000);
    const claims = { iss, aud, scope, iat, exp: iat + lifeSeconds };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
    return { url: aud, assertion: `${signed}.${signature(signed, key)}` };
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Errors of the library are not passed on, because they may repeat their input. */
function signature(text: string, key: string): string {
  try {
    return sign('RSA-SHA256', Buffer.from(text), createPrivateKey(key)).toString('base64url');
  } catch {
    throw new ServiceFailedError('no_key');
  }
}
