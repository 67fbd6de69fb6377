// Lists the differences between bills and ledger, and the compared days, from the results of comparisons.
import type { Kysely, Selectable } from 'kysely';
import { usdOfNano } from '../../common/money.ts';
import { isUuid } from '../../common/uuid.ts';
import type { Drift } from '../../proto/generated/gateway/v1/Drift.ts';
import type { GetDriftRequest__Output } from '../../proto/generated/gateway/v1/GetDriftRequest.ts';
import type { ListDriftRequest__Output } from '../../proto/generated/gateway/v1/ListDriftRequest.ts';
import type { ListDriftResponse } from '../../proto/generated/gateway/v1/ListDriftResponse.ts';
import type { ListReconciledDaysRequest__Output } from '../../proto/generated/gateway/v1/ListReconciledDaysRequest.ts';
import type { ListReconciledDaysResponse } from '../../proto/generated/gateway/v1/ListReconciledDaysResponse.ts';
import type { ReconciledDay } from '../../proto/generated/gateway/v1/ReconciledDay.ts';
import {
  type BillVendor,
  billReferenceKinds,
  billRowKinds,
  billVendors,
  type DriftState,
  driftReasonCodes,
  driftStates,
} from '../../proto/words/money.ts';
import { billVendor, driftState } from '../domain/bill.ts';
import { each, type Field, isValid, optional, valid } from '../domain/field.ts';
import { date, id, timeText } from '../domain/shared-fields.ts';
import { theReasons } from '../reconciliation/explain.ts';
import { theReferences } from '../reconciliation/mappings.ts';
import { openStates } from '../reconciliation/standing.ts';
import { theTokens } from '../reconciliation/tokens.ts';
import { checked } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import { jsonColumn, strings } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { ReadCall } from './method.ts';

export type DriftRow = Selectable<Schema['reconcile_rows']>;
type DayRow = Selectable<Schema['reconcile_days']>;

export async function listDrift(call: ReadCall, request: ListDriftRequest__Output): Promise<ListDriftResponse> {
  const { size, limit, after } = pageBy(request, readRowKey);
  const { from, to, vendor, states } = checked({
    from: optional(date, request.from),
    to: optional(date, request.to),
    vendor: optional(billVendor, request.vendor),
    states: statesOf(request.states),
  });
  let query = call.db
    .selectFrom('reconcile_rows')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .where('state', 'in', states)
    .orderBy('day', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (from !== undefined) query = query.where('day', '>=', from);
  if (to !== undefined) query = query.where('day', '<=', to);
  if (vendor !== undefined) query = query.where('vendor', '=', vendor);
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('day', 'id'), '<', tuple(...after)));
  const keyOf = (row: DriftRow) => `${row.day} ${row.id}`;
  const { items, nextPageToken } = cutPage(await query.execute(), size, keyOf, driftMessage);
  const daysPending = await countPending(call, request.organizationId);
  return { drift: items, nextPageToken, daysPending };
}

export async function getDrift(call: ReadCall, request: GetDriftRequest__Output): Promise<Drift> {
  return driftMessage(await findDrift(call.db, request));
}

/** @throws CallError */
export async function findDrift(
  db: Kysely<Schema>,
  request: { readonly organizationId: string; readonly id: string },
): Promise<DriftRow> {
  checked({ id: id(request.id) });
  const row = await db
    .selectFrom('reconcile_rows')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .where('id', '=', request.id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

export async function listDays(
  call: ReadCall,
  request: ListReconciledDaysRequest__Output,
): Promise<ListReconciledDaysResponse> {
  const { size, limit, after } = pageBy(request, readDayKey);
  const { vendor } = checked({ vendor: optional(billVendor, request.vendor) });
  let query = call.db
    .selectFrom('reconcile_days')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .orderBy('day', 'desc')
    .orderBy('vendor', 'desc')
    .limit(limit);
  if (vendor !== undefined) query = query.where('vendor', '=', vendor);
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('day', 'vendor'), '<', tuple(...after)));
  const keyOf = (row: DayRow) => `${row.day} ${row.vendor}`;
  const { items, nextPageToken } = cutPage(await query.execute(), size, keyOf, dayMessage);
  return { days: items, nextPageToken };
}

/** An empty list means every state but `settled`. */
function statesOf(names: readonly string[]): Field<readonly DriftState[]> {
  if (names.length === 0) return valid(openStates);
  return each(driftState, names);
}

/** Counts days that have changed since their last comparison. */
async function countPending({ db }: ReadCall, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('reconcile_days')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .whereRef('compared_version', '<>', 'version')
    .executeTakeFirstOrThrow();
  return Number(count);
}

function readRowKey(text: string): readonly [day: string, id: string] | undefined {
  const [day = '', rowId = '', ...more] = text.split(' ');
  return isValid(date(day)) && isUuid(rowId) && more.length === 0 ? [day, rowId] : undefined;
}

function readDayKey(text: string): readonly [day: string, vendor: BillVendor] | undefined {
  const [day = '', vendor = '', ...more] = text.split(' ');
  const known = billVendors.words.find((word) => word === vendor);
  return isValid(date(day)) && known !== undefined && more.length === 0 ? [day, known] : undefined;
}

const keysOf = jsonColumn('reconcile_rows', 'provider_key_ids', strings);
const refsOf = jsonColumn('reconcile_rows', 'refs', theReferences);
const reasonsOf = jsonColumn('reconcile_rows', 'reasons', theReasons);
const billedTokensOf = jsonColumn('reconcile_rows', 'billed_tokens', theTokens);
const ledgerTokensOf = jsonColumn('reconcile_rows', 'ledger_tokens', theTokens);

export function driftMessage(row: DriftRow) {
  const reasons = reasonsOf(row);
  return {
    id: row.id,
    vendor: billVendors.names[row.vendor],
    day: row.day,
    providerKeyIds: keysOf(row),
    references: refsOf(row).map(({ kind, value }) => ({
      kind: billReferenceKinds.names[kind],
      value,
    })),
    model: row.model,
    kind: billRowKinds.names[row.kind],
    ...(row.billed !== null && { billedUsd: usdOfNano(row.billed) }),
    ledgerUsd: usdOfNano(row.ledger),
    adjustedUsd: usdOfNano(row.adjusted),
    driftUsd: usdOfNano(row.drift - row.adjusted),
    ...(row.billed_tokens !== null && {
      billedTokens: billedTokensOf({ billed_tokens: row.billed_tokens }, row.id),
    }),
    ledgerTokens: ledgerTokensOf(row),
    ...(row.billed_requests !== null && { billedRequests: row.billed_requests }),
    ledgerRequests: row.ledger_requests,
    reasons: reasons.map(({ code, amount, detail }) => ({
      code: driftReasonCodes.names[code],
      amountUsd: usdOfNano(amount),
      detail,
    })),
    unexplainedUsd: usdOfNano(row.unexplained),
    state: driftStates.names[row.state],
    firstSeenAt: timeText(row.first_seen_at),
    comparedAt: timeText(row.compared_at),
    codes: reasons.map(({ code }) => driftReasonCodes.names[code]),
  } satisfies Drift;
}

function dayMessage(row: DayRow) {
  return {
    vendor: billVendors.names[row.vendor],
    day: row.day,
    ...(row.compared_at !== null && { comparedAt: timeText(row.compared_at) }),
    preliminary: row.preliminary === 1,
    compared: row.compared,
    agreed: row.agreed,
    ...(row.billed !== null && { billedUsd: usdOfNano(row.billed) }),
    ledgerUsd: usdOfNano(row.ledger),
    adjustedUsd: usdOfNano(row.adjusted),
    ignoredUsd: usdOfNano(row.ignored),
    driftUsd: usdOfNano(row.drift),
    unexplainedUsd: usdOfNano(row.unexplained),
  } satisfies ReconciledDay;
}
