// Logouts that an issuer reports (back-channel logout): which sessions end, and which tokens are refused.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssuer, issuerPlane, LoginBrowser } from '../../support/login-browser.ts';
import { createSigningKey, type OidcIssuer, oidcClientId, startOidcIssuer } from '../../support/oidc-issuer.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let acme: TestTenant;
let issuer: OidcIssuer;
let issuerId: string;
const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };

beforeAll(async () => {
  issuer = await startOidcIssuer();
  plane = await startOperatorsPlane(issuerPlane(issuer));
  acme = await createTenant(plane, await bootstrap(plane), 'acme');
  issuerId = await createIssuer(plane, acme, issuer);
  for (const name of ['hal', 'ida']) issuer.accounts.set(name, { name, groups: ['admins'] });
});
afterAll(async () => {
  await issuer.close();
  await plane.close();
});

/** A browser with a session, which the issuer knows by this id. */
async function signedIn(subject: string, sid?: string): Promise<LoginBrowser> {
  const browser = new LoginBrowser(plane, issuerId);
  const callback = await browser.toCallback(subject);
  issuer.forge((claims) => ({ ...claims, ...(sid !== undefined && { sid }) }));
  expect(await browser.callback(callback)).toBe('/console/');
  issuer.faults.clear();
  return browser;
}

function claims(of: object): object {
  const iat = Math.floor(Date.now() / 1000);
  return { iss: issuer.url, aud: oidcClientId, iat, exp: iat + 120, jti: randomUUID(), events: event, ...of };
}

async function report(token: string): Promise<number> {
  const url = `http://127.0.0.1:${plane.plane.httpPort}/console/auth/backchannel-logout/${issuerId}`;
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
  await response.text();
  return response.status;
}

const statusOf = async (browser: LoginBrowser) => (await browser.token()).status;

describe('a logout that an issuer reports', () => {
  it('ends the one session that it names', async () => {
    const [one, two] = [await signedIn('hal', 'session-1'), await signedIn('hal', 'session-2')];
    expect(await report(issuer.sign(claims({ sid: 'session-1' })))).toBe(200);
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200]);
  });

  it('ends all sessions of the subject, and nobody else’s', async () => {
    const [one, two, other] = [await signedIn('hal', 'a'), await signedIn('hal'), await signedIn('ida', 'a')];
    expect(await report(issuer.sign(claims({ sub: 'hal' })))).toBe(200);
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([401, 401, 200]);
    const { events } = await plane.expect('Audit.List', acme.owner.token, {
      ...{ organizationId: acme.id, action: 'Sessions.EndByIssuer' },
    });
    expect(JSON.parse(events[0].after).sessionsEnded).toBeGreaterThanOrEqual(2);
  });

  it('works once', async () => {
    const token = issuer.sign(claims({ sub: 'hal' }));
    expect(await report(token)).toBe(200);
    const browser = await signedIn('hal');
    expect(await report(token)).not.toBe(200);
    expect(await statusOf(browser)).toBe(200);
  });

  const foreign = createSigningKey('foreign');
  it.each<[string, () => string]>([
    ['of another issuer', () => issuer.sign(claims({ sub: 'hal', iss: 'https://evil.example' }))],
    ['for another client', () => issuer.sign(claims({ sub: 'hal', aud: 'another' }))],
    ['that has ended', () => issuer.sign(claims({ sub: 'hal', iat: 1, exp: 2 }))],
    ['with a nonce, as an ID token has', () => issuer.sign(claims({ sub: 'hal', nonce: 'x' }))],
    ['without the event', () => issuer.sign(claims({ sub: 'hal', events: {} }))],
    ['without an id', () => issuer.sign(claims({ sub: 'hal', jti: undefined }))],
    ['that names nobody', () => issuer.sign(claims({}))],
    ['with a foreign key', () => issuer.sign(claims({ sub: 'hal' }), { key: { ...foreign, kid: 'first' } })],
    ['without a signature', () => issuer.sign(claims({ sub: 'hal' }), { alg: 'none' })],
    ['that is none', () => 'x.y.z'],
  ])('is refused with a token %s', async (_what, token) => {
    const browser = await signedIn('hal');
    expect(await report(token())).toBe(400);
    expect(await statusOf(browser)).toBe(200);
  });
});
