// Verifies JSON Web Tokens of outside issuers with keys that each issuer publishes. Requests to issuers follow the rule
// for issuers of the console (outgoing.ts). Keys are used for ten minutes; an unknown key id fetches them again, at most
// once a minute, so that no caller makes the gateway call an issuer often.
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JWTHeaderParameters, jwtVerify } from 'jose';
import { isObject, parseJson } from '../../common/json.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { Claims } from '../domain/trust.ts';
import { CallError } from '../rpc/errors.ts';
import type { IssuerNetwork } from './outgoing.ts';
import { signatureAlgorithms } from './signature-algorithms.ts';

export interface OutsideTokensDeps {
  readonly network: IssuerNetwork;
  readonly now: () => number;
}

/** An issuer as one organization trusts it. */
export interface OutsideIssuer {
  /** Exactly as tokens have it in `iss`. */
  readonly issuer: string;
  readonly organizationId: string;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface Fetched {
  /** Undefined: the issuer did not respond, or not with keys. */
  readonly keys: Promise<KeySet | undefined>;
  readonly triedAt: number;
  /** When the issuer sent the keys. */
  readAt: number;
}

const keysMs = 10 * 60_000;
const refetchMs = 60_000;
/** So long nobody calls an issuer again that failed. */
const failedMs = 5_000;
const issuersMax = 500;
const clockToleranceSeconds = 60;

export class OutsideTokens {
  readonly #deps: OutsideTokensDeps;
  /** By organization and issuer: what one may reach says nothing of another. */
  readonly #fetched = lruCache<Fetched>(issuersMax);

  constructor(deps: OutsideTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Verifies signature, issuer and times. The audience is left to the trust row.
   * @returns the claims; `exp` is a number
   * @throws CallError exchange_refused, issuer_unavailable
   */
  async verify(token: string, from: OutsideIssuer): Promise<Claims> {
    const keyFor = (header: JWTHeaderParameters, part: FlattenedJWSInput) => this.#key(from, header, part);
    try {
      const { payload } = await jwtVerify(token, keyFor, {
        algorithms: [...signatureAlgorithms],
        issuer: from.issuer,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.#deps.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      // The library's message may repeat what the token contains.
      throw new CallError(
        'exchange_refused',
        `the token’s signature, issuer or times are not accepted (${error.code})`,
      );
    }
  }

  async #key(from: OutsideIssuer, header: JWTHeaderParameters, part: FlattenedJWSInput) {
    const keys = await this.#keys(from, false);
    try {
      return await keys(header, part);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return await (await this.#keys(from, true))(header, part);
    }
  }

  /** @param isKeyMissing whether a token names a key that is not among them @throws CallError issuer_unavailable */
  async #keys(from: OutsideIssuer, isKeyMissing: boolean): Promise<KeySet> {
    const name = `${from.organizationId} ${from.issuer}`;
    const now = this.#deps.now();
    const known = this.#fetched.get(name);
    const keys = await known?.keys;
    const isFresh = known !== undefined && keys !== undefined && now - known.readAt < keysMs;
    const waitMs = keys === undefined ? failedMs : refetchMs;
    const isWaiting = known !== undefined && now - known.triedAt < waitMs;
    if (isFresh && (!isKeyMissing || isWaiting)) return keys;
    if (keys === undefined && isWaiting) return unavailable();
    // Another call may have begun to fetch them meanwhile.
    const latest = this.#fetched.get(name);
    const fetched =
      latest === undefined || latest === known
        ? this.#refetch(from, isFresh ? { keys, at: known.readAt } : undefined)
        : latest;
    this.#fetched.set(name, fetched);
    return (await fetched.keys) ?? unavailable();
  }

  /** An issuer that is silent for a moment takes no keys away that still count. */
  #refetch(from: OutsideIssuer, former: { readonly keys: KeySet; readonly at: number } | undefined): Fetched {
    const now = this.#deps.now();
    const fetched: Fetched = {
      ...{ triedAt: now, readAt: now },
      keys: this.#fetch(from).catch(() => {
        fetched.readAt = former?.at ?? now;
        return former?.keys;
      }),
    };
    return fetched;
  }

  async #fetch({ issuer, organizationId }: OutsideIssuer): Promise<KeySet> {
    const fetch = this.#deps.network.fetchFor(organizationId);
    const read = async (url: string) => {
      const response = await fetch(url, { method: 'GET', headers: { accept: 'application/json' } });
      const document = response.status === 200 ? parseJson(await response.text()) : undefined;
      if (!isObject(document)) throw new Error('the issuer sent no JSON object');
      return document;
    };
    const configuration = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    // Another issuer's configuration would bring another issuer's keys.
    if (configuration.issuer !== issuer || typeof configuration.jwks_uri !== 'string') throw new Error('wrong issuer');
    const { keys } = await read(configuration.jwks_uri);
    if (!Array.isArray(keys)) throw new Error('the issuer sent no keys');
    return createLocalJWKSet({ keys });
  }
}

function unavailable(): never {
  throw new CallError('issuer_unavailable', 'the issuer’s keys cannot be read');
}
