// The part of the role matrix (roles.ts) about access of machines.
import { freshName, type TestTenant } from './operators.ts';
import { invalid, managersOnly, ownersOnly, platformOnly } from './role-codes.ts';
import { issuerMade } from './role-requests.ts';
import type { Expectation, World } from './roles.ts';

const inOrganization = (_world: World, tenant: TestTenant) => ({ organizationId: tenant.id });
const accountFields = (_world: World, tenant: TestTenant) => ({
  ...{ organizationId: tenant.id, name: freshName('machine'), role: 'ROLE_MEMBER' },
});
const account = async (world: World, tenant: TestTenant) => {
  const made = await world.plane.expect('ServiceAccounts.Create', tenant.owner.token, accountFields(world, tenant));
  return { id: made.id };
};
const scimTokenFields = async (world: World, tenant: TestTenant) => ({
  ...{ issuerId: (await issuerMade(world, tenant)).id, name: freshName('provisioning') },
});
const scimToken = async (world: World, tenant: TestTenant) => {
  const fields = await scimTokenFields(world, tenant);
  return { id: (await world.plane.expect('ScimTokens.Create', tenant.owner.token, fields)).scimToken.id };
};

export const machineExpectations = {
  'ProxyTokens.Create': { ...platformOnly, request: () => ({ name: 'proxy' }) },
  'ProxyTokens.List': { ...platformOnly, request: () => ({}) },
  'ProxyTokens.Revoke': {
    ...platformOnly,
    request: async ({ plane, platform }: World) => {
      const made = await plane.expect('ProxyTokens.Create', platform.token, { name: 'to revoke' });
      return { id: made.proxyToken.id };
    },
  },
  'ScimTokens.Create': { ...ownersOnly, request: scimTokenFields },
  'ScimTokens.List': {
    ...managersOnly,
    request: async (world: World, tenant: TestTenant) => ({ issuerId: (await issuerMade(world, tenant)).id }),
  },
  'ScimTokens.Revoke': { ...ownersOnly, request: scimToken },
  'ServiceAccounts.Create': { ...managersOnly, request: accountFields },
  'ServiceAccounts.Get': { ...managersOnly, request: account },
  'ServiceAccounts.List': { ...managersOnly, request: inOrganization },
  'ServiceAccounts.Update': { ...managersOnly, request: account },
  'ServiceAccounts.Delete': { ...managersOnly, request: account },
  // For callers without a token; here without an outside token as well.
  'Tokens.Exchange': {
    own: { owner: invalid, admin: invalid, member: invalid },
    ...{ otherOwner: invalid, otherMember: invalid, platform: invalid },
    request: () => ({}),
  },
} as const satisfies Readonly<Record<string, Expectation>>;
