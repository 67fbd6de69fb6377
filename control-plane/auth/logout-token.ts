// Logout tokens of OpenID Connect back-channel logout 1.0: signed by the issuer, for this client, no ID token in
// disguise.
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { isObject } from '../../common/json.ts';
import { CallError } from '../rpc/errors.ts';
import type { IssuerFetch } from './outgoing.ts';
import { signatureAlgorithms } from './signature-algorithms.ts';

export interface IssuerLogout {
  /** The token's id, to be spent. */
  readonly id: string;
  /** The issuer's id of its session; undefined: all sessions of the subject. */
  readonly session: string | undefined;
  readonly subject: string | undefined;
}

export interface LogoutTokenChecks {
  readonly issuer: string;
  readonly audience: string;
  readonly keysUrl: URL;
  readonly fetch: IssuerFetch;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const event = 'http://schemas.openid.net/event/backchannel-logout';
const timeoutMs = 5_000;

/** @throws CallError invalid_request */
export async function verifyLogoutToken(token: string, checks: LogoutTokenChecks): Promise<IssuerLogout> {
  const { issuer, audience, keysUrl, fetch, now } = checks;
  const keys = createRemoteJWKSet(keysUrl, {
    timeoutDuration: timeoutMs,
    [customFetch]: (url, { method, headers, signal }) =>
      fetch(url, { method, headers: Object.fromEntries(new Headers(headers)), signal }),
  });
  try {
    const { payload } = await jwtVerify(token, keys, {
      ...{
        issuer,
        audience,
        algorithms: [...signatureAlgorithms],
        clockTolerance: 60,
        maxTokenAge: '10m',
        currentDate: new Date(now),
      },
      requiredClaims: ['iat', 'jti', 'events'],
    });
    const { jti, sid, sub, events, nonce } = payload;
    const isLogout = isObject(events) && isObject(events[event]) && nonce === undefined;
    const session = typeof sid === 'string' ? sid : undefined;
    if (jti !== undefined && isLogout && (session ?? sub) !== undefined) return { id: jti, session, subject: sub };
  } catch (error) {
    if (!(error instanceof errors.JOSEError))
      throw new CallError('issuer_unavailable', 'the issuer’s keys cannot be read');
  }
  throw new CallError('invalid_request', 'it is no logout token of this issuer');
}
