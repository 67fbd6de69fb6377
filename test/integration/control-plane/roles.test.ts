// Authorization of every method: every method of the table × every identity × own and other organization.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { methodNamed, methodNames } from '../../../control-plane/api/methods.ts';
import { freshSqlite } from '../../support/databases.ts';
import {
  bootstrap,
  createPerson,
  createTenant,
  freely,
  freshName,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { denied, ok } from '../../support/role-codes.ts';
import { expectations, type World } from '../../support/roles.ts';

const stranger: Someone = { id: '', token: '' };
const unaryNames = methodNames.filter((name) => name !== 'Access.Watch');

describe('authorization', () => {
  let world: World;
  let acme: TestTenant;
  let other: TestTenant;
  let proxyToken: string;
  let boundProxyToken: string;
  let stopped: Record<string, string>;

  beforeAll(async () => {
    const database = await freshSqlite();
    const plane = await startOperatorsPlane({
      env: { GATEWAY_DATABASE_URL: database.url },
      embedded: true,
      // The test calls thousands of times from one address, and changes hundreds of times in an organization.
      rates: {
        ...freely,
        read_rate: { perMinute: 1_000_000, burst: 1_000_000 },
        unknown_tokens: { perMinute: 1_000_000, burst: 1_000_000 },
      },
      // A test of a webhook ends at once.
      webhookNetwork: { resolve: (_host, _options, done) => done(new Error('there are no names'), []) },
    });
    const platform = await bootstrap(plane);
    world = { database, plane, platform };
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    const bound = { name: 'bound', organizationId: acme.id };
    boundProxyToken = (await plane.expect('ProxyTokens.Create', platform.token, bound)).value;
    stopped = await stoppedTokens(world, acme);
  });
  afterAll(async () => {
    await world.plane.close();
    await world.database.drop();
  });

  it('has an expectation for every method', () => {
    expect(Object.keys(expectations).toSorted()).toEqual([...methodNames].toSorted());
  });

  describe.each(unaryNames)('of %s', (name) => {
    const expectation = expectations[name];

    it.each(['owner', 'admin', 'member'] as const)("for the organization's own %s", async (role) => {
      const request = await expectation.request(world, acme, acme[role]);
      const called = await world.plane.call(name, acme[role].token, request);
      expect(called).toMatchObject({ code: expectation.own[role] });
    });

    it.each(['owner', 'member'] as const)('for the %s of another organization', async (role) => {
      const request = await expectation.request(world, acme, stranger);
      const called = await world.plane.call(name, other[role].token, request);
      expect(called).toMatchObject({
        code: role === 'owner' ? expectation.otherOwner : expectation.otherMember,
      });
    });

    it('for a platform operator', async () => {
      const request = await expectation.request(world, acme, stranger);
      const called = await world.plane.call(name, world.platform.token, request);
      expect(called).toMatchObject({ code: expectation.platform });
    });

    // It needs no token, and looks at none.
    if (methodNamed(name).audience === 'anyone') return;

    it('refuses callers without a token, and invalid tokens', async () => {
      // The refusal comes before the request is read.
      const tokens = [undefined, 'wrong', `${acme.owner.token.slice(0, -1)}x`, createCredential('operator')];
      tokens.push(createCredential('proxy'), createCredential('bootstrap'), createCredential('virtualKey'));
      for (const token of tokens) {
        expect(await world.plane.call(name, token, {})).toMatchObject({ code: 'UNAUTHENTICATED' });
      }
    });

    it('allows proxies the methods for proxies and no others', async () => {
      for (const token of [proxyToken, boundProxyToken]) {
        const isTheirs = methodNamed(name).audience === 'proxy';
        const request = isTheirs ? await expectation.request(world, acme, stranger) : {};
        const code = isTheirs ? ok : denied;
        expect(await world.plane.call(name, token, request)).toMatchObject({ code });
      }
    });

    it('refuses tokens that no longer work', async () => {
      for (const [what, token] of Object.entries({ ...stopped, bootstrap: world.plane.bootstrapToken })) {
        expect([what, (await world.plane.call(name, token, {})).code]).toEqual([what, 'UNAUTHENTICATED']);
      }
    });
  });
});

describe('the bootstrap token before its use', () => {
  it('authorizes Bootstrap and nothing else', async () => {
    const plane = await startOperatorsPlane();
    try {
      for (const name of unaryNames) {
        if (name === 'OperatorTokens.Bootstrap' || methodNamed(name).audience === 'anyone') continue;
        expect([name, (await plane.call(name, plane.bootstrapToken, {})).code]).toEqual([name, denied]);
      }
      await bootstrap(plane);
      const again = await plane.call('OperatorTokens.Bootstrap', plane.bootstrapToken, { name: 'me too' });
      expect(again).toMatchObject({ code: 'UNAUTHENTICATED' });
    } finally {
      await plane.close();
    }
  });

  it('creates one platform operator when it is used several times at once', async () => {
    const plane = await startOperatorsPlane();
    try {
      const codes = await Promise.all(
        ['one', 'two', 'three'].map((name) =>
          plane.call('OperatorTokens.Bootstrap', plane.bootstrapToken, { name }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(['OK', 'UNAUTHENTICATED', 'UNAUTHENTICATED']);
    } finally {
      await plane.close();
    }
  });
});

/** Tokens of owners, each ended in another way. */
async function stoppedTokens({ plane, platform }: World, tenant: TestTenant): Promise<Record<string, string>> {
  const suspended = await createPerson(plane, tenant, 'ROLE_OWNER');
  await plane.expect('People.Update', tenant.owner.token, { id: suspended.id, active: false });
  const deleted = await createPerson(plane, tenant, 'ROLE_OWNER');
  await plane.expect('People.Delete', tenant.owner.token, { id: deleted.id });
  const revoked = await plane.expect('OperatorTokens.Create', tenant.owner.token, {
    personId: tenant.owner.id,
    name: 'revoked',
  });
  await plane.expect('OperatorTokens.Revoke', tenant.owner.token, { id: revoked.operatorToken.id });
  const short = { personId: tenant.owner.id, name: 'short', days: 1 };
  const ended = await plane.expect('OperatorTokens.Create', tenant.owner.token, short);
  plane.clock.offsetMs += 24 * 3_600_000;
  const closed = await createTenant(plane, platform, freshName('suspended'));
  await plane.expect('Organizations.Suspend', platform.token, { id: closed.id });
  const proxy = await plane.expect('ProxyTokens.Create', platform.token, { name: 'revoked' });
  await plane.expect('ProxyTokens.Revoke', platform.token, { id: proxy.proxyToken.id });
  return {
    suspended: suspended.token,
    deleted: deleted.token,
    revoked: revoked.value,
    ended: ended.value,
    ofSuspendedOrganization: closed.owner.token,
    revokedProxy: proxy.value,
  };
}
