// Tokens that Keycloak issues to a program outside the gateway, which signs a person in by the code flow.
import { createHash, randomBytes } from 'node:crypto';
import { realmName } from './realm.ts';

export const tokenPath = `/realms/${realmName}/protocol/openid-connect/token`;

export interface TokenRequest {
  /** Of Keycloak, as the gateway calls it. */
  readonly base: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly username: string;
  readonly password: string;
}

/** @returns the response of the token endpoint @throws Error if Keycloak refuses the login */
export async function issueTokens(of: TokenRequest): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`/realms/${realmName}/protocol/openid-connect/auth`, of.base);
  const query = {
    ...{ client_id: of.clientId, redirect_uri: of.redirectUri, nonce: of.nonce, state: 'x' },
    ...{ response_type: 'code', scope: 'openid email profile', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  };
  url.search = String(new URLSearchParams(query));
  const page = await fetch(url, { redirect: 'manual' });
  const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(await page.text()) ?? [];
  const cookie = page.headers.getSetCookie().map((set) => set.split(';')[0]);
  const login = await fetch(action.replaceAll('&amp;', '&'), {
    ...{ method: 'POST', redirect: 'manual', headers: { cookie: cookie.join('; ') } },
    body: new URLSearchParams({ username: of.username, password: of.password, credentialId: '' }),
  });
  const back = login.headers.get('location');
  if (back === null) throw new Error(`Keycloak refused the login: ${login.status}`);
  const form = {
    ...{ grant_type: 'authorization_code', code: new URL(back).searchParams.get('code') ?? '' },
    ...{ client_id: of.clientId, client_secret: of.clientSecret },
    ...{ redirect_uri: of.redirectUri, code_verifier: verifier },
  };
  const response = await fetch(new URL(tokenPath, of.base), { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Keycloak issued no tokens: ${response.status} ${text}`);
  return text;
}
