// One limit: its row, what proxies are told of it, who sees it, and its end with its subject.
import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from 'kysely';
import { storedSelector } from '../../catalog/model-selector.ts';
import { usdOfNano } from '../../common/money.ts';
import type { LimitRecord } from '../../proto/generated/gateway/v1/LimitRecord.ts';
import { budgetPeriods, limitKinds } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, ReadCall } from './method.ts';

export type LimitRow = Selectable<Schema['limits']>;

/** What the record of its subject says of it. */
export function limitRecord(row: LimitRow) {
  return {
    id: row.id,
    kind: limitKinds.names[row.kind],
    ...(row.period === null
      ? { count: String(row.amount) }
      : { amountUsd: usdOfNano(row.amount), period: budgetPeriods.names[row.period] }),
    ...(row.model === null ? {} : { model: storedSelector(row.model) }),
  } satisfies LimitRecord;
}

/** The limits of each of the subjects, oldest first. */
export async function readLimits(
  db: Kysely<Schema>,
  subjectIds: readonly string[],
): Promise<(subjectId: string) => LimitRecord[]> {
  const rows = await db
    .selectFrom('limits')
    .selectAll()
    .where('subject_id', 'in', subjectIds)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const bySubject = Map.groupBy(rows, (row) => row.subject_id);
  return (subjectId) => (bySubject.get(subjectId) ?? []).map(limitRecord);
}

/** A member sees what applies to themself: their own limits, their keys' and the organization's. */
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
 * Before a budget is made, changed or ended: proxies draw from it and book on it while they share this lock, so each of them
 * has seen what is committed here or is seen by it. Taken before any other row that they lock.
 */
export async function lockBooksOf(
  { db, locks }: Pick<ChangeCall, 'db' | 'locks'>,
  organizationId: string,
): Promise<void> {
  await locks.organizations(db, [organizationId], 'alone');
}

type Condition = (where: ExpressionBuilder<Schema, 'limits'>) => Expression<SqlBool>;

/** The books of a budget outlive it; of other limits nothing is left. @returns how many there were */
export async function deleteLimits(call: ChangeCall, which: Condition): Promise<number> {
  const { db, now, revision } = call;
  const rows = await db
    .selectFrom('limits')
    .select(['organization_id', 'kind'])
    .where(which)
    .where('deleted_at', 'is', null)
    .execute();
  const budget = rows.find(({ kind }) => kind === 'budget');
  if (budget !== undefined) await lockBooksOf(call, budget.organization_id);
  await db
    .updateTable('limits')
    .set({ deleted_at: now, revision })
    .where(which)
    .where('kind', '=', 'budget')
    .where('deleted_at', 'is', null)
    .execute();
  await db.deleteFrom('limits').where(which).where('kind', '!=', 'budget').execute();
  return rows.length;
}

/**
 * Deletes the limits of an AI system or person that is deleted, and of its keys; or of a key that is revoked. None of them
 * can ever hold anything again, and left in lists they would be taken for something that does. What they said stands in the
 * audit log; the rates they counted are worth nothing after a minute. Called before other rows of the subject are changed: the
 * lock on the books comes first.
 * @returns how many
 */
export function deleteLimitsUnder(call: ChangeCall, subjectId: string): Promise<number> {
  return deleteLimits(call, (where) =>
    where.or([
      where('subject_id', '=', subjectId),
      where(
        'subject_id',
        'in',
        where.selectFrom('virtual_keys').select('id').where('scope_id', '=', subjectId),
      ),
    ]),
  );
}
