// Budgets for tests of authorization: requests about them, made again for each call.
import type { StoreDatabase } from './databases.ts';
import { writeLease, writeLedger } from './ledger-state.ts';
import type { OperatorsPlane, TestTenant } from './operators.ts';

interface Planes {
  readonly database: StoreDatabase;
  readonly plane: OperatorsPlane;
}

export const budget = async ({ plane }: Planes, tenant: TestTenant): Promise<{ readonly id: string }> => {
  await deleteAll(plane, tenant, 'Limits');
  const { id } = await plane.expect('Limits.Create', tenant.owner.token, {
    organizationId: tenant.id,
    subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: tenant.id },
    ...{ kind: 'LIMIT_KIND_BUDGET', amountUsd: '1', period: 'BUDGET_PERIOD_TOTAL' },
  });
  return { id };
};
export const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString();
export const raised = async (world: Planes, tenant: TestTenant) => {
  const { id } = await budget(world, tenant);
  const request = { id, amountUsd: '1', endsAt: inAMonth() };
  const { raises } = await world.plane.expect('Limits.Raise', tenant.owner.token, request);
  return { id, raiseId: raises[0].id };
};
/** Unconfirmed money of a budget from a silent proxy. */
export const unconfirmed = async (world: Planes, tenant: TestTenant) => {
  const { database } = world;
  const { id: budgetId } = await budget(world, tenant);
  const ledger = { budgetId, organizationId: tenant.id, window: 'total', unconfirmed: 5 };
  await writeLedger(database, ledger);
  const session = await writeLease(database, { ...ledger, remaining: ledger.unconfirmed });
  return { limitId: budgetId, window: ledger.window, session };
};

/** One organization, or a member, would soon reach its limit otherwise. */
export const deleteAll = async (
  plane: OperatorsPlane,
  tenant: TestTenant,
  service: 'Limits' | 'Webhooks' | 'Guardrails',
) => {
  const organizationId = tenant.id;
  const listed = await plane.expect(`${service}.List`, tenant.owner.token, { organizationId });
  for (const { id } of listed[service.toLowerCase()]) {
    await plane.expect(`${service}.Delete`, tenant.owner.token, { id });
  }
};
