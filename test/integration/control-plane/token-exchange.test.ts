// Service accounts and the exchange of outside tokens: what is accepted, and what attackers send.
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSigningKey } from '../../support/oidc-issuer.ts';
import {
  bootstrap,
  createTenant,
  databases,
  freely,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { type OutsideIssuer, outsideAudience, startOutsideIssuer } from '../../support/outside-issuer.ts';

const sub = 'repo:acme/app:ref:refs/heads/main';
const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const subjectTokenType = 'urn:ietf:params:oauth:token-type:jwt';

describe.each(databases)('over $name', ({ name, open }) => {
  // What is refused before anything is written is the same over both.
  const isFirst = name === 'SQLite';
  let opened: Awaited<ReturnType<typeof open>>;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let issuer: OutsideIssuer;
  let other: OutsideIssuer;

  beforeAll(async () => {
    opened = await open();
    const now = () => plane.clock.now();
    [issuer, other] = [await startOutsideIssuer(now), await startOutsideIssuer(now)];
    plane = await startOperatorsPlane({
      env: { ...opened.env, GATEWAY_PRIVATE_ISSUERS: `${issuer.hostAndPort},${other.hostAndPort}` },
      rates: { ...freely, sign_ins: { perMinute: 100_000, burst: 100_000 } },
    });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
  });
  afterAll(async () => {
    await plane?.close();
    await issuer?.close();
    await other?.close();
    await opened?.drop();
  });

  const row = (claims: Readonly<Record<string, string>> = { sub }, fields: object = {}) => ({
    ...{ issuer: issuer.url, audience: outsideAudience },
    claims: Object.entries(claims).map(([claim, value]) => ({ claim, value })),
    ...fields,
  });
  const createAccount = (trust: readonly object[] = [row()], fields: object = {}): Promise<JsonResponse> =>
    plane.expect('ServiceAccounts.Create', acme.owner.token, {
      ...{ organizationId: acme.id, name: freshName('machine'), role: 'ROLE_ADMIN', trust },
      ...fields,
    });
  const exchange = (accountId: string, subjectToken: string) =>
    plane.call('Tokens.Exchange', undefined, {
      grantType,
      subjectTokenType,
      subjectToken,
      serviceAccountId: accountId,
    });
  const exchanged = async (accountId: string, subjectToken: string): Promise<string> => {
    const called = await exchange(accountId, subjectToken);
    if ('response' in called) return called.response.accessToken;
    throw new Error(called.message);
  };
  const refusedAs = async (accountId: string, subjectToken: string) =>
    (await refusal(exchange(accountId, subjectToken))).reason;
  const events = async (action: string): Promise<JsonResponse[]> => {
    const listed = await plane.expect('Audit.List', acme.owner.token, { organizationId: acme.id, action });
    return listed.events.map(({ after, ...event }: JsonResponse) => ({ ...event, after: JSON.parse(after) }));
  };

  describe('a service account', () => {
    it('gets an operator token of an hour for a token that fits, and acts with its role', async () => {
      const account = await createAccount([row(), row({ sub: 'another' })]);
      expect(account).not.toHaveProperty('lastExchangeAt');
      const called = await exchange(account.id, issuer.token());
      expect(called).toMatchObject({
        response: {
          accessToken: expect.stringMatching(/^gw-op-\w{49}$/),
          issuedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
          ...{ tokenType: 'Bearer', expiresIn: 3600 },
        },
      });
      const token = 'response' in called ? called.response.accessToken : '';
      const { caller } = await plane.expect('Status.Get', token, {});
      expect(caller).toMatchObject({ personId: account.id, role: 'ROLE_ADMIN', organizationId: acme.id });
      const fields = { organizationId: acme.id, name: freshName('system') };
      await plane.expect('AiSystems.Create', token, fields);
      const [event] = await events('Tokens.Exchange');
      expect(event).toMatchObject({
        actorId: account.id,
        after: { serviceAccountId: account.id, trustId: account.trust[0].id, issuer: issuer.url, subject: sub },
      });
      expect(JSON.stringify(event)).not.toContain(token);
      const used = await plane.expect('ServiceAccounts.Get', acme.owner.token, { id: account.id });
      expect(Math.abs(Date.now() - Date.parse(used.lastExchangeAt))).toBeLessThan(60_000);
      expect(used.trust.map((one: JsonResponse) => one.lastExchangeAt)).toEqual([used.lastExchangeAt, undefined]);
      plane.clock.offsetMs += 3_600_000;
      expect(await plane.call('Status.Get', token)).toMatchObject({ code: 'UNAUTHENTICATED' });
      plane.clock.offsetMs = 0;
    });

    it('gets it over HTTP with the names of RFC 8693', async () => {
      const account = await createAccount();
      const response = await fetch(`http://127.0.0.1:${plane.plane.httpPort}/gateway.v1.Tokens/Exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({
          ...{ grant_type: grantType, subject_token_type: subjectTokenType },
          ...{ subject_token: issuer.token(), service_account_id: account.id },
        }),
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ accessToken: expect.stringMatching(/^gw-op-/), expiresIn: 3600 });
    });

    it('is no person: no console, no stored token, no other machine, and never an owner', async () => {
      const account = await createAccount();
      const token = await exchanged(account.id, issuer.token());
      const create = { personId: account.id, name: 'long' };
      expect(await refusal(plane.call('OperatorTokens.Create', acme.owner.token, create))).toMatchObject({
        reason: 'permission_denied',
      });
      for (const [method, request] of [
        ['OperatorTokens.Create', create],
        ['OperatorTokens.Create', { personId: acme.member.id, name: 'long' }],
        ['ServiceAccounts.Update', { id: account.id, trust: { rows: [row({ sub: 'x' })] } }],
        ['ServiceAccounts.Create', { organizationId: acme.id, name: 'more', role: 'ROLE_ADMIN' }],
        ['ServiceAccounts.Delete', { id: account.id }],
        ['Invitations.Create', { organizationId: acme.id, email: 'mo@example.com', role: 'ROLE_ADMIN' }],
      ] as const) {
        expect(await refusal(plane.call(method, token, request))).toMatchObject({ reason: 'permission_denied' });
      }
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', connection: 'close' };
      const body = JSON.stringify({ operatorToken: token });
      const start = `http://127.0.0.1:${plane.plane.httpPort}/console/auth/start`;
      expect((await fetch(start, { method: 'POST', headers, body })).status).toBe(401);
      const owner = { organizationId: acme.id, name: 'boss', role: 'ROLE_OWNER' };
      expect(await violated(plane.call('ServiceAccounts.Create', acme.owner.token, owner))).toEqual(['role']);
      const promoted = { id: account.id, role: 'ROLE_OWNER' };
      expect(await violated(plane.call('ServiceAccounts.Update', acme.owner.token, promoted))).toEqual(['role']);
      expect(await violated(plane.call('People.Update', acme.owner.token, promoted))).toEqual(['id']);
      expect(await plane.expect('People.Get', acme.owner.token, { id: account.id })).toMatchObject({
        serviceAccount: true,
      });
    });

    it('loses its token with its trust row, keeps it with an equal one, and with its activity', async () => {
      const kept = row();
      const account = await createAccount([kept, row({ sub: 'another' })]);
      const [token, gone] = [
        await exchanged(account.id, issuer.token()),
        await exchanged(account.id, issuer.token({ sub: 'another' })),
      ];
      const change = (fields: object) =>
        plane.expect('ServiceAccounts.Update', acme.admin.token, { id: account.id, ...fields });
      const changed = await change({ trust: { rows: [kept] } });
      expect(changed.trust).toMatchObject([account.trust[0]]);
      expect(await plane.call('Status.Get', gone)).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await plane.call('Status.Get', token)).toMatchObject({ code: 'OK' });
      await change({ active: false });
      expect(await plane.call('Status.Get', token)).toMatchObject({ code: 'UNAUTHENTICATED' });
      expect(await refusedAs(account.id, issuer.token())).toBe('exchange_refused');
      await change({ active: true });
      expect(await plane.call('Status.Get', token)).toMatchObject({ code: 'OK' });
      await change({ trust: { rows: [] } });
      expect(await plane.call('Status.Get', token)).toMatchObject({ code: 'UNAUTHENTICATED' });
      await plane.expect('ServiceAccounts.Delete', acme.admin.token, { id: account.id });
      expect(await plane.call('ServiceAccounts.Get', acme.admin.token, { id: account.id })).toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('is listed page by page, and is no account to ServiceAccounts if it is a person', async () => {
      await createAccount();
      const request = { organizationId: acme.id, pageSize: 1 };
      const { serviceAccounts, nextPageToken } = await plane.expect('ServiceAccounts.List', acme.admin.token, request);
      expect([serviceAccounts.length, nextPageToken === '']).toEqual([1, false]);
      for (const method of ['ServiceAccounts.Get', 'ServiceAccounts.Delete']) {
        expect(await plane.call(method, acme.owner.token, { id: acme.member.id })).toMatchObject({ code: 'NOT_FOUND' });
      }
    });

    it.each([
      ['an issuer that is no URL', { issuer: 'acme' }, 'trust[0].issuer'],
      ['an issuer over plain http that is not listed', { issuer: 'http://ci.example.com' }, 'trust[0].issuer'],
      ['no sub', { claims: [{ claim: 'repository', value: 'acme/app' }] }, 'trust[0].claims'],
      ['any sub', { claims: [{ claim: 'sub', value: '*' }] }, 'trust[0].claims[0]'],
      ['a star within', { claims: [{ claim: 'sub', value: 'repo:*/app' }] }, 'trust[0].claims[0]'],
      ['a claim twice', { claims: ['a', 'b'].map((value) => ({ claim: 'sub', value })) }, 'trust[0].claims'],
      ['its own expiry', { claims: [{ claim: 'exp', value: '1' }] }, 'trust[0].claims[0]'],
      ['no audience', { audience: '' }, 'trust[0].audience'],
    ])('trusts no row with %s', async (_what, fields, at) => {
      const request = { organizationId: acme.id, name: 'x', role: 'ROLE_MEMBER', trust: [row(undefined, fields)] };
      expect(await violated(plane.call('ServiceAccounts.Create', acme.owner.token, request))).toEqual([at]);
    });
  });

  describe('an outside token', () => {
    it('works once for each account, also when it is sent several times at once', async () => {
      const [one, two] = [await createAccount(), await createAccount()];
      const token = issuer.token();
      const codes = await Promise.all([1, 2, 3].map(() => exchange(one.id, token).then(({ code }) => code)));
      expect(codes.toSorted()).toEqual(['OK', 'UNAUTHENTICATED', 'UNAUTHENTICATED']);
      expect(await refusedAs(one.id, token)).toBe('exchange_refused');
      await exchanged(two.id, token);
      expect(await refusedAs(one.id, issuer.token({ jti: undefined }))).toBe('exchange_refused');
    });

    it('of a pod may come again until it ends', async () => {
      const pod = { namespace: 'gateway', serviceaccount: { name: 'controller', uid: 'x' } };
      const claims = { sub: 'system:serviceaccount:gateway:controller', 'kubernetes.io': pod, aud: [outsideAudience] };
      const account = await createAccount([row({ sub: claims.sub })]);
      const token = issuer.token(claims);
      await exchanged(account.id, token);
      await exchanged(account.id, token);
      plane.clock.offsetMs += 400_000;
      expect(await refusedAs(account.id, token)).toBe('exchange_refused');
      plane.clock.offsetMs = 0;
      // Another subject with the claims of a pod is no projected token.
      const odd = await createAccount([row({ sub: 'repo:*' })]);
      const forged = issuer.token({ ...claims, sub: 'repo:acme/app', jti: undefined });
      expect(await refusedAs(odd.id, forged)).toBe('exchange_refused');
    });

    it('fits claims exactly, or their beginning before a star', async () => {
      const account = await createAccount([row({ sub: 'repo:acme/*', environment: 'production', protected: 'true' })]);
      const right = { sub: 'repo:acme/app', environment: 'production', protected: true };
      await exchanged(account.id, issuer.token(right));
      for (const wrong of [
        { sub: 'repo:acme-evil/app' },
        { sub: 'repo:acme' },
        { sub: 'xrepo:acme/app' },
        { sub: ['repo:acme/app'] },
        { environment: 'production2' },
        { environment: undefined },
        { environment: ['production'] },
        { environment: { toString: 'production' } },
        { protected: false },
      ]) {
        expect([wrong, await refusedAs(account.id, issuer.token({ ...right, ...wrong }))]).toEqual([
          wrong,
          'exchange_refused',
        ]);
      }
    });

    it('is of a key that was published lately, and unknown keys are looked for once a minute', async () => {
      const account = await createAccount();
      await exchanged(account.id, issuer.token());
      const next = createSigningKey('next');
      plane.clock.offsetMs += 61_000;
      const before = issuer.requested.length;
      for (let i = 0; i < 3; i++) {
        expect(await refusedAs(account.id, issuer.token({}, { key: next }))).toBe('exchange_refused');
      }
      expect(issuer.requested.length - before).toBe(2);
      issuer.keys = [...issuer.keys, next.publicJwk];
      expect(await refusedAs(account.id, issuer.token({}, { key: next }))).toBe('exchange_refused');
      plane.clock.offsetMs += 61_000;
      await exchanged(account.id, issuer.token({}, { key: next }));
      plane.clock.offsetMs = 0;
    });
  });

  const attacks = () => {
    it.each<[string, () => string]>([
      ['no signature', () => issuer.token({}, { alg: 'none' })],
      ['the public key as a shared secret', () => sharedSecret()],
      ['another audience', () => issuer.token({ aud: 'another' })],
      ['one audience of two', () => issuer.token({ aud: [outsideAudience, 'another'] })],
      ['no audience', () => issuer.token({ aud: undefined })],
      ['another issuer with the same subject', () => other.token()],
      ['another issuer’s key', () => issuer.token({}, { key: other.key })],
      ['a key of its own under a known id', () => issuer.token({}, { key: createSigningKey('first') })],
      ['an expired token', () => issuer.token({ exp: Math.floor(plane.clock.now() / 1000) - 61 })],
      ['a token without an end', () => issuer.token({ exp: undefined })],
      ['a token of the future', () => issuer.token({ nbf: Math.floor(plane.clock.now() / 1000) + 90 })],
      ['a changed token', () => changed(issuer.token())],
      ['a trusted name in a foreign issuer', () => other.token({ iss: issuer.url })],
    ])('gets nothing with %s', async (_what, token) => {
      const account = await createAccount();
      expect(await refusedAs(account.id, token())).toBe('exchange_refused');
    });

    it('gets nothing from another organization by a row of their own', async () => {
      const evil = await createTenant(plane, platform, freshName('evil'));
      await plane.expect('ServiceAccounts.Create', evil.owner.token, {
        ...{ organizationId: evil.id, name: 'mine', role: 'ROLE_ADMIN' },
        trust: [row({ sub: 'attacker' })],
      });
      const account = await createAccount();
      expect(await refusedAs(account.id, issuer.token({ sub: 'attacker' }))).toBe('exchange_refused');
      expect(await refusedAs(acme.owner.id, issuer.token())).toBe('exchange_refused');
      expect(await refusedAs(randomUUID(), issuer.token())).toBe('exchange_refused');
    });

    it('is recorded once a minute for each account, without the token', async () => {
      const account = await createAccount();
      const token = issuer.token({ sub: 'intruder' });
      for (let i = 0; i < 5; i++) await refusedAs(account.id, token);
      const mine = (await events('Tokens.RefuseExchange')).filter(({ targetId }) => targetId === account.id);
      expect(mine).toHaveLength(1);
      expect(mine[0]).toMatchObject({ after: { subject: 'intruder', misfits: ['sub'] } });
      expect(JSON.stringify(mine)).not.toContain(token);
      expect(plane.logs.join('')).not.toContain(token.split('.')[1]);
    });

    it.each([
      ['another grant', { grantType: 'password' }, 'grant_type'],
      ['another kind of token', { subjectTokenType: 'urn:ietf:params:oauth:token-type:saml2' }, 'subject_token_type'],
      ['no token', { subjectToken: 'x' }, 'subject_token'],
      ['a token that is too long', { subjectToken: `a.${'b'.repeat(17_000)}.c` }, 'subject_token'],
      ['no account', { serviceAccountId: 'x' }, 'service_account_id'],
    ])('is refused with %s', async (_what, fields, at) => {
      const request = { grantType, subjectTokenType, subjectToken: 'a.b.c', serviceAccountId: acme.id, ...fields };
      expect(await violated(plane.call('Tokens.Exchange', undefined, request))).toEqual([at]);
    });
  };
  if (isFirst) describe('an attacker', attacks);

  /** HS256, with what the issuer publishes as the secret. */
  function sharedSecret(): string {
    const [, payload] = issuer.token().split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: issuer.key.kid })).toString('base64url');
    const content = `${header}.${payload}`;
    return `${content}.${createHmac('sha256', JSON.stringify(issuer.key.publicJwk)).update(content).digest('base64url')}`;
  }

  function changed(token: string): string {
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const other = Buffer.from(JSON.stringify({ ...claims, admin: true })).toString('base64url');
    return `${header}.${other}.${signature}`;
  }
});
