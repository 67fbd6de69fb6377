// The exchange of outside tokens with issuers that are trusted and hostile, and the limit of failures.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  createTenant,
  freshName,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { type OutsideIssuer, outsideAudience, startOutsideIssuer } from '../../support/outside-issuer.ts';

const sub = 'repo:acme/app:ref:refs/heads/main';
const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const subjectTokenType = 'urn:ietf:params:oauth:token-type:jwt';

describe('an issuer that is trusted', () => {
  type Responding = (issuer: OutsideIssuer) => Parameters<OutsideIssuer['responses']['set']>[1];
  const configuration = '/.well-known/openid-configuration';
  const sending =
    (document: object): ReturnType<Responding> =>
    (_request, response) =>
      response.end(JSON.stringify(document));
  let elsewhere: OutsideIssuer;
  let hostile: OutsideIssuer;
  let plane: OperatorsPlane;
  let acme: TestTenant;

  beforeAll(async () => {
    [elsewhere, hostile] = [await startOutsideIssuer(), await startOutsideIssuer(() => plane.clock.now())];
    plane = await startOperatorsPlane({ env: { GATEWAY_PRIVATE_ISSUERS: hostile.hostAndPort } });
    acme = await createTenant(plane, await bootstrap(plane), 'acme');
  });
  afterAll(async () => {
    await plane?.close();
    await hostile?.close();
    await elsewhere?.close();
  });

  it.each<[string, string, Responding]>([
    ['redirects', '/keys', () => (_request, response) => response.writeHead(302, { location: elsewhere.url }).end()],
    ['sends 10 MB', '/keys', () => (_request, response) => response.end(`{"keys":[${' '.repeat(10_000_000)}]}`)],
    ['claims to be another', configuration, ({ url }) => sending({ issuer: elsewhere.url, jwks_uri: `${url}/keys` })],
    ['has keys elsewhere', configuration, ({ url }) => sending({ issuer: url, jwks_uri: `${elsewhere.url}/keys` })],
    [
      'leads to instance metadata',
      configuration,
      ({ url }) => sending({ issuer: url, jwks_uri: 'http://169.254.169.254/' }),
    ],
    ['sends no keys', '/keys', () => sending({ keys: 'none' })],
  ])('and %s is unavailable, and is left alone for a while', async (_what, path, responding) => {
    plane.clock.offsetMs += 3_600_000;
    hostile.responses.clear();
    hostile.responses.set(path, responding(hostile));
    const account = await plane.expect('ServiceAccounts.Create', acme.owner.token, {
      ...{ organizationId: acme.id, name: freshName('machine'), role: 'ROLE_MEMBER' },
      trust: [{ issuer: hostile.url, audience: outsideAudience, claims: [{ claim: 'sub', value: sub }] }],
    });
    const request = { grantType, subjectTokenType, serviceAccountId: account.id, subjectToken: hostile.token() };
    for (let i = 0; i < 3; i++) {
      const requested = hostile.requested.length;
      const refused = await refusal(plane.call('Tokens.Exchange', undefined, request));
      expect(refused.reason).toBe('issuer_unavailable');
      expect(hostile.requested.length === requested).toBe(i > 0);
    }
    expect(elsewhere.requested).toEqual([]);
  });
});

it('limits failures by address', async () => {
  const plane = await startOperatorsPlane();
  const request = { grantType, subjectTokenType, subjectToken: 'a.b.c', serviceAccountId: randomUUID() };
  const codes = [];
  for (let i = 0; i < 21; i++) codes.push((await plane.call('Tokens.Exchange', undefined, request)).code);
  await plane.close();
  expect([new Set(codes.slice(0, 20)), codes[20]]).toEqual([new Set(['UNAUTHENTICATED']), 'RESOURCE_EXHAUSTED']);
});
