// Authorization: an expectation for every method of the table, with a request that is made again for each call. A
// method without an expectation does not type-check, so no method can be added without one.
import { randomUUID } from 'node:crypto';
import type { MethodName } from '../../control-plane/api/methods.ts';
import { bill, importedBill, mapping, writeDrift } from './bills/stored.ts';
import type { StoreDatabase } from './databases.ts';
import { writeDelivery } from './notice-rows.ts';
import {
  createKey,
  createPerson,
  createTenant,
  freshName,
  type OperatorsPlane,
  type Someone,
  type TestTenant,
} from './operators.ts';
import { budget, deleteAll, inAMonth, raised, unconfirmed } from './role-budgets.ts';
import { captureExpectations } from './role-captures.ts';
import {
  type Code,
  everybodyInside,
  hidden,
  managersHiddenFromPlatform,
  managersOnly,
  nobodyButOthers,
  ok,
  platformOnly,
} from './role-codes.ts';
import { machineExpectations } from './role-machines.ts';
import {
  priceFields,
  providerFields,
  providerKeyFields,
  routeFields,
  stopFields,
  stopMade,
  webhookFields,
} from './role-requests.ts';
import { inOrganization, sums } from './role-sums.ts';
import { signInExpectations } from './sign-in-roles.ts';
import { writeRequest } from './stored-requests.ts';
import { writeSession } from './stored-sessions.ts';

export interface Expectation {
  /** The named objects, created again for each call by a caller with the right. */
  request(world: World, tenant: TestTenant, caller: Someone): Promise<object> | object;
  /** Expected codes for roles of the organization itself. */
  readonly own: { readonly owner: Code; readonly admin: Code; readonly member: Code };
  /**
   * Expected code for an owner of another organization. Roles that may never call are denied before anything is looked
   * up.
   */
  readonly otherOwner: Code;
  readonly otherMember: Code;
  readonly platform: Code;
}

export interface World {
  readonly database: StoreDatabase;
  readonly plane: OperatorsPlane;
  readonly platform: Someone;
}

const organization = (_world: World, tenant: TestTenant) => ({ id: tenant.id });
const aiSystem = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, name: freshName('system') };
  return { id: (await plane.expect('AiSystems.Create', tenant.owner.token, request)).id };
};
const providerKey = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, ...providerKeyFields() };
  return { id: (await plane.expect('ProviderKeys.Create', tenant.owner.token, request)).id };
};
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
  await deleteAll(plane, tenant, 'Limits');
  return { id: (await plane.expect('Limits.Create', tenant.owner.token, request)).id };
};
const price = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, ...priceFields() };
  return { id: (await plane.expect('Prices.Create', tenant.owner.token, request)).id, ...priceFields() };
};
const webhook = async ({ plane }: World, tenant: TestTenant) => {
  await deleteAll(plane, tenant, 'Webhooks');
  const request = { organizationId: tenant.id, ...webhookFields() };
  return { id: (await plane.expect('Webhooks.Create', tenant.owner.token, request)).webhook.id };
};
const delivery = async (world: World, tenant: TestTenant) => {
  const { id } = await webhook(world, tenant);
  return { id: await writeDelivery(world.database, { organizationId: tenant.id, webhookId: id }) };
};
const drift = async ({ database }: World, tenant: TestTenant) => ({
  ...{ organizationId: tenant.id, id: await writeDrift(database, tenant.id), reason: 'as billed' },
});
const adjustment = async (world: World, tenant: TestTenant) => {
  const request = { ...(await drift(world, tenant)), accept: true };
  const { id } = await world.plane.expect('Reconciliation.Settle', tenant.owner.token, request);
  return { organizationId: tenant.id, id, reason: 'a mistake' };
};
const session = () => ({ session: randomUUID() });
const lease = () => ({ ...session(), budgetId: randomUUID(), window: 'total', seq: 1 });
/** One organization would soon reach its limit otherwise. */
const guardrailFields = async ({ plane }: World, tenant: TestTenant) => {
  await deleteAll(plane, tenant, 'Guardrails');
  return {
    ...{ organizationId: tenant.id, name: freshName('guardrail').replace(' ', '-') },
    ...{ stage: 'GUARDRAIL_STAGE_BOTH', action: 'GUARDRAIL_ACTION_BLOCK' },
    check: { webhook: { url: 'https://checks.example.com/' } },
  };
};
const guardrail = async (world: World, tenant: TestTenant) => {
  const request = await guardrailFields(world, tenant);
  return { id: (await world.plane.expect('Guardrails.Create', tenant.owner.token, request)).guardrail.id };
};
/** Of a key of the caller, if it is a member. */
const recordedRequest = async ({ database }: World, tenant: TestTenant, caller: Someone) => {
  const of = { organizationId: tenant.id, personId: memberOf(tenant, caller).id };
  return { organizationId: tenant.id, id: await writeRequest(database, of) };
};
const route = async ({ plane }: World, tenant: TestTenant) => {
  const request = { organizationId: tenant.id, ...routeFields() };
  return { id: (await plane.expect('Routes.Create', tenant.owner.token, request)).id };
};
/** Without the generation before, which would keep the key from being rotated again. */
const rotatable = async ({ database }: World, { id }: TestTenant) => {
  await database.raw(`delete from record_keys where organization_id = '${id}' and replaced_at is not null`);
  return { id };
};
const person = async ({ plane }: World, tenant: TestTenant) => ({
  id: (await createPerson(plane, tenant, 'ROLE_MEMBER')).id,
});
const scopeOf = (someone: Someone) => ({ kind: 'KEY_SCOPE_KIND_PERSON', id: someone.id });
/** Scoped to a member: to the caller, if it is one. */
const memberOf = (tenant: TestTenant, caller: Someone) => (caller.id === tenant.member.id ? caller : tenant.member);
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

export const expectations: Record<MethodName, Expectation> = {
  'Access.Resolve': { ...nobodyButOthers, request: () => ({ keyHash: Buffer.alloc(32) }) },
  'Access.ResolveMany': { ...nobodyButOthers, request: () => ({ keyHashes: [Buffer.alloc(32)] }) },
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
  'Audit.Verify': { ...platformOnly, request: () => ({}) },
  'Budgets.ListWindows': { ...everybodyInside, platform: hidden, request: inOrganization },
  'Budgets.ListUnsettled': { ...managersHiddenFromPlatform, request: inOrganization },
  'Budgets.Release': { ...managersHiddenFromPlatform, request: unconfirmed },
  'Budgets.Reset': {
    ...managersHiddenFromPlatform,
    request: async (world, tenant) => ({ limitId: (await budget(world, tenant)).id, reason: 'a test' }),
  },
  'Budgets.Explain': {
    ...everybodyInside,
    request: (_world, { id }) => ({ organizationId: id, subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id } }),
  },
  'Guardrails.Create': { ...managersOnly, request: guardrailFields },
  'Guardrails.Get': { ...managersOnly, request: guardrail },
  'Guardrails.List': { ...managersOnly, request: inOrganization },
  'Guardrails.Update': { ...managersOnly, request: guardrail },
  'Guardrails.RotateSecret': { ...managersOnly, request: guardrail },
  'Guardrails.Delete': { ...managersOnly, request: guardrail },
  'Guardrails.Test': {
    ...managersOnly,
    request: (_world, tenant) => ({
      ...{ organizationId: tenant.id, stage: 'GUARDRAIL_STAGE_INPUT', text: 'Rosebud' },
    }),
  },
  'Guardrails.ReportDecisions': { ...nobodyButOthers, request: () => ({ samples: [] }) },
  'Ledger.KeepSession': { ...nobodyButOthers, request: session },
  'Ledger.Draw': { ...nobodyButOthers, request: () => ({ ...lease(), needNanoUsd: '1', wantNanoUsd: '1' }) },
  'Ledger.Return': { ...nobodyButOthers, request: () => ({ ...lease(), amountNanoUsd: '1' }) },
  'Ledger.ReportUsage': { ...nobodyButOthers, request: () => ({ events: [] }) },
  'Ledger.CloseSession': { ...nobodyButOthers, request: () => ({ session: lease().session }) },
  'Limits.Create': {
    ...managersHiddenFromPlatform,
    request: async (world, tenant) => {
      const someone = await createPerson(world.plane, tenant, 'ROLE_MEMBER');
      return limitOn(tenant, someone);
    },
  },
  'Limits.Get': { ...everybodyInside, platform: hidden, request: limit },
  'Limits.List': { ...everybodyInside, platform: hidden, request: inOrganization },
  'Limits.Update': { ...managersHiddenFromPlatform, request: limit },
  'Limits.Raise': {
    ...managersHiddenFromPlatform,
    request: async (world, tenant) => ({ ...(await budget(world, tenant)), amountUsd: '1', endsAt: inAMonth() }),
  },
  'Limits.EndRaise': { ...managersHiddenFromPlatform, request: raised },
  'Limits.Delete': { ...managersHiddenFromPlatform, request: limit },
  'OperatorTokens.Bootstrap': { ...nobodyButOthers, request: () => ({ name: 'second' }) },
  'OperatorTokens.Create': { ...everybodyInside, platform: hidden, request: tokensOfMember },
  'OperatorTokens.List': { ...everybodyInside, platform: hidden, request: tokensOfMember },
  'OperatorTokens.Revoke': { ...everybodyInside, platform: hidden, request: operatorToken },
  'Organizations.Create': {
    ...platformOnly,
    request: () => ({ name: freshName('organization'), owner: { name: 'Olga' } }),
  },
  'Organizations.Get': { ...everybodyInside, platform: ok, request: organization },
  // It names no organization: every caller sees their own.
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
  'Organizations.SetWeight': {
    ...platformOnly,
    request: (_world, tenant) => ({ id: tenant.id, weight: 100 }),
  },
  'Organizations.RotateRecordKey': { ...managersOnly, request: rotatable },
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
  'Prices.Create': {
    ...managersOnly,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...priceFields() }),
  },
  'Prices.Get': { ...managersOnly, request: price },
  'Prices.List': { ...managersOnly, request: inOrganization },
  'Prices.Update': { ...managersOnly, request: price },
  'Prices.Delete': { ...managersOnly, request: price },
  'ProviderKeys.Create': {
    ...managersOnly,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...providerKeyFields() }),
  },
  'ProviderKeys.Get': { ...managersOnly, request: providerKey },
  'ProviderKeys.List': { ...managersOnly, request: inOrganization },
  'ProviderKeys.Update': { ...managersOnly, request: providerKey },
  'ProviderKeys.Delete': { ...managersOnly, request: providerKey },
  'ProviderKeys.Test': { ...managersOnly, request: providerKey },
  'ProviderKeys.ReportRefused': { ...nobodyButOthers, request: () => ({ keys: [] }) },
  'Providers.Create': {
    ...managersHiddenFromPlatform,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...providerFields() }),
  },
  'Providers.Get': { ...managersHiddenFromPlatform, request: customProvider },
  'Providers.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'Providers.Update': { ...managersHiddenFromPlatform, request: customProvider },
  'Providers.Delete': { ...managersHiddenFromPlatform, request: customProvider },
  'Reconciliation.ImportBill': { ...managersOnly, request: (_world, tenant) => importedBill(tenant) },
  'Reconciliation.ListBillDays': { ...managersOnly, request: inOrganization },
  'Reconciliation.DeleteBill': { ...managersOnly, request: (_world, tenant) => bill(tenant) },
  'Reconciliation.SetMapping': { ...managersOnly, request: (_world, tenant) => mapping(tenant) },
  'Reconciliation.ListMappings': { ...managersOnly, request: inOrganization },
  'Reconciliation.DeleteMapping': {
    ...managersOnly,
    request: async ({ plane }, tenant) => {
      const { vendor, reference } = await plane.expect(
        'Reconciliation.SetMapping',
        tenant.owner.token,
        mapping(tenant),
      );
      return { organizationId: tenant.id, vendor, reference };
    },
  },
  'Reconciliation.ListDrift': { ...managersOnly, request: inOrganization },
  'Reconciliation.GetDrift': { ...managersOnly, request: drift },
  'Reconciliation.ListDays': { ...managersOnly, request: inOrganization },
  'Reconciliation.Settle': { ...managersOnly, request: drift },
  'Reconciliation.Undo': { ...managersOnly, request: adjustment },
  'Reconciliation.ListAdjustments': { ...managersOnly, request: inOrganization },
  'Reconciliation.GetSettings': { ...managersOnly, request: inOrganization },
  'Reconciliation.UpdateSettings': { ...managersOnly, request: inOrganization },
  // It names no organization.
  'Requests.Report': { ...nobodyButOthers, request: () => ({ requests: [], sources: [] }) },
  'Requests.List': { ...everybodyInside, request: inOrganization },
  'Requests.Get': { ...everybodyInside, request: recordedRequest },
  'Routes.Create': {
    ...managersOnly,
    request: (_world, tenant) => ({ organizationId: tenant.id, ...routeFields() }),
  },
  'Routes.Get': { ...managersOnly, request: route },
  'Routes.List': { ...managersOnly, request: inOrganization },
  'Routes.Update': { ...managersOnly, request: route },
  'Routes.Delete': { ...managersOnly, request: route },
  'Stops.Create': { ...managersHiddenFromPlatform, request: stopFields },
  'Stops.Get': { ...managersHiddenFromPlatform, request: stopMade },
  'Stops.List': { ...managersHiddenFromPlatform, request: inOrganization },
  'Stops.Delete': { ...managersHiddenFromPlatform, request: stopMade },
  ...signInExpectations,
  // Only sessions of the console approve programs.
  'Sessions.ApproveProgram': { ...nobodyButOthers, request: () => ({ name: 'x', codeChallenge: 'x' }) },
  'Sessions.ApproveDevice': { ...nobodyButOthers, request: () => ({ userCode: 'BBBB-BBBB' }) },
  'Sessions.CreateLink': { ...everybodyInside, otherOwner: ok, otherMember: ok, platform: ok, request: () => ({}) },
  // A member sees their own sessions, without the organization.
  'Sessions.List': { ...managersHiddenFromPlatform, otherMember: hidden, request: inOrganization },
  'Sessions.Revoke': {
    ...everybodyInside,
    platform: hidden,
    request: async ({ database }, tenant, caller) => ({
      id: await writeSession(database, memberOf(tenant, caller).id),
    }),
  },
  'Status.Get': { ...everybodyInside, otherOwner: ok, otherMember: ok, platform: ok, request: () => ({}) },
  ...captureExpectations,
  ...machineExpectations,
  ...sums,
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
  'VirtualKeys.Explain': { ...everybodyInside, request: virtualKey },
  'VirtualKeys.Update': { ...managersOnly, request: virtualKey },
  'VirtualKeys.Rotate': { ...everybodyInside, request: virtualKey },
  'VirtualKeys.Revoke': { ...everybodyInside, request: virtualKey },
  'Webhooks.Create': {
    ...managersOnly,
    request: async ({ plane }, tenant) => {
      await deleteAll(plane, tenant, 'Webhooks');
      return { organizationId: tenant.id, ...webhookFields() };
    },
  },
  'Webhooks.Get': { ...managersOnly, request: webhook },
  'Webhooks.List': { ...managersOnly, request: inOrganization },
  'Webhooks.Update': { ...managersOnly, request: webhook },
  'Webhooks.RotateSecret': { ...managersOnly, request: webhook },
  'Webhooks.Delete': { ...managersOnly, request: webhook },
  'Webhooks.ListDeliveries': {
    ...managersOnly,
    request: async (world, tenant) => ({ webhookId: (await webhook(world, tenant)).id }),
  },
  'Webhooks.GetDelivery': { ...managersOnly, request: delivery },
  'Webhooks.Test': { ...managersOnly, request: webhook },
  'Webhooks.Redeliver': { ...managersOnly, request: delivery },
};
