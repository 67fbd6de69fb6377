// Lists windows of budgets, and money that silent proxies left unconfirmed. Operators release that money.
import { type NotNull, type RawBuilder, sql } from 'kysely';
import { windowOf } from '../../common/budget-window.ts';
import { isCounterName, limitOfCounter } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import { isUuid } from '../../common/uuid.ts';
import type { BudgetWindow } from '../../proto/generated/gateway/v1/BudgetWindow.ts';
import type { ListBudgetWindowsRequest__Output } from '../../proto/generated/gateway/v1/ListBudgetWindowsRequest.ts';
import type { ListBudgetWindowsResponse } from '../../proto/generated/gateway/v1/ListBudgetWindowsResponse.ts';
import type { ListUnsettledRequest__Output } from '../../proto/generated/gateway/v1/ListUnsettledRequest.ts';
import type { ListUnsettledResponse } from '../../proto/generated/gateway/v1/ListUnsettledResponse.ts';
import type { ReleaseUnsettledRequest__Output } from '../../proto/generated/gateway/v1/ReleaseUnsettledRequest.ts';
import type { Unsettled } from '../../proto/generated/gateway/v1/Unsettled.ts';
import { isValid, optional } from '../domain/field.ts';
import { usdAmount, windowName } from '../domain/limit.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import { releaseUnconfirmed } from '../ledger/release-unconfirmed.ts';
import { readLimitNames } from '../requests/names.ts';
import { checked } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import { calendarOf } from '../store/budget-columns.ts';
import { budgetKinds } from '../store/budget-tables.ts';
import { countingOf, limitOf } from '../store/limit-counting.ts';
import { organizationOrPlatform, ownerNamed } from '../store/platform-id.ts';
import { forecastsOf, ledgerIdOf } from './budget-forecasts.ts';
import { type WindowRow, windowMessage } from './budget-window-rows.ts';
import {
  type CountedRow,
  counterPosition,
  readCounterPosition,
  readCounters,
  shownValue,
  withCounterNames,
  withCounters,
} from './counter-rows.ts';
import { budgetId } from './ledger-fields.ts';
import { shownTo } from './limit-rows.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

export async function listWindows(
  call: ReadCall,
  given: ListBudgetWindowsRequest__Output,
): Promise<ListBudgetWindowsResponse> {
  const request = { ...given, organizationId: ownerNamed(given.organizationId) };
  const one = await findCounted(call, request);
  if (one !== undefined) return await listCounters(call, request, one);
  const { size, limit, after } = pageBy(request, readWindowKey);
  const requested = { ...(await narrowed(call, request)), limit, after };
  // Reads a full page of both, because either may fill the page.
  const current = await withCounters(call, await currentWindows(call, requested));
  const isCurrent = (row: CountedRow) => current.some(({ id, window }) => id === row.id && window === row.window);
  const past = request.includePast ? await otherWindows(call, requested) : [];
  const named = await withCounterNames(call, request.organizationId, [...current, ...past]);
  const rows = named.toSorted(newestFirst).slice(0, limit);
  const forecasts = request.forecast ? await forecastsOf(call, request.organizationId, current) : undefined;
  const { items, nextPageToken } = cutPage(rows, size, windowKey, (row) =>
    // A page also has windows of the past, of the same budgets.
    windowMessage(row, call.now, isCurrent(row) ? forecasts?.get(ledgerIdOf(row)) : undefined),
  );
  return { windows: await withLimitNames(call, request.organizationId, items), nextPageToken };
}

async function withLimitNames<Item extends { readonly limitId: string }>(
  { db }: ReadCall,
  organizationId: string,
  items: readonly Item[],
): Promise<(Item & { readonly limitName: string })[]> {
  const ids = items.map(({ limitId }) => limitId);
  const nameOf = await readLimitNames(db, organizationId, ids);
  return items.map((item) => ({ ...item, limitName: nameOf(item.limitId) }));
}

/** The limit that the request names, if it is a budget for each value. */
async function findCounted(call: ReadCall, request: ListBudgetWindowsRequest__Output): Promise<CountedRow | undefined> {
  if (request.limitId === undefined) return undefined;
  const query = { ...(await narrowed(call, request)), limit: 1, after: undefined };
  const row = await call.db
    .selectFrom(budgetsOf(call, query).as('budgets'))
    .select(budgetColumns)
    .select('current as window')
    .executeTakeFirst();
  if (row === undefined || countingOf(row)?.each === undefined) return undefined;
  return { ...row, spent: null, leased: null, unsettled: null };
}

async function listCounters(
  call: ReadCall,
  request: ListBudgetWindowsRequest__Output,
  row: CountedRow,
): Promise<ListBudgetWindowsResponse> {
  const { size, limit, after } = pageBy(request, readCounterPosition);
  const window = request.includePast ? undefined : row.window;
  const rows = await readCounters(call, { limitId: row.id, window, limit, after });
  const counters = rows.map(({ value, limit_id: _limit, id: counterId, ...sums }) => ({
    ...{ ...row, ...sums, counter: shownValue(value), counterId },
  }));
  const shown = await withCounterNames(call, request.organizationId, counters);
  const current = shown.filter((one) => one.window === row.window);
  const forecasts = request.forecast ? await forecastsOf(call, request.organizationId, current) : undefined;
  const { items, nextPageToken } = cutPage(
    shown,
    size,
    ({ counterId, ...one }) => counterPosition({ ...one, id: counterId }),
    (one) => windowMessage(one, call.now, current.includes(one) ? forecasts?.get(ledgerIdOf(one)) : undefined),
  );
  return { windows: items, nextPageToken };
}

export async function listUnconfirmed(
  call: ReadCall,
  given: ListUnsettledRequest__Output,
): Promise<ListUnsettledResponse> {
  const request = { ...given, organizationId: ownerNamed(given.organizationId) };
  const { size, limit, after } = pageBy(request, readLeaseKey);
  let query = call.db
    .selectFrom(budgetsOf(call, await narrowed(call, request)).as('budgets'))
    .innerJoin('leases', (join) => join.on('budgets.id', '=', limitOf('leases.budget_id')))
    .innerJoin('ledger_sessions', 'ledger_sessions.id', 'leases.session_id')
    .leftJoin('limit_counters', 'limit_counters.id', 'leases.budget_id')
    .select(['leases.budget_id', 'leases.window_start', 'leases.session_id', 'leases.remaining'])
    .select(['ledger_sessions.proxy', 'ledger_sessions.seen_at', 'limit_counters.value'])
    .where('leases.state', '=', 'expired')
    .where('leases.remaining', '>', 0)
    .orderBy('leases.budget_id')
    .orderBy('leases.window_start')
    .orderBy('leases.session_id')
    .limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('leases.budget_id', 'leases.window_start', 'leases.session_id'), '>', tuple(...after)),
    );
  }
  const { items, nextPageToken } = cutPage(await query.execute(), size, leaseKey, unconfirmedMessage);
  return { unsettled: await withLimitNames(call, request.organizationId, items), nextPageToken };
}

export async function release(call: ChangeCall, request: ReleaseUnsettledRequest__Output): Promise<Outcome<Unsettled>> {
  const { limit_id, window, session, amount_usd } = checked({
    limit_id: budgetId(request.limitId),
    window: windowName(request.window),
    session: id(request.session),
    amount_usd: optional(usdAmount, request.amountUsd),
  });
  const lease = { budgetId: limit_id, window, sessionId: session };
  const done = await releaseUnconfirmed(call, lease, amount_usd);
  if (done === undefined) throw notFound('unconfirmed amount');
  const left = (remaining: number) =>
    unconfirmedMessage({
      budget_id: request.limitId,
      window_start: window,
      session_id: session,
      remaining,
      proxy: done.proxy,
      seen_at: done.seenAt,
    });
  const after = left(done.remaining);
  if (done.released === 0) return { unchanged: after };
  return {
    result: after,
    organizationId: organizationOrPlatform(done.organizationId),
    target: { kind: 'limit', id: limitOfCounter(limit_id) },
    before: left(done.remaining + done.released),
    after,
    // No record contains free money; proxies learn it when they next acquire.
    invalidations: [],
  };
}

/**
 * The present windows of the organization's budgets that the caller may see, by the budget's id.
 * @param ids of limits; those that are no budgets have no window
 * @param valueFor as `withCounters`
 */
export async function presentWindows(
  call: ReadCall,
  organizationId: string,
  ids: readonly string[],
  valueFor?: (row: CountedRow) => string | undefined,
): Promise<ReadonlyMap<string, BudgetWindow>> {
  if (ids.length === 0) return new Map();
  const query = { ...(await narrowed(call, { organizationId })), among: ids, limit: ids.length, after: undefined };
  const rows = await withCounters(call, await currentWindows(call, query), valueFor);
  return new Map(rows.map((row) => [row.id, windowMessage(row, call.now)]));
}

/** A window, and the part of its amount that is spent: unconfirmed money too. */
export interface UsedWindow {
  readonly window: BudgetWindow;
  readonly used: number;
}

/**
 * The present windows of budgets that the caller may see, the most used first, with forecasts. Budgets with a counter for
 * each value are compared by their highest one.
 */
export async function mostUsed(call: ReadCall, organizationId: string, max: number): Promise<readonly UsedWindow[]> {
  const query = { ...(await narrowed(call, { organizationId })), after: undefined };
  const used = sql`(coalesce(spent, 0) + coalesce(unsettled, 0)) * 1.0 / case when amount > 0 then amount else 1 end`;
  const first = await windowsOf(call, query).orderBy(sql`${used} desc`).orderBy('budgets.id').limit(max).execute();
  const counted = windowsOf(call, query).where('counting', 'like', '%"each"%').orderBy('budgets.id').limit(countedMax);
  const rows = new Map([...first, ...(await counted.execute())].map((row) => [row.id, row]));
  const all = await withCounters(call, [...rows.values()]);
  const forecasts = await forecastsOf(call, organizationId, all);
  const windows = all.map((row) => windowMessage(row, call.now, forecasts.get(row.id)));
  const parts = windows.map((window) => ({ window, used: partOf(window) })).toSorted((a, b) => b.used - a.used);
  const shown = parts.slice(0, max);
  const named = await withLimitNames(
    call,
    organizationId,
    shown.map(({ window }) => window),
  );
  return shown.map(({ used: part }, at) => ({ used: part, window: named[at] ?? {} }));
}

const countedMax = 50;

function partOf({ amountUsd, spentUsd, unsettledUsd }: ReturnType<typeof windowMessage>): number {
  const amount = Number(amountUsd);
  return amount > 0 ? (Number(spentUsd) + Number(unsettledUsd)) / amount : 1;
}

interface Narrowed {
  readonly organizationId: string;
  readonly limitId: string | undefined;
  /** The current window of a row's budget. */
  readonly current: RawBuilder<string>;
  /** Only these limits. */
  readonly among?: readonly string[];
}

async function narrowed(
  { db, now }: ReadCall,
  { organizationId, limitId: text }: { readonly organizationId: string; readonly limitId?: string },
): Promise<Narrowed> {
  const { limit_id: limitId } = checked({ limit_id: optional(id, text) });
  const calendars = await db
    .selectFrom('limits')
    .select(({ fn }) => ['period', 'calendar', fn.min('id').as('id')])
    .$narrowType<{ period: NotNull }>()
    .where('organization_id', '=', organizationId)
    .where('kind', 'in', budgetKinds)
    .groupBy(['period', 'calendar'])
    .execute();
  const windows = calendars.map((one) => {
    const isOfIt = sql`period = ${one.period} and ${one.calendar === null ? sql`calendar is null` : sql`calendar = ${one.calendar}`}`;
    return sql`when ${isOfIt} then ${windowOf(calendarOf(one), now)}`;
  });
  const current = windows.length === 0 ? sql<string>`''` : sql<string>`case ${sql.join(windows, sql` `)} end`;
  return { organizationId, limitId, current };
}

/**
 * The budgets that the caller may see, with their current window. A deleted budget is only included if the request
 * names it.
 */
function budgetsOf({ db, caller }: ReadCall, { organizationId, limitId, current, among }: Narrowed) {
  const all = db
    .selectFrom('limits')
    .select(['id', 'organization_id', 'subject_kind', 'subject_id', 'model', 'amount', 'period'])
    .select(['calendar', 'soft', 'raises', 'counting', 'created_at', 'deleted_at'])
    .select(current.as('current'))
    .$narrowType<{ period: NotNull }>()
    .where('organization_id', '=', organizationId)
    .where('kind', 'in', budgetKinds)
    .where(shownTo(caller));
  const budgets = among === undefined ? all : all.where('id', 'in', among);
  return limitId === undefined ? budgets.where('deleted_at', 'is', null) : budgets.where('id', '=', limitId);
}

interface WindowQuery extends Narrowed {
  readonly limit: number;
  readonly after: WindowKey | undefined;
}

const budgetColumns = [
  'budgets.id',
  'subject_kind',
  'subject_id',
  'model',
  'period',
  'amount',
  'calendar',
  'soft',
  'raises',
  'counting',
  'budgets.created_at',
] as const;

/** The current window of each budget, whether it has a row in the ledger or not. */
function windowsOf(call: ReadCall, narrowed: Narrowed) {
  return call.db
    .selectFrom(budgetsOf(call, narrowed).as('budgets'))
    .leftJoin('budget_windows', (join) =>
      join
        .onRef('budget_windows.budget_id', '=', 'budgets.id')
        .onRef('budget_windows.window_start', '=', 'budgets.current'),
    )
    .select(budgetColumns)
    .select(['current as window', 'spent', 'leased', 'unsettled'])
    .where(({ eb, or }) => or([eb('budgets.deleted_at', 'is', null), eb('budget_windows.budget_id', 'is not', null)]));
}

function currentWindows(call: ReadCall, { limit, after, ...narrowed }: WindowQuery): Promise<CountedRow[]> {
  let query = windowsOf(call, narrowed).orderBy('budgets.current', 'desc').orderBy('budgets.id', 'desc').limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('budgets.current', 'budgets.id'), '<', tuple(...after)),
    );
  }
  return query.execute();
}

function otherWindows(call: ReadCall, { limit, after, ...narrowed }: WindowQuery): Promise<CountedRow[]> {
  let query = call.db
    .selectFrom(budgetsOf(call, narrowed).as('budgets'))
    .innerJoin('budget_windows', 'budget_windows.budget_id', 'budgets.id')
    .select(budgetColumns)
    .select(['window_start as window', 'spent', 'leased', 'unsettled'])
    // The join implies it, but the condition lets an index return the rows in this order.
    .where('budget_windows.organization_id', '=', narrowed.organizationId)
    .whereRef('budget_windows.window_start', '!=', 'budgets.current')
    .orderBy('budget_windows.window_start', 'desc')
    .orderBy('budget_windows.budget_id', 'desc')
    .limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('budget_windows.window_start', 'budget_windows.budget_id'), '<', tuple(...after)),
    );
  }
  return query.execute();
}

/** The order of the database: "total" sorts above any day. */
function newestFirst(a: WindowRow, b: WindowRow): number {
  const [left, right] = [windowKey(a), windowKey(b)];
  return left < right ? 1 : -1;
}

type WindowKey = readonly [window: string, budgetId: string];

function windowKey({ window, id }: WindowRow): string {
  return `${window} ${id}`;
}

function readWindowKey(text: string): WindowKey | undefined {
  const [window = '', budgetId = '', ...more] = text.split(' ');
  return isValid(windowName(window)) && isUuid(budgetId) && more.length === 0 ? [window, budgetId] : undefined;
}

interface UnconfirmedRow {
  readonly budget_id: string;
  readonly window_start: string;
  readonly session_id: string;
  readonly remaining: number;
  readonly proxy: string;
  readonly seen_at: number;
  /** Of a counter; null or absent: of none. */
  readonly value?: string | null;
}

type LeaseKey = readonly [budgetId: string, window: string, session: string];

function leaseKey({ budget_id, window_start, session_id }: UnconfirmedRow): string {
  return `${budget_id} ${window_start} ${session_id}`;
}

function readLeaseKey(text: string): LeaseKey | undefined {
  const [budgetId = '', window = '', session = '', ...more] = text.split(' ');
  const isKey = isCounterName(budgetId) && isValid(windowName(window)) && isUuid(session) && more.length === 0;
  return isKey ? [budgetId, window, session] : undefined;
}

function unconfirmedMessage(row: UnconfirmedRow) {
  return {
    limitId: row.budget_id,
    window: row.window_start,
    session: row.session_id,
    proxy: row.proxy,
    amountUsd: usdOfNano(row.remaining),
    seenAt: timeText(row.seen_at),
    ...(row.value != null && { counter: shownValue(row.value) }),
  } satisfies Unsettled;
}
