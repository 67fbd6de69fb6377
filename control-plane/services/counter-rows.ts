// Windows of budgets for each value, as operators see them: each budget as the window of its highest spending, or all
// windows of one budget. A member sees the counters of their own keys, and their own.
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { counterOf, type OwnerKind, otherValues, ownerOfEach } from '../../common/counter-names.ts';
import { countingOf } from '../store/limit-counting.ts';
import type { Schema } from '../store/schema.ts';
import { type NamedTable, present, readNames } from '../usage/names.ts';
import type { WindowRow } from './budget-window-rows.ts';
import type { ReadCall } from './method.ts';

export interface CountedRow extends WindowRow {
  readonly counting: string | null;
}

interface CounterRow {
  readonly limit_id: string;
  readonly id: string;
  readonly value: string;
  readonly window: string;
  readonly spent: number;
  readonly leased: number;
  readonly unsettled: number;
  readonly counters: number;
}

/** Ids of those whose requests are meant, as far as they are known; none: anybody's. */
export type Owners = Readonly<Partial<Record<OwnerKind, string>>>;

export function ownersOfKey({
  id,
  scope_kind,
  scope_id,
}: Pick<Selectable<Schema['virtual_keys']>, 'id' | 'scope_kind' | 'scope_id'>): Owners {
  switch (scope_kind) {
    case 'organization':
      return { key: id };
    case 'person':
      return { key: id, person: scope_id };
    case 'ai_system':
      return { key: id, system: scope_id };
  }
}

/** Whether a limit may count requests of these owners: one for each person counts none of an AI system's. */
export function countsOwners(limit: Pick<CountedRow, 'id' | 'counting'>, owners: Owners): boolean {
  const { each } = countingOf(limit) ?? {};
  const owner = each === undefined ? undefined : ownerOfEach(each);
  const isKnown = Object.keys(owners).length > 0;
  return owner === undefined || owner === 'key' || !isKnown || owners[owner] !== undefined;
}

/** Of a limit for each owner: whose counter is meant, if that is known. */
export function ownerCounted(limit: Pick<CountedRow, 'id' | 'counting'>, owners: Owners): string | undefined {
  const { each } = countingOf(limit) ?? {};
  const owner = each === undefined ? undefined : ownerOfEach(each);
  return owner === undefined ? undefined : owners[owner];
}

const ownerTables = {
  key: 'virtual_keys',
  person: 'people',
  system: 'ai_systems',
} as const satisfies Record<OwnerKind, NamedTable>;

/** With the names of the owners that counters are of. */
export async function withCounterNames<Row extends CountedRow>(
  { db }: ReadCall,
  organizationId: string,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const names = new Map<string, string>();
  for (const [owner, own] of Map.groupBy(rows, ownerOfRow)) {
    if (owner === undefined) continue;
    const ids = present(own.map(({ counter }) => counter));
    for (const [id, name] of await readNames(db, ownerTables[owner], { organizationId, ids })) names.set(id, name);
  }
  if (names.size === 0) return rows;
  return rows.map((row) =>
    ownerOfRow(row) === undefined ? row : { ...row, counterName: names.get(row.counter ?? '') },
  );
}

function ownerOfRow(row: CountedRow): OwnerKind | undefined {
  const { each } = countingOf(row) ?? {};
  return each === undefined || row.counter === undefined ? undefined : ownerOfEach(each);
}

/**
 * Replaces the sums of budgets for each value.
 * @param valueFor the value whose window is to be shown; undefined: that of the highest spending
 */
export async function withCounters<Row extends CountedRow>(
  call: ReadCall,
  rows: readonly Row[],
  valueFor: (row: Row) => string | undefined = () => undefined,
): Promise<readonly Row[]> {
  const counted = rows.filter((row) => countingOf(row)?.each !== undefined);
  if (counted.length === 0) return rows;
  const highest = counted.filter((row) => valueFor(row) === undefined);
  const chosen = counted.flatMap((row) => {
    const value = valueFor(row);
    return value === undefined ? [] : [{ row, value, id: counterOf(row.id, value) }];
  });
  const found = new Map((await readHighest(call, highest)).map((one) => [one.limit_id, one]));
  const named = new Map(
    (
      await readNamed(
        call.db,
        chosen.map(({ id }) => id),
      )
    ).map((one) => [one.budget_id, one]),
  );
  const shown = new Map<WindowRow, Row>();
  for (const row of highest) shown.set(row, merged(row, found.get(row.id)));
  for (const { row, value, id } of chosen) {
    const window = named.get(`${id} ${row.window}`) ?? nothing;
    shown.set(row, { ...row, ...sums(window), counter: value, counterId: id });
  }
  return rows.map((row) => shown.get(row) ?? row);
}

const nothing = { spent: 0, leased: 0, unsettled: 0 };

function sums({ spent, leased, unsettled }: typeof nothing): typeof nothing {
  return { spent, leased, unsettled };
}

function merged<Row extends CountedRow>(row: Row, counter: CounterRow | undefined): Row {
  if (counter === undefined) return { ...row, ...nothing, counters: 0 };
  const { id: counterId, value, counters } = counter;
  return { ...row, ...sums(counter), counterId, counter: shownValue(value), counters: Number(counters) };
}

export function shownValue(value: string): string {
  return value === '' ? otherValues : value;
}

/** The highest counter of each budget in its window, and how many it has there. */
async function readHighest({ db, caller }: ReadCall, rows: readonly CountedRow[]): Promise<readonly CounterRow[]> {
  if (rows.length === 0) return [];
  const wanted = sql.join(rows.map(({ id, window }) => sql`(${id}, ${window})`));
  const { rows: found } = await sql<CounterRow>`
    select * from (
      select counter.limit_id, counter.id, counter.value, window_row.window_start as window,
        window_row.spent, window_row.leased, window_row.unsettled,
        count(*) over (partition by counter.limit_id) as counters,
        row_number() over (partition by counter.limit_id
          order by window_row.spent + window_row.unsettled desc, counter.id) as nth
      from limit_counters as counter join budget_windows as window_row on window_row.budget_id = counter.id
      where (counter.limit_id, window_row.window_start) in (values ${wanted}) and ${isShown(caller)}
    ) as ranked where nth = 1`.execute(db);
  return found;
}

async function readNamed(db: Kysely<Schema>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('budget_windows').selectAll().where('budget_id', 'in', ids).execute();
  return rows.map((row) => ({ ...row, budget_id: `${row.budget_id} ${row.window_start}` }));
}

/** Of the table `counter`: what the caller may see. */
function isShown({ personId, role }: ReadCall['caller']): RawBuilder<boolean> {
  if (role !== 'member') return sql<boolean>`1 = 1`;
  return sql<boolean>`(counter.value = ${personId} or counter.value in (
    select id from virtual_keys where scope_kind = 'person' and scope_id = ${personId}))`;
}

export interface CounterPosition {
  readonly window: string;
  /** Spent and unconfirmed money, in nano-dollars. */
  readonly sum: number;
  readonly id: string;
}

interface CounterQuery {
  readonly limitId: string;
  /** Undefined: all windows. */
  readonly window: string | undefined;
  readonly limit: number;
  readonly after: CounterPosition | undefined;
}

/** Windows of one budget's counters: the newest windows first, within each the highest spending first. */
export async function readCounters(
  { db, caller }: ReadCall,
  { limitId, window, limit, after }: CounterQuery,
): Promise<readonly Omit<CounterRow, 'counters'>[]> {
  const sum = sql`window_row.spent + window_row.unsettled`;
  const inWindow = window === undefined ? sql`1 = 1` : sql`window_row.window_start = ${window}`;
  const isAfter =
    after === undefined
      ? sql`1 = 1`
      : sql`(window_row.window_start < ${after.window} or (window_row.window_start = ${after.window}
          and (${sum} < cast(${after.sum} as bigint)
            or (${sum} = cast(${after.sum} as bigint) and counter.id > ${after.id}))))`;
  const { rows } = await sql<Omit<CounterRow, 'counters'>>`
    select counter.limit_id, counter.id, counter.value, window_row.window_start as window,
      window_row.spent, window_row.leased, window_row.unsettled
    from limit_counters as counter join budget_windows as window_row on window_row.budget_id = counter.id
    where counter.limit_id = ${limitId} and ${inWindow} and ${isAfter} and ${isShown(caller)}
    order by window_row.window_start desc, ${sum} desc, counter.id limit ${limit}`.execute(db);
  return rows;
}

export function counterPosition({
  window,
  spent,
  unsettled,
  id,
}: Pick<CounterRow, 'window' | 'spent' | 'unsettled' | 'id'>): string {
  return `${window} ${spent + unsettled} ${id}`;
}

export function readCounterPosition(text: string): CounterPosition | undefined {
  const [, window, sum, id] = /^(\S+) (\d{1,16}) (\S+)$/.exec(text) ?? [];
  return window === undefined || id === undefined ? undefined : { window, sum: Number(sum), id };
}
