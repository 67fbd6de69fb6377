// The part of the role matrix (roles.ts) about captures.
import { captureRecord, inDays, ofOrganization, organizationKey, sealedSide } from './captures.ts';
import type { TestTenant } from './operators.ts';
import { hidden, managersOnly, nobodyButOthers, ownersOnly } from './role-codes.ts';
import type { Expectation, World } from './roles.ts';

const inOrganization = (_world: World, tenant: TestTenant) => ({ organizationId: tenant.id });

/** The clock of the matrix is some days ahead. */
const endsAt = inDays(10);

/** One organization would soon reach its limit otherwise. */
const settingFields = async ({ database }: World, tenant: TestTenant) => {
  await database.raw(`delete from capture_settings where organization_id = '${tenant.id}'`);
  return { ...ofOrganization(tenant), endsAt };
};
const setting = async (world: World, tenant: TestTenant) => {
  const request = await settingFields(world, tenant);
  return { id: (await world.plane.expect('Captures.Enable', tenant.owner.token, request)).id };
};
const reader = (_world: World, tenant: TestTenant) => ({
  ...{ organizationId: tenant.id, personId: tenant.admin.id, endsAt },
});
const content = async (world: World, tenant: TestTenant) => {
  const { plane, platform } = world;
  await setting(world, tenant);
  const { value: proxyToken } = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
  const key = await organizationKey(plane, tenant);
  const record = await captureRecord(plane, proxyToken, key);
  if (record === null) throw new Error('nothing is captured');
  const expiresAt = Date.parse(inDays(5));
  const side = sealedSide(record, { organizationId: tenant.id, keyId: key.id }, { expiresAt });
  await plane.expect('Captures.Report', proxyToken, { captures: [side] });
  return { organizationId: tenant.id, id: side.id, reason: 'a test of roles' };
};

export const captureExpectations = {
  'Captures.Report': { ...nobodyButOthers, request: () => ({ captures: [] }) },
  'Captures.Enable': { ...ownersOnly, request: settingFields },
  'Captures.Disable': { ...ownersOnly, request: setting },
  'Captures.ListSettings': { ...managersOnly, request: inOrganization },
  // Admins and members without a grant.
  'Captures.Get': { ...ownersOnly, otherMember: hidden, request: content },
  'Captures.Grant': { ...ownersOnly, request: reader },
  'Captures.Revoke': {
    ...ownersOnly,
    request: async (world: World, tenant: TestTenant) => {
      const request = reader(world, tenant);
      await world.plane.expect('Captures.Grant', tenant.owner.token, request);
      return { organizationId: request.organizationId, personId: request.personId };
    },
  },
  'Captures.ListReaders': { ...ownersOnly, request: inOrganization },
} as const satisfies Readonly<Record<string, Expectation>>;
