// What a limit's row says of the requests that it counts: those with a tag, and whether each value has a counter. Pure.

import { type RawBuilder, sql } from 'kysely';
import { type CounterKind, isCounterKind, tagOfEach } from '../../common/counter-names.ts';
import { aFlag, aRecord, aString, aWord, orAbsent, type Shape, ShapeError } from '../../common/json-shape.ts';
import type { LimitKind, TrafficPart } from '../../proto/words/access.ts';
import type { LimitsTable } from './budget-tables.ts';
import { readColumn } from './json-columns.ts';

export interface LimitCounting {
  /** Only requests with this tag; absent: all. */
  readonly tag?: { readonly name: string; readonly value: string } | undefined;
  /** A counter for each of these; absent: one in all. */
  readonly each?: CounterKind | undefined;
  /** A request without the tag of `each` is refused. */
  readonly required?: boolean | undefined;
  /** Only requests with stored provider keys, or with the callers' own; absent: all. */
  readonly traffic?: TrafficPart | undefined;
}

const aCounterKind: Shape<CounterKind> = (value) => {
  if (typeof value !== 'string' || !isCounterKind(value))
    throw new ShapeError('must be "key", "person", "system" or "tag:<name>"');
  return value;
};

const aCounting = aRecord<LimitCounting>({
  tag: orAbsent(aRecord({ name: aString, value: aString })),
  each: orAbsent(aCounterKind),
  required: orAbsent(aFlag),
  traffic: orAbsent(aWord(['stored', 'direct'] as const)),
});

/** Undefined: all requests, in one counter. */
export function countingOf({
  id,
  counting,
}: {
  readonly id: string;
  readonly counting: string | null;
}): LimitCounting | undefined {
  return counting === null ? undefined : readColumn(counting, aCounting, `limits.counting of ${id}`);
}

/** The kind that operators and proxies know, whichever programs know the row. */
export function kindOf({ kind }: Pick<LimitsTable, 'kind'>): LimitKind {
  switch (kind) {
    case 'calendar_budget':
    case 'counter_budget':
      return 'budget';
    case 'counter_requests_per_minute':
      return 'requests_per_minute';
    case 'counter_tokens_per_minute':
      return 'tokens_per_minute';
    case 'counter_concurrent_requests':
      return 'concurrent_requests';
    default:
      return kind;
  }
}

/** Whether callers choose which counter a request counts in, or whether it counts at all. */
export function countsTags({ tag, each }: LimitCounting): boolean {
  return tag !== undefined || (each !== undefined && tagOfEach(each) !== undefined);
}

/** The limit of a ledger row, in both databases: the column has the limit's id, or the name of a counter. */
export function limitOf(column: string): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, 36)`;
}
