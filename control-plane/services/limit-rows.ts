// One limit: its row, its form in records, who may see it, and its deletion with its subject.
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import type { CalendarStart } from '../../common/local-windows.ts';
import { usdOfNano } from '../../common/money.ts';
import type { BudgetRaise } from '../../proto/generated/gateway/v1/BudgetRaise.ts';
import type { Limit } from '../../proto/generated/gateway/v1/Limit.ts';
import type { LimitRecord } from '../../proto/generated/gateway/v1/LimitRecord.ts';
import { budgetPeriods, limitKinds, limitSubjects, limitTraffics } from '../../proto/words/access.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { AccessLimitRow } from '../store/access-rows.ts';
import { calendarStartOf, type Raise, raisesOf, thresholdsOf } from '../store/budget-columns.ts';
import { budgetKinds } from '../store/budget-tables.ts';
import { countingOf, kindOf } from '../store/limit-counting.ts';
import { organizationOrPlatform } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, ReadCall } from './method.ts';

export type LimitRow = Selectable<Schema['limits']>;

/** The limit as its subject's record contains it. */
export function limitRecord(row: AccessLimitRow) {
  const start = calendarStartOf(row);
  const period = row.period === null ? undefined : budgetPeriods.names[row.period];
  const size = sizeOf(row);
  return {
    ...size,
    ...(isCountedApart(row) && { kind: unknownKind, counting: countingRecord(row, size) }),
    ...(row.model === null ? {} : { model: storedSelector(row.model) }),
    ...(period && (start === undefined ? { period } : { period: unknownPeriod, windows: { period, ...parts(start) } })),
  } satisfies LimitRecord;
}

function isCountedApart({ counting, subject_kind }: Pick<LimitRow, 'counting' | 'subject_kind'>): boolean {
  return counting !== null || subject_kind === 'provider_key';
}

function countingRecord(row: AccessLimitRow, { kind }: Pick<ReturnType<typeof sizeOf>, 'kind'>) {
  const providerKeyId = row.subject_kind === 'provider_key' ? row.subject_id : undefined;
  return { kind, ...countingFields(row), ...(providerKeyId !== undefined && { providerKeyId }) };
}

/** A proxy that does not know tags, counters and parts of the traffic refuses a limit of this kind. */
const unknownKind = 'LIMIT_KIND_UNSPECIFIED';

/** A proxy that does not know the windows refuses a budget with this period. */
const unknownPeriod = 'BUDGET_PERIOD_UNSPECIFIED';

function countingFields(row: Pick<LimitRow, 'id' | 'counting'>) {
  const { tag, each, required, traffic } = countingOf(row) ?? {};
  return {
    ...(tag && { tag }),
    ...(each && { each }),
    ...(required === true && { required }),
    ...(traffic && { traffic: limitTraffics.names[traffic] }),
  };
}

function parts({ timeZone, ...startsOn }: CalendarStart) {
  return { timeZone, startsOn };
}

function sizeOf(row: Pick<LimitRow, 'id' | 'kind' | 'amount' | 'period'>) {
  return {
    ...{ id: row.id, kind: limitKinds.names[kindOf(row)] },
    ...(row.period === null ? { count: String(row.amount) } : { amountUsd: usdOfNano(row.amount) }),
  };
}

/** The limit as operators see it, with the raises that have not ended. */
export function limitMessage(row: LimitRow, now: number) {
  const start = calendarStartOf(row);
  const thresholds = thresholdsOf(row);
  return {
    ...sizeOf(row),
    ...(row.period !== null && { period: budgetPeriods.names[row.period] }),
    ...(row.model !== null && { model: canonicalSelector(row.model) }),
    ...(start && parts(start)),
    ...(row.soft === 1 && { soft: true }),
    ...(thresholds && { thresholds: { percents: [...thresholds] } }),
    ...countingFields(row),
    raises: raisesOf(row).flatMap((raise) => (raise.until > now ? [raiseMessage(raise)] : [])),
    organizationId: organizationOrPlatform(row.organization_id) ?? '',
    subject: { kind: limitSubjects.names[row.subject_kind], id: organizationOrPlatform(row.subject_id) ?? '' },
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Limit;
}

function raiseMessage({ id, amount, from, until, reason }: Raise) {
  return {
    ...{ id, amountUsd: usdOfNano(amount), createdAt: timeText(from), endsAt: timeText(until), reason },
  } satisfies BudgetRaise;
}

/**
 * The limits of each subject, in their order. Budgets of an organization's provider keys are among the organization's.
 * @param rows without soft budgets: proxies have nothing to enforce in them
 */
export function limitsBySubject(rows: readonly AccessLimitRow[]): (subjectId: string) => LimitRecord[] {
  const bySubject = Map.groupBy(rows, ({ subject_kind, subject_id, organization_id }) =>
    subject_kind === 'provider_key' ? organization_id : subject_id,
  );
  return (subjectId) => (bySubject.get(subjectId) ?? []).map(limitRecord);
}

/** A member sees the limits that apply to them: their own, those of their keys, and the organization's. */
export function shownTo({ personId, role }: ReadCall['caller']) {
  return (where: ExpressionBuilder<Schema, 'limits'>) => {
    if (role !== 'member') return where.and([]);
    const keys = where
      .selectFrom('virtual_keys')
      .select('id')
      .where('scope_kind', '=', 'person')
      .where('scope_id', '=', personId);
    return where.or([
      where('subject_kind', '=', 'organization'),
      where('subject_id', '=', personId),
      where('subject_id', 'in', keys),
    ]);
  };
}

/**
 * Takes the organization's ledger lock exclusively before a budget is created, changed or deleted. Acquisitions and
 * reports share this lock, so each of them either sees the committed change or is seen by it. Take it before any other
 * row that they lock.
 */
export async function lockWindowsOf(
  { db, locks }: Pick<ChangeCall, 'db' | 'locks'>,
  organizationId: string,
): Promise<void> {
  await locks.organizations(db, [organizationId], 'alone');
}

type Condition = (where: ExpressionBuilder<Schema, 'limits'>) => Expression<SqlBool>;

/**
 * The ledger of a budget outlives it, so its row stays; rows of other limits are deleted.
 * @returns how many limits there were
 */
export async function deleteLimits(call: ChangeCall, which: Condition): Promise<number> {
  const { db, now, revision } = call;
  const rows = await db
    .selectFrom('limits')
    .select(['organization_id', 'kind'])
    .where(which)
    .where('deleted_at', 'is', null)
    .execute();
  const budget = rows.find((row) => kindOf(row) === 'budget');
  if (budget !== undefined) await lockWindowsOf(call, budget.organization_id);
  // Their counters leave room for those of other limits.
  await db
    .updateTable('limit_counters')
    .set({ ends_at: now })
    .where('limit_id', 'in', (from) =>
      from.selectFrom('limits').select('id').where(which).where('deleted_at', 'is', null),
    )
    .execute();
  await db
    .updateTable('limits')
    .set({ deleted_at: now, revision })
    .where(which)
    .where('kind', 'in', budgetKinds)
    .where('deleted_at', 'is', null)
    .execute();
  await db.deleteFrom('limits').where(which).where('kind', 'not in', budgetKinds).execute();
  return rows.length;
}

/**
 * Deletes the limits of a deleted AI system or person and of its keys, or those of a revoked key. They can never apply
 * again, and in lists they would look effective. The audit log still has their content, and counts of rates are worth
 * nothing after a minute. Call it before other rows of the subject change, because the ledger lock comes first.
 * @returns how many limits were deleted
 */
export function deleteLimitsUnder(call: ChangeCall, subjectId: string): Promise<number> {
  return deleteLimits(call, (where) =>
    where.or([
      where('subject_id', '=', subjectId),
      where('subject_id', 'in', where.selectFrom('virtual_keys').select('id').where('scope_id', '=', subjectId)),
    ]),
  );
}
