// Who may call what: every method of the table × every identity × own and other organization. A method without an
// expectation fails, so nobody adds one without saying who may call it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { type MethodName, methodNames } from '../../../control-plane/services/methods.ts';
import {
  bootstrap,
  createKey,
  createPerson,
  createTenant,
  freshName,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

type Code = 'OK' | 'PERMISSION_DENIED' | 'NOT_FOUND';
const [ok, denied, hidden] = ['OK', 'PERMISSION_DENIED', 'NOT_FOUND'] as const;

interface Expectation {
  /** What the request names: made anew for each call, by those who may. */
  request(world: World, tenant: TestTenant, caller: Someone): Promise<object> | object;
  /** Of the organization itself. */
  readonly own: { readonly owner: Code; readonly admin: Code; readonly member: Code };
  /** The organization is another one's: for an owner there. Roles that never may are denied before anything is looked up. */
  readonly otherOwner: Code;
  readonly otherMember: Code;
  readonly platform: Code;
}

interface World {
  readonly plane: OperatorsPlane;
  readonly platform: Someone;
}

const managersOnly = {
  own: { owner: ok, admin: ok, member: denied },
  otherOwner: hidden,
  otherMember: denied,
  platform: denied,
} as const;
const everybodyInside = {
  own: { owner: ok, admin: ok, member: ok },
  otherOwner: hidden,
  otherMember: hidden,
  platform: denied,
} as const;
const managersHiddenFromPlatform = { ...managersOnly, platform: hidden } as const;
const platformOnly = {
  own: { owner: denied, admin: denied, member: denied },
  otherOwner: denied,
  otherMember: denied,
  platform: ok,
} as const;
const nobodyButOthers = { ...platformOnly, platform: denied } as const;

const inOrganization = (_world: World, tenant: TestTenant) => ({ organizationId: tenant.id });
const organization = (_world: World, tenant: TestTenant) => ({ id: tenant.id });
const aiSystem = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, name: freshName('system') };
  return { id: (await plane.expect('AiSystems.Create', tenant.owner.token, request)).id };
};
const providerKeyFields = () => ({
  provider: 'gpt-provider',
  name: freshName('provider key'),
  secret: { apiKey: 'sk-test' },
});
const providerKey = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, ...providerKeyFields() };
  return { id: (await plane.expect('ProviderKeys.Create', tenant.owner.token, request)).id };
};
const providerFields = () => ({
  name: freshName('provider').replace(' ', '-'),
  wireFormat: 'WIRE_FORMAT_GPT_PROVIDER',
  baseUrl: 'https://api.example.com/v1',
});
const customProvider = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, ...providerFields() };
  return { id: (await plane.expect('Providers.Create', tenant.owner.token, request)).id };
};
const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: 60 };
const limitOn = (tenant: TestTenant, someone: Someone) => ({
  organizationId: tenant.id,
  subject: { kind: 'LIMIT_SUBJECT_KIND_PERSON', id: someone.id },
  ...rate,
});
const limit = async ({ plane }: World, tenant: TestTenant, caller: Someone) => {
  const request = limitOn(tenant, memberOf(tenant, caller));
  // Deleted with its organization's other limits, or the member would soon have as many as one may have.
  const { limits } = await plane.expect('Limits.List', tenant.owner.token, { organizationId: tenant.id });
  for (const { id } of limits) await plane.expect('Limits.Delete', tenant.owner.token, { id });
  return { id: (await plane.expect('Limits.Create', tenant.owner.token, request)).id };
};
const person = async ({ plane }: World, tenant: TestTenant) => ({
  id: (await createPerson(plane, tenant, 'ROLE_MEMBER')).id,
});
const scopeOf = (someone: Someone) => ({ kind: 'KEY_SCOPE_KIND_PERSON', id: someone.id });
/** Scoped to a member: to the caller, if it is one. */
const memberOf = (tenant: TestTenant, caller: Someone) =>
  caller.id === tenant.member.id ? caller : tenant.member;
const virtualKey = async ({ plane }: World, tenant: TestTenant, caller: Someone) => {
  const made = await createKey(plane, tenant, { scope: scopeOf(memberOf(tenant, caller)) });
  return { id: made.virtualKey.id };
};
const operatorToken = async ({ plane }: World, tenant: TestTenant, caller: Someone) => {
  const request = { personId: memberOf(tenant, caller).id, name: 'to revoke' };
  return { id: (await plane.expect('OperatorTokens.Create', tenant.owner.token, request)).operatorToken.id };
};
const tokensOfMember = (_world: World, tenant: TestTenant, caller: Someone) => ({
  personId: memberOf(tenant, caller).id,
  name: 'another',
});

const expectations: Record<MethodName, Expectation> = {
  'Access.Resolve': { ...nobodyButOthers, request: () => ({ keyHash: Buffer.alloc(32) }) },
  // A stream: its callers are tested in access.test.ts.
  'Access.Watch': { ...nobodyButOthers, request: () => ({}) },
  'AiSystems.Create': {
    ...managersOnly,
    request: (_world, tenant) => ({ organizationId: tenant.id, name: freshName('system') }),
  },
  'AiSystems.Get': { ...managersOnly, request: aiSystem },
  'AiSystems.List': { ...managersOnly, request: inOrganization },
  'AiSystems.Update': { ...managersOnly, request: aiSystem },
  'AiSystems.Delete': { ...managersOnly, request: aiSystem },
  'Audit.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'Limits.Create': {
    ...managersOnly,
    request: async (world, tenant) => {
      const someone = await createPerson(world.plane, tenant, 'ROLE_MEMBER');
      return limitOn(tenant, someone);
    },
  },
  'Limits.Get': { ...everybodyInside, request: limit },
  'Limits.List': { ...everybodyInside, request: inOrganization },
  'Limits.Update': { ...managersOnly, request: limit },
  'Limits.Delete': { ...managersOnly, request: limit },
  'OperatorTokens.Bootstrap': { ...nobodyButOthers, request: () => ({ name: 'second' }) },
  'OperatorTokens.Create': { ...everybodyInside, platform: hidden, request: tokensOfMember },
  'OperatorTokens.List': { ...everybodyInside, platform: hidden, request: tokensOfMember },
  'OperatorTokens.Revoke': { ...everybodyInside, platform: hidden, request: operatorToken },
  'Organizations.Create': {
    ...platformOnly,
    request: () => ({ name: freshName('organization'), owner: { name: 'Olga' } }),
  },
  'Organizations.Get': { ...everybodyInside, platform: ok, request: organization },
  // It names no organization: everybody sees their own.
  'Organizations.List': {
    ...everybodyInside,
    otherOwner: ok,
    otherMember: ok,
    platform: ok,
    request: () => ({}),
  },
  'Organizations.UpdateSettings': {
    ...managersOnly,
    request: (_world, tenant) => ({
      id: tenant.id,
      settings: { access: { callerProviderKeys: true } },
    }),
  },
  'Organizations.Suspend': {
    ...platformOnly,
    request: async ({ plane, platform }) => ({
      id: (await createTenant(plane, platform, freshName('org'))).id,
    }),
  },
  'Organizations.Resume': { ...platformOnly, request: organization },
  'People.Create': {
    ...managersHiddenFromPlatform,
    request: (_world, tenant) => ({
      organizationId: tenant.id,
      name: freshName('person'),
      role: 'ROLE_MEMBER',
    }),
  },
  'People.Get': {
    ...everybodyInside,
    platform: hidden,
    request: (_world, tenant, caller) => ({ id: memberOf(tenant, caller).id }),
  },
  'People.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'People.Update': { ...managersHiddenFromPlatform, request: person },
  'People.Delete': { ...managersHiddenFromPlatform, request: person },
  'ProviderKeys.Create': {
    ...managersOnly,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...providerKeyFields() }),
  },
  'ProviderKeys.Get': { ...managersOnly, request: providerKey },
  'ProviderKeys.List': { ...managersOnly, request: inOrganization },
  'ProviderKeys.Update': { ...managersOnly, request: providerKey },
  'ProviderKeys.Delete': { ...managersOnly, request: providerKey },
  'Providers.Create': {
    ...managersHiddenFromPlatform,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...providerFields() }),
  },
  'Providers.Get': { ...managersHiddenFromPlatform, request: customProvider },
  'Providers.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'Providers.Update': { ...managersHiddenFromPlatform, request: customProvider },
  'Providers.Delete': { ...managersHiddenFromPlatform, request: customProvider },
  'ProxyTokens.Create': { ...platformOnly, request: () => ({ name: 'proxy' }) },
  'ProxyTokens.List': { ...platformOnly, request: () => ({}) },
  'ProxyTokens.Revoke': {
    ...platformOnly,
    request: async ({ plane, platform }) => {
      const made = await plane.expect('ProxyTokens.Create', platform.token, { name: 'to revoke' });
      return { id: made.proxyToken.id };
    },
  },
  'VirtualKeys.Create': {
    ...everybodyInside,
    request: (_world, tenant, caller) => ({
      organizationId: tenant.id,
      scope: scopeOf(memberOf(tenant, caller)),
      name: freshName('key'),
    }),
  },
  'VirtualKeys.Get': { ...everybodyInside, request: virtualKey },
  'VirtualKeys.List': { ...everybodyInside, request: inOrganization },
  'VirtualKeys.Update': { ...managersOnly, request: virtualKey },
  'VirtualKeys.Rotate': { ...everybodyInside, request: virtualKey },
  'VirtualKeys.Revoke': { ...everybodyInside, request: virtualKey },
};

const stranger: Someone = { id: '', token: '' };
const unaryNames = methodNames.filter((name) => name !== 'Access.Watch');

describe('who may call which method', () => {
  let world: World;
  let acme: TestTenant;
  let other: TestTenant;
  let proxyToken: string;
  let boundProxyToken: string;
  let stopped: Record<string, string>;

  beforeAll(async () => {
    const plane = await startOperatorsPlane();
    const platform = await bootstrap(plane);
    world = { plane, platform };
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    const bound = { name: 'bound', organizationId: acme.id };
    boundProxyToken = (await plane.expect('ProxyTokens.Create', platform.token, bound)).value;
    stopped = await stoppedTokens(world, acme);
  });
  afterAll(() => world.plane.close());

  it('has an expectation for every method', () => {
    expect(Object.keys(expectations).toSorted()).toEqual([...methodNames].toSorted());
  });

  describe.each(unaryNames)('%s', (name) => {
    const expectation = expectations[name];

    it.each(['owner', 'admin', 'member'] as const)('of the organization itself: %s', async (role) => {
      const request = await expectation.request(world, acme, acme[role]);
      const called = await world.plane.call(name, acme[role].token, request);
      expect(called).toMatchObject({ code: expectation.own[role] });
    });

    it.each(['owner', 'member'] as const)('of another organization: %s', async (role) => {
      const request = await expectation.request(world, acme, stranger);
      const called = await world.plane.call(name, other[role].token, request);
      expect(called).toMatchObject({
        code: role === 'owner' ? expectation.otherOwner : expectation.otherMember,
      });
    });

    it('a platform operator', async () => {
      const request = await expectation.request(world, acme, stranger);
      const called = await world.plane.call(name, world.platform.token, request);
      expect(called).toMatchObject({ code: expectation.platform });
    });

    it('nobody, and tokens that are none', async () => {
      const request = await expectation.request(world, acme, stranger);
      const tokens = [undefined, 'wrong', `${acme.owner.token.slice(0, -1)}x`, createCredential('operator')];
      tokens.push(createCredential('proxy'), createCredential('bootstrap'), createCredential('virtualKey'));
      for (const token of tokens) {
        expect(await world.plane.call(name, token, request)).toMatchObject({ code: 'UNAUTHENTICATED' });
      }
    });

    it('proxies call Access and nothing else', async () => {
      const request = await expectation.request(world, acme, stranger);
      for (const token of [proxyToken, boundProxyToken]) {
        const code = name === 'Access.Resolve' ? ok : denied;
        expect(await world.plane.call(name, token, request)).toMatchObject({ code });
      }
    });

    it('tokens that have stopped', async () => {
      const request = await expectation.request(world, acme, stranger);
      for (const [what, token] of Object.entries({ ...stopped, bootstrap: world.plane.bootstrapToken })) {
        expect([what, (await world.plane.call(name, token, request)).code]).toEqual([
          what,
          'UNAUTHENTICATED',
        ]);
      }
    });
  });
});

describe('the bootstrap token before its use', () => {
  it('opens Bootstrap and nothing else', async () => {
    const plane = await startOperatorsPlane();
    try {
      for (const name of unaryNames.filter((method) => method !== 'OperatorTokens.Bootstrap')) {
        expect([name, (await plane.call(name, plane.bootstrapToken, {})).code]).toEqual([name, denied]);
      }
      await bootstrap(plane);
      const again = await plane.call('OperatorTokens.Bootstrap', plane.bootstrapToken, { name: 'me too' });
      expect(again).toMatchObject({ code: 'UNAUTHENTICATED' });
    } finally {
      await plane.close();
    }
  });

  it('makes one platform operator when it is used twice at once', async () => {
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

/** Tokens of owners, each stopped in another way. */
async function stoppedTokens(
  { plane, platform }: World,
  tenant: TestTenant,
): Promise<Record<string, string>> {
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
