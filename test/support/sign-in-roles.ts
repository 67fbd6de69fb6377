// Expectations of the role matrix (roles.ts) about signing in: issuers, domains, settings and invitations.
import { freshName, type OperatorsPlane, type TestTenant } from './operators.ts';
import { managersOnly, ok, ownersOnly } from './role-codes.ts';
import { invitationFields, invitationMade, issuerFields, issuerMade } from './role-requests.ts';

interface Planes {
  readonly plane: OperatorsPlane;
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

const ownersAndPlatform = { ...ownersOnly, platform: ok } as const;

export const signInExpectations = {
  'Invitations.Create': { ...managersOnly, request: invitationFields },
  'Invitations.List': { ...managersOnly, request: inOrganization },
  'Invitations.Delete': { ...managersOnly, request: invitationMade },
  'SignIn.CreateIssuer': { ...ownersOnly, request: issuerFields },
  'SignIn.GetIssuer': { ...managersOnly, request: issuerMade },
  'SignIn.ListIssuers': { ...managersOnly, request: inOrganization },
  'SignIn.UpdateIssuer': { ...ownersOnly, request: issuerMade },
  'SignIn.DeleteIssuer': { ...ownersOnly, request: issuerMade },
  'SignIn.GetSettings': { ...managersOnly, platform: ok, request: inOrganization },
  'SignIn.UpdateSettings': { ...ownersAndPlatform, request: inOrganization },
  'SignIn.AddDomain': { ...ownersAndPlatform, request: domainFields },
  'SignIn.ListDomains': { ...managersOnly, platform: ok, request: inOrganization },
  'SignIn.CheckDomain': { ...ownersAndPlatform, request: domainMade },
  'SignIn.DeleteDomain': { ...ownersAndPlatform, request: domainMade },
} as const;
