// One limit: its row, what proxies are told of it, and its end with its subject.
import type { Kysely, Selectable } from 'kysely';
import type { LimitRecord } from '../../proto/generated/gateway/v1/LimitRecord.ts';
import { limitKindsInContract } from '../domain/limit.ts';
import type { Schema } from '../store/schema.ts';

export type LimitRow = Selectable<Schema['limits']>;

/** What the record of its subject says of it. */
export function limitRecord(row: LimitRow) {
  return {
    id: row.id,
    kind: limitKindsInContract[row.kind],
    count: String(row.amount),
    ...(row.model === null ? {} : { model: row.model }),
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
    .orderBy('id')
    .execute();
  const bySubject = Map.groupBy(rows, (row) => row.subject_id);
  return (subjectId) => (bySubject.get(subjectId) ?? []).map(limitRecord);
}

/**
 * Deletes the limits of an AI system or person that is deleted, and of its keys; or of a key that is revoked. None of them
 * can ever hold anything again, and left in lists they would be taken for something that does. What they said stands in the
 * audit log; the rates they counted are worth nothing after a minute.
 * @returns how many
 */
export async function deleteLimitsUnder(db: Kysely<Schema>, subjectId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('limits')
    .where((where) =>
      where.or([
        where('subject_id', '=', subjectId),
        where(
          'subject_id',
          'in',
          where.selectFrom('virtual_keys').select('id').where('scope_id', '=', subjectId),
        ),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
