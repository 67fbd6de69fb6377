// Requests of the role matrix (roles.ts) that need little to be made.
import { freshName, type OperatorsPlane, type TestTenant } from './operators.ts';

interface Planes {
  readonly plane: OperatorsPlane;
}

export function stopFields(_world: Planes, tenant: TestTenant) {
  return { organizationId: tenant.id, target: { model: 'gpt-provider/gpt-4o' }, reason: 'a test' };
}

/** @returns a request that names a new stop */
export async function stopMade(world: Planes, tenant: TestTenant) {
  const { id } = await world.plane.expect('Stops.Create', tenant.owner.token, stopFields(world, tenant));
  return { id };
}

export function priceFields() {
  return {
    model: `gpt-provider/${freshName('model').replace(' ', '-')}`,
    prices: { input: '1', output: '2' },
    allowUnmatched: true,
  };
}

export function webhookFields() {
  return { name: freshName('webhook'), url: 'https://hooks.example.com/gateway' };
}

export const providerKeyFields = () => ({
  provider: 'gpt-provider',
  name: freshName('provider key'),
  secret: { apiKey: 'sk-test' },
});

export const providerFields = () => ({
  name: freshName('provider').replace(' ', '-'),
  wireFormat: 'WIRE_FORMAT_GPT_PROVIDER',
  baseUrl: 'https://api.example.com/v1',
});

export const routeFields = () => ({
  name: freshName('route').replace(' ', '-'),
  groups: [{ targets: [{ model: 'gpt-provider/gpt-4o' }] }],
});

/** One organization would soon reach its limit otherwise. */
export async function issuerFields({ plane }: Planes, tenant: TestTenant) {
  const { token } = tenant.owner;
  const { issuers } = await plane.expect('SignIn.ListIssuers', token, { organizationId: tenant.id });
  for (const { id } of issuers) await plane.expect('SignIn.DeleteIssuer', token, { id });
  return {
    organizationId: tenant.id,
    name: freshName('issuer'),
    url: 'https://login.example.com',
    clientId: 'gateway',
  };
}

/** @returns a request that names a new issuer */
export async function issuerMade(world: Planes, tenant: TestTenant) {
  const fields = await issuerFields(world, tenant);
  const { id } = await world.plane.expect('SignIn.CreateIssuer', tenant.owner.token, fields);
  return { id };
}

export function invitationFields(_world: Planes, tenant: TestTenant) {
  return { organizationId: tenant.id, email: 'mo@example.com', role: 'ROLE_MEMBER' };
}

/** @returns a request that names a new invitation */
export async function invitationMade(world: Planes, tenant: TestTenant) {
  const made = await world.plane.expect('Invitations.Create', tenant.owner.token, invitationFields(world, tenant));
  return { id: made.invitation.id };
}
