// The size from which a difference between bill and ledger counts, for each organization.
import { usdOfNano } from '../../common/money.ts';
import type { GetReconciliationSettingsRequest__Output } from '../../proto/generated/gateway/v1/GetReconciliationSettingsRequest.ts';
import type { ReconciliationSettings } from '../../proto/generated/gateway/v1/ReconciliationSettings.ts';
import type { UpdateReconciliationSettingsRequest__Output } from '../../proto/generated/gateway/v1/UpdateReconciliationSettingsRequest.ts';
import { percent, signedUsd } from '../domain/bill.ts';
import { type Field, invalid, optional } from '../domain/field.ts';
import { defaultBound } from '../reconciliation/day-inputs.ts';
import { markAll } from '../reconciliation/due.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

export async function getSettings(
  call: ReadCall,
  { organizationId }: GetReconciliationSettingsRequest__Output,
): Promise<ReconciliationSettings> {
  return message(await read(call, organizationId));
}

export async function updateSettings(
  call: ChangeCall,
  request: UpdateReconciliationSettingsRequest__Output,
): Promise<Outcome<ReconciliationSettings>> {
  const { organizationId } = request;
  const before = await read(call, organizationId);
  const fields = checked({
    bound_percent: optional(percent, request.boundPercent),
    bound_usd: optional(positive, request.boundUsd),
  });
  expectRevision(request.ifRevision, before.revision);
  const columns = {
    bound_percent: fields.bound_percent ?? before.bound_percent,
    bound: fields.bound_usd ?? before.bound,
  };
  if (columns.bound_percent === before.bound_percent && columns.bound === before.bound)
    return { unchanged: message(before) };
  const after = { organization_id: organizationId, ...columns, revision: call.revision };
  await call.db
    .insertInto('reconcile_settings')
    .values(after)
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(after))
    .execute();
  await markAll(call, { organizationId });
  return {
    result: message(after),
    organizationId,
    target: { kind: 'reconciliation_settings', id: organizationId },
    before: message(before),
    after: message(after),
    invalidations: [],
  };
}

function positive(text: string): Field<number> {
  const usd = signedUsd(text);
  return 'value' in usd && usd.value < 0 ? invalid('must not be below zero') : usd;
}

type Row = {
  readonly organization_id: string;
  readonly bound_percent: number;
  readonly bound: number;
  readonly revision: number;
};

async function read({ db }: ReadCall, organizationId: string): Promise<Row> {
  const row = await db
    .selectFrom('reconcile_settings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  const { percent: bound_percent, least: bound } = defaultBound;
  return row ?? { organization_id: organizationId, bound_percent, bound, revision: 0 };
}

function message({ organization_id, bound_percent, bound, revision }: Row) {
  return {
    organizationId: organization_id,
    boundPercent: String(bound_percent / 100),
    boundUsd: usdOfNano(bound),
    revision: String(revision),
  } satisfies ReconciliationSettings;
}
