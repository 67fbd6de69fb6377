// Faults of issuers and attacks on logins, one planted for each check of the protocol, against oidc-provider; and the
// addresses to which issuers may lead.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createIssuer, LoginBrowser, refusedTo } from '../../support/login-browser.ts';
import { createSigningKey, type OidcIssuer, oidcClientId } from '../../support/oidc-issuer.ts';
import {
  createTenant,
  freshName,
  type OperatorsPlane,
  type Someone,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { startTwoIssuers, type TwoIssuers } from '../../support/two-issuers.ts';

let world: TwoIssuers;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let issuer: OidcIssuer;
let other: OidcIssuer;
let issuerId: string;
let otherId: string;

const newBrowser = () => new LoginBrowser(plane, issuerId);

beforeAll(async () => {
  world = await startTwoIssuers();
  ({ plane, platform, acme, issuer, other, issuerId, otherId } = world);
});
afterEach(() => {
  issuer.faults.clear();
  vi.useRealTimers();
});
afterAll(async () => {
  await world?.close();
});

describe('a login at an issuer', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const foreignKey = createSigningKey('foreign');

  beforeAll(() => {
    issuer.accounts.set('gil', { name: 'Gil', groups: ['admins'] });
    other.accounts.set('gil', { name: 'Gil at the other', groups: ['admins'] });
  });

  it.each<[string, Parameters<OidcIssuer['forge']>]>([
    ['has expired', [(claims) => ({ ...claims, iat: now() - 7200, exp: now() - 3600 })]],
    ['is for another client', [(claims) => ({ ...claims, aud: 'another' })]],
    ['is for another client as well', [(claims) => ({ ...claims, aud: [oidcClientId, 'another'], azp: 'another' })]],
    ['has another nonce', [(claims) => ({ ...claims, nonce: 'another' })]],
    ['has no nonce', [({ nonce: _none, ...claims }) => claims]],
    ['is of another issuer', [(claims) => ({ ...claims, iss: 'https://evil.example' })]],
    ['has no subject', [({ sub: _none, ...claims }) => claims]],
    ['has no end', [({ exp: _none, ...claims }) => claims]],
    ['is not yet valid', [(claims) => ({ ...claims, nbf: now() + 3600 })]],
    ['is signed with a foreign key', [(claims) => claims, { key: foreignKey }]],
    ['is signed with a foreign key of a known name', [(claims) => claims, { key: { ...foreignKey, kid: 'first' } }]],
    ['is not signed', [(claims) => claims, { alg: 'none' }]],
    ['names an algorithm with the client secret', [(claims) => claims, { alg: 'HS256' }]],
  ])('is refused if the ID token %s', async (_what, forge) => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    issuer.forge(...forge);
    expect(await browser.callback(callback)).toBe(refusedTo);
    expect((await browser.token()).status).toBe(401);
  });

  it('is refused without an ID token', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    issuer.faults.set('/token', ({ id_token: _none, ...document }) => document);
    expect(await browser.callback(callback)).toBe(refusedTo);
  });

  it('accepts a token whose times are within a minute', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    issuer.forge((claims) => ({ ...claims, exp: now() - 30 }));
    expect(await browser.callback(callback)).toBe('/console/');
  });

  it('works once: a callback that is sent again is refused', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    const before = new Map(browser.cookies);
    expect(await browser.callback(callback)).toBe('/console/');
    const again = newBrowser();
    for (const [name, value] of before) again.cookies.set(name, value);
    const tokens = issuer.requested.filter((path) => path === '/token').length;
    expect(await again.callback(callback)).toBe(refusedTo);
    expect(issuer.requested.filter((path) => path === '/token')).toHaveLength(tokens);
  });

  it('works in the browser alone that began it', async () => {
    const callback = await newBrowser().toCallback('gil');
    expect(await newBrowser().callback(callback)).toBe(refusedTo);
    const victim = newBrowser();
    await victim.post('auth/start', { issuerId });
    expect(await victim.callback(callback)).toBe(refusedTo);
    expect((await victim.token()).status).toBe(401);
  });

  it('is refused with another state, with an error, and with the name of another issuer', async () => {
    for (const [name, value] of [
      ['state', 'another'],
      ['iss', other.url],
      ['error', 'access_denied'],
    ] as const) {
      const browser = newBrowser();
      const callback = await browser.toCallback('gil');
      callback.searchParams.set(name, value);
      expect([name, await browser.callback(callback)]).toEqual([name, refusedTo]);
    }
  });

  it('is refused at the callback of another issuer', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    callback.pathname = callback.pathname.replace(issuerId, otherId);
    expect(await browser.callback(callback)).toBe(refusedTo);
    expect(other.requested).not.toContain('/token');
  });

  it('ends after ten minutes', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    plane.clock.offsetMs = 10 * 60_000 + 1000;
    expect(await browser.callback(callback)).toBe(refusedTo);
    plane.clock.offsetMs = 0;
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '../../x',
    'javascript:alert(1)',
    'a/../../b',
    'x?y#z',
  ])('leads to the start of the console instead of %s', async (returnPath) => {
    expect(await newBrowser().signIn('gil', { returnPath })).toBe('/console/');
  });

  it('continues when the issuer changes its key', async () => {
    const rotated = createSigningKey('second');
    const browser = newBrowser();
    await browser.signIn('gil');
    const callback = await browser.toCallback('gil');
    issuer.forge((claims) => claims, { key: rotated });
    issuer.faults.set('/jwks', () => ({ keys: [rotated.publicJwk] }));
    // Keys are fetched again for an unknown one, at most once a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await browser.callback(callback)).toBe('/console/');
  });

  it('leaves no code, secret, state or token in the log', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback('gil');
    await browser.callback(callback);
    const log = plane.logs.join('');
    expect(log).toContain('Console.Callback');
    const hidden = ['code', 'state'].map((name) => callback.searchParams.get(name) ?? '');
    for (const text of [...hidden, issuer.clientSecret, ...browser.cookies.values()]) {
      expect(text.length).toBeGreaterThan(20);
      expect(log).not.toContain(text);
    }
    expect(JSON.stringify(await plane.expect('SignIn.GetIssuer', acme.owner.token, { id: issuerId }))).not.toContain(
      issuer.clientSecret,
    );
  });
});

describe('the address of an issuer', () => {
  it.each([
    'http://login.example.com',
    'https://user:pass@login.example.com',
    'https://169.254.169.254',
    'ftp://x',
    'https://x/#y',
  ])('is not %s', async (url) => {
    const request = { organizationId: acme.id, name: freshName('issuer'), url, clientId: 'x', roles: [] };
    expect(await violated(plane.call('SignIn.CreateIssuer', acme.owner.token, request))).toEqual(['url']);
  });

  it.each(['https://127.0.0.1:1', 'https://10.0.0.1', 'https://[::1]:1', 'https://localhost:1'])(
    'is never reached at %s unless it is listed',
    async (url) => {
      const foreign = await createTenant(plane, platform, freshName('foreign'));
      const request = { organizationId: foreign.id, name: 'issuer', url, clientId: 'x', roles: [] };
      const { id } = await plane.expect('SignIn.CreateIssuer', foreign.owner.token, request);
      const { status, json } = await newBrowser().post('auth/start', { issuerId: id });
      expect([status, json.error.code]).toEqual([503, 'issuer_unavailable']);
    },
  );

  it('does not lead to others: each URL of its configuration follows the same rule', async () => {
    const visited: string[] = [];
    const inside = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const evil = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
    const bad = other;
    const foreign = await createTenant(plane, platform, freshName('foreign'));
    const badId = await createIssuer(plane, foreign, bad);
    const browser = new LoginBrowser(plane, badId);
    bad.accounts.set('gil', { name: 'Gil', groups: ['admins'] });
    const configuration = '/.well-known/openid-configuration';
    bad.faults.set(configuration, (document) => ({ ...document, authorization_endpoint: `${evil}/auth` }));
    expect((await browser.post('auth/start', { issuerId: badId })).json.error.code).toBe('issuer_unavailable');
    const renamed = { id: badId, name: freshName('renamed') };
    await plane.expect('SignIn.UpdateIssuer', foreign.owner.token, renamed);
    bad.faults.set(configuration, (document) => ({
      ...document,
      token_endpoint: `${evil}/token`,
      jwks_uri: `${evil}/jwks`,
    }));
    expect(await browser.signIn('gil')).toBe(refusedTo);
    expect(visited).toEqual([]);
    bad.faults.clear();
    inside.close();
  });
});
