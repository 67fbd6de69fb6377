// Adjustments settle a difference between bill and ledger by an entry with an author and a reason; the difference is
// either recorded in the ledger or accepted. An adjustment never changes: a counter-entry undoes it.
import type { Selectable } from 'kysely';
import { aList, aPair, aString } from '../../common/json-shape.ts';
import { usdOfNano } from '../../common/money.ts';
import { never } from '../../common/never.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { Adjustment } from '../../proto/generated/gateway/v1/Adjustment.ts';
import type { ListAdjustmentsRequest__Output } from '../../proto/generated/gateway/v1/ListAdjustmentsRequest.ts';
import type { ListAdjustmentsResponse } from '../../proto/generated/gateway/v1/ListAdjustmentsResponse.ts';
import type { SettleDriftRequest__Output } from '../../proto/generated/gateway/v1/SettleDriftRequest.ts';
import type { UndoAdjustmentRequest__Output } from '../../proto/generated/gateway/v1/UndoAdjustmentRequest.ts';
import { limitSubjects } from '../../proto/words/access.ts';
import { billVendors } from '../../proto/words/money.ts';
import { reasonText, signedUsd } from '../domain/bill.ts';
import type { Reference } from '../domain/enum-names.ts';
import { optional } from '../domain/field.ts';
import { type UsageOwnerKind, usageOwner } from '../domain/limit.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import { AdjustmentTooLargeError, recordAdjustment } from '../ledger/adjustments.ts';
import { isBeyond } from '../reconciliation/analysis.ts';
import { readBound } from '../reconciliation/day-inputs.ts';
import { markDays } from '../reconciliation/due.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { cutPage, pageById } from '../rpc/page.ts';
import { jsonColumn, strings } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { type DriftRow, findDrift } from './bill-drift.ts';
import { flag } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';

type AdjustmentRow = Selectable<Schema['usage_adjustments']>;

/** For one organization. */
const adjustmentsMax = 10_000;

export async function settle(call: ChangeCall, request: SettleDriftRequest__Output): Promise<Outcome<Adjustment>> {
  const { organizationId } = request;
  const fields = checked({
    reason: reasonText(request.reason),
    if_drift_usd: optional(signedUsd, request.ifDriftUsd),
    amount_usd: optional(signedUsd, request.amountUsd),
    subject: optional(usageOwner(organizationId), request.subject),
  });
  const drift = await findDrift(call.db, request);
  const left = drift.drift - drift.adjusted;
  const amount = amountOf(drift, left, fields);
  const subject: Reference<UsageOwnerKind> = fields.subject ?? { kind: 'organization', id: organizationId };
  await requireExists(call.db, organizationId, { field: 'subject', ...subject });
  await requireSubject(call, organizationId);
  const [firstKey = ''] = keysOfDrift(drift);
  const row: AdjustmentRow = {
    id: uuidv7(call.now),
    organization_id: organizationId,
    drift_id: drift.id,
    vendor: drift.vendor,
    day: drift.day,
    at: Date.parse(drift.day),
    provider_key_id: firstKey,
    refs: drift.refs,
    model: drift.model,
    name: drift.name,
    kind: drift.kind,
    amount,
    booked: flag(!request.accept),
    ...(await subjectColumns(call, subject)),
    reason: fields.reason,
    author_id: call.caller.personId,
    windows: '[]',
    undoes: null,
    undone_by: null,
    created_at: call.now,
    revision: call.revision,
  };
  return await enter(call, row);
}

export async function undo(call: ChangeCall, request: UndoAdjustmentRequest__Output): Promise<Outcome<Adjustment>> {
  const fields = checked({ id: id(request.id), reason: reasonText(request.reason) });
  const before = await call.db
    .selectFrom('usage_adjustments')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .where('id', '=', fields.id)
    .executeTakeFirst();
  if (before === undefined) throw notFound('id');
  if (before.undoes !== null || before.undone_by !== null) {
    throw new CallError('adjustment_undone', 'it was undone already, or undoes another; settle the difference anew');
  }
  await requireSubject(call, request.organizationId);
  const row: AdjustmentRow = {
    ...before,
    id: uuidv7(call.now),
    amount: -before.amount,
    reason: fields.reason,
    windows: '[]',
    author_id: call.caller.personId,
    undoes: before.id,
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.updateTable('usage_adjustments').set({ undone_by: row.id }).where('id', '=', before.id).execute();
  return await enter(call, row);
}

export async function listAdjustments(
  call: ReadCall,
  request: ListAdjustmentsRequest__Output,
): Promise<ListAdjustmentsResponse> {
  const { size, limit, after } = pageById(request);
  let query = call.db
    .selectFrom('usage_adjustments')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (after !== undefined) query = query.where('id', '<', after);
  const { items, nextPageToken } = cutPage(await query.execute(), size, (row) => row.id, message);
  return { adjustments: items, nextPageToken };
}

interface AmountFields {
  readonly if_drift_usd: number | undefined;
  readonly amount_usd: number | undefined;
}

/** @throws CallError */
function amountOf(drift: DriftRow, left: number, { if_drift_usd, amount_usd }: AmountFields): number {
  if (if_drift_usd !== undefined && if_drift_usd !== left) {
    throw new CallError('drift_changed', `the difference is ${usdOfNano(left)} USD by now; read it again`);
  }
  if (left === 0) throw new CallError('drift_settled', 'nothing is left of it to be settled');
  if (drift.state === 'preliminary') {
    throw new CallError('drift_preliminary', 'the bill of this day may still change; import it again when it is final');
  }
  const amount = amount_usd ?? left;
  const fits = Math.sign(amount) === Math.sign(left) && Math.abs(amount) <= Math.abs(left);
  if (fits) return amount;
  const description = `must have the sign of the difference, which is ${usdOfNano(left)}, and be no more than it`;
  throw invalidRequest([{ field: 'amount_usd', description }]);
}

/**
 * Records the amount in the ledger, unless the entry only accepts the difference, and subtracts it from the difference.
 */
async function enter(call: ChangeCall, row: AdjustmentRow): Promise<Outcome<Adjustment>> {
  const windows = row.booked === 1 ? await record(call, row) : [];
  const entered = { ...row, windows: JSON.stringify(windows) };
  await call.db.insertInto('usage_adjustments').values(entered).execute();
  // Locks the day before its differences, in the order of comparisons, so that they cannot deadlock.
  await markDays(call, { organizationId: row.organization_id, vendor: row.vendor }, [row.day]);
  await takeOff(call, entered);
  return {
    result: message(entered),
    organizationId: row.organization_id,
    target: { kind: 'adjustment', id: row.id },
    after: message(entered),
    // No record contains spent money; proxies learn it when they next acquire.
    invalidations: [],
  };
}

async function record(call: ChangeCall, row: AdjustmentRow): Promise<readonly (readonly [string, string])[]> {
  try {
    const windows = await recordAdjustment(call, {
      organizationId: row.organization_id,
      subjectId: row.subject_id,
      keyId: row.key_id,
      aiSystemId: row.ai_system_id,
      personId: row.person_id,
      model: row.model,
      at: row.at,
      amount: row.amount,
    });
    return windows.map(({ budget, window }) => [budget.id, window] as const);
  } catch (error) {
    if (!(error instanceof AdjustmentTooLargeError)) throw error;
    throw new CallError('adjustment_too_large', `${error.message}; name another subject, or accept the difference`);
  }
}

/** Updates the difference at once; the day is compared again soon. */
async function takeOff({ db }: ChangeCall, { organization_id, drift_id, amount }: AdjustmentRow): Promise<void> {
  const drift = await db
    .selectFrom('reconcile_rows')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('id', '=', drift_id)
    .executeTakeFirst();
  if (drift === undefined) return;
  const bound = await readBound(db, organization_id);
  const adjusted = drift.adjusted + amount;
  const larger = Math.max(Math.abs(drift.billed ?? 0), Math.abs(drift.ledger));
  const isSettled = !isBeyond(drift.drift - adjusted, larger, bound);
  await db
    .updateTable('reconcile_rows')
    .set({ adjusted, ...stateAfter(drift.state, isSettled) })
    .where('organization_id', '=', organization_id)
    .where('id', '=', drift_id)
    .execute();
}

/** The state until the day is compared again. An undone amount is no longer explained. */
function stateAfter(state: DriftRow['state'], isSettled: boolean): Partial<DriftRow> {
  if (isSettled) return { state: 'settled', unexplained: 0 };
  return state === 'settled' ? { state: 'unexplained' } : {};
}

/** Usage of a virtual key is also usage of its scope. */
async function subjectColumns({ db }: ChangeCall, { kind, id: subjectId }: Reference<UsageOwnerKind>) {
  const columns = { subject_kind: kind, subject_id: subjectId, key_id: '', ai_system_id: '', person_id: '' };
  switch (kind) {
    case 'organization':
      return columns;
    case 'ai_system':
      return { ...columns, ai_system_id: subjectId };
    case 'person':
      return { ...columns, person_id: subjectId };
    case 'virtual_key':
      return { ...columns, ...(await keyColumns(db, subjectId)) };
    default:
      return never(kind);
  }
}

async function keyColumns(db: ChangeCall['db'], keyId: string) {
  const key = await db
    .selectFrom('virtual_keys')
    .select(['scope_kind', 'scope_id'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow();
  return {
    key_id: keyId,
    ai_system_id: key.scope_kind === 'ai_system' ? key.scope_id : '',
    person_id: key.scope_kind === 'person' ? key.scope_id : '',
  };
}

/** @throws CallError */
async function requireSubject({ db }: ChangeCall, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('usage_adjustments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < adjustmentsMax) return;
  throw new CallError('too_many_adjustments', `there are ${adjustmentsMax}, which is the most`);
}

const keysOfDrift = jsonColumn('reconcile_rows', 'provider_key_ids', strings);
const windowsOf = jsonColumn('usage_adjustments', 'windows', aList(aPair(aString, aString)));

function message(row: AdjustmentRow) {
  const windows = windowsOf(row);
  return {
    id: row.id,
    organizationId: row.organization_id,
    driftId: row.drift_id,
    vendor: billVendors.names[row.vendor],
    day: row.day,
    ...(row.provider_key_id !== '' && { providerKeyId: row.provider_key_id }),
    model: row.model,
    amountUsd: usdOfNano(row.amount),
    booked: row.booked === 1,
    subject: { kind: limitSubjects.names[row.subject_kind], id: row.subject_id },
    reason: row.reason,
    authorId: row.author_id,
    createdAt: timeText(row.created_at),
    ...(row.undoes !== null && { undoes: row.undoes }),
    ...(row.undone_by !== null && { undoneBy: row.undone_by }),
    windows: windows.map(([limitId, window]) => ({ limitId, window })),
  } satisfies Adjustment;
}
