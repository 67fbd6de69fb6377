// Expectations of the role matrix (roles.ts) about signing in: issuers, domains, settings and invitations.
import type { StoreDatabase } from './databases.ts';
import { freshName, type OperatorsPlane, type TestTenant } from './operators.ts';
import { hidden, managersHiddenFromPlatform, managersOnly, ok, ownersOnly } from './role-codes.ts';
import { invitationFields, invitationMade, issuerFields, issuerMade } from './role-requests.ts';
import { writeIdentity } from './stored-sessions.ts';

interface Planes {
  readonly plane: OperatorsPlane;
}

interface Stored extends Planes {
  readonly database: StoreDatabase;
}

const inOrganization = (_world: Planes, tenant: TestTenant) => ({ organizationId: tenant.id });
const domainFields = (_world: Planes, tenant: TestTenant) => ({
  organizationId: tenant.id,
  domain: `${freshName('domain').replace(' ', '-')}.example.com`,
});

/** One organization would soon reach its limit otherwise. @returns a request that names a new domain */
async function domainMade(world: Planes, tenant: TestTenant) {
  const { token } = tenant.owner;
  const { domains } = await world.plane.expect('SignIn.ListDomains', token, { organizationId: tenant.id });
  for (const { id } of domains) await world.plane.expect('SignIn.DeleteDomain', token, { id });
  const { id } = await world.plane.expect('SignIn.AddDomain', token, domainFields(world, tenant));
  return { id };
}

/** @returns a request that names a new identity of the member */
async function identityMade(world: Stored, tenant: TestTenant) {
  const { id: issuerId } = await issuerMade(world, tenant);
  return { id: await writeIdentity(world.database, { issuerId, personId: tenant.member.id }) };
}

const ownersAndPlatform = { ...ownersOnly, platform: ok } as const;

export const signInExpectations = {
  'Invitations.Create': { ...managersHiddenFromPlatform, request: invitationFields },
  'Invitations.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'Invitations.Delete': { ...managersHiddenFromPlatform, request: invitationMade },
  'SignIn.CreateIssuer': { ...ownersOnly, platform: hidden, request: issuerFields },
  'SignIn.GetIssuer': { ...managersHiddenFromPlatform, request: issuerMade },
  'SignIn.ListIssuers': { ...managersHiddenFromPlatform, request: inOrganization },
  'SignIn.UpdateIssuer': { ...ownersOnly, platform: hidden, request: issuerMade },
  'SignIn.DeleteIssuer': { ...ownersOnly, platform: hidden, request: issuerMade },
  'SignIn.ListIdentities': {
    ...managersHiddenFromPlatform,
    request: (_world: Planes, tenant: TestTenant) => ({ personId: tenant.member.id }),
  },
  'SignIn.DeleteIdentity': { ...managersHiddenFromPlatform, request: identityMade },
  'SignIn.GetSettings': { ...managersOnly, platform: ok, request: inOrganization },
  'SignIn.UpdateSettings': { ...ownersAndPlatform, request: inOrganization },
  'SignIn.AddDomain': { ...ownersAndPlatform, request: domainFields },
  'SignIn.ListDomains': { ...managersOnly, platform: ok, request: inOrganization },
  'SignIn.CheckDomain': { ...ownersAndPlatform, request: domainMade },
  'SignIn.DeleteDomain': { ...ownersAndPlatform, request: domainMade },
} as const;
