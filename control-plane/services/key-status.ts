// The status of a virtual key by its own fields. If several apply it is the first in the order in which requests are
// refused: revoked, inactive, expired. Its scope and organization may be suspended in addition. This is the only rule,
// for rows and for queries.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { KeyStatus__Output as KeyStatusName } from '../../proto/generated/gateway/v1/KeyStatus.ts';
import { type KeyStatus, keyStatuses as statuses } from '../../proto/words/access.ts';
import { wordOf } from '../domain/enum-names.ts';
import { each, type Field, valid } from '../domain/field.ts';
import type { Schema } from '../store/schema.ts';

export interface KeyColumns {
  readonly revoked_at: number | null;
  readonly active: 0 | 1;
  readonly ends_at: number | null;
}

/** @param now milliseconds since 1970; at its end time a key is expired */
export function keyStatus({ revoked_at, active, ends_at }: KeyColumns, now: number): KeyStatus {
  if (revoked_at !== null) return 'revoked';
  if (active === 0) return 'inactive';
  return ends_at !== null && ends_at <= now ? 'expired' : 'active';
}

/** The same for a row of virtual_keys in a query. */
export function keyStatusColumn(now: number): RawBuilder<KeyStatus> {
  return sql<KeyStatus>`case
    when revoked_at is not null then 'revoked'
    when active = 0 then 'inactive'
    when ends_at <= ${now} then 'expired'
    else 'active' end`;
}

/** How many keys of a query have each status; only statuses that occur. */
export async function countStatuses<Selected>(
  keys: SelectQueryBuilder<Schema, 'virtual_keys', Selected>,
  now: number,
): Promise<{ status: KeyStatusName; count: string }[]> {
  const rows = await keys
    .clearSelect()
    .select([keyStatusColumn(now).as('status'), sql<number>`count(*)`.as('count')])
    // By the alias: with parameters of their own, PostgreSQL takes two equal expressions for different ones.
    .groupBy(sql.ref('status'))
    .execute();
  const counted = new Map(rows.map((row) => [row.status, row.count]));
  return statuses.words.flatMap((word) => {
    const count = counted.get(word);
    return count === undefined ? [] : [{ status: statuses.names[word], count: String(count) }];
  });
}

const oneStatus = wordOf(statuses);

/** The statuses without repetitions. */
export function keyStatuses(names: readonly string[]): Field<readonly KeyStatus[]> {
  const read = each(oneStatus, names);
  return 'problems' in read ? read : valid([...new Set(read.value)]);
}
