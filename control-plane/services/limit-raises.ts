// Raises of budgets: an amount in addition, until a time. Proxies do not know them; they get the money when they next
// acquire some.
import { windowEnd, windowMaxMs, windowOf } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import { budgetUsdMax, nanoPerUsd } from '../../common/money.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { EndRaiseRequest__Output } from '../../proto/generated/gateway/v1/EndRaiseRequest.ts';
import type { Limit } from '../../proto/generated/gateway/v1/Limit.ts';
import type { RaiseLimitRequest__Output } from '../../proto/generated/gateway/v1/RaiseLimitRequest.ts';
import { optional } from '../domain/field.ts';
import { usdAmount } from '../domain/limit.ts';
import { id, time, visible } from '../domain/shared-fields.ts';
import { usageWaitsMaxMs } from '../ledger/bounds.ts';
import { readBudgetsById } from '../ledger/budgets.ts';
import { windowOfBudget } from '../ledger/matching.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { calendarOf, type Raise, raisesOf } from '../store/budget-columns.ts';
import { organizationOrPlatform } from '../store/platform-id.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import { findLimit, requireMayLimit, subjectOf } from './limit-access.ts';
import { type LimitRow, limitMessage, lockWindowsOf } from './limit-rows.ts';
import type { ChangeCall, Outcome } from './method.ts';

const daysMax = 366;
/** Raises of a budget that have not ended. */
const raisesMax = 16;
/** Past windows show the amounts that they had. */
const endedKeptMs = windowMaxMs + usageWaitsMaxMs;

export async function raise(call: ChangeCall, request: RaiseLimitRequest__Output): Promise<Outcome<Limit>> {
  const before = await find(call, request.id);
  const fields = checked({
    amount_usd: usdAmount(request.amountUsd),
    ends_at: optional(time, request.endsAt),
    reason: optional((text: string) => visible(text.trim(), 200), request.reason),
  });
  const until = fields.ends_at ?? windowEnd(calendarOf(before), call.now);
  const problem = problemOf(until, call.now);
  if (problem !== undefined || until === undefined) throw refused('ends_at', problem ?? '');
  const raises = raisesOf(before).filter((one) => one.until > call.now - endedKeptMs);
  const open = raises.filter((one) => one.until > call.now);
  const sum = open.reduce((total, one) => total + one.amount, before.amount + fields.amount_usd);
  if (sum > budgetUsdMax * nanoPerUsd) throw refused('amount_usd', `would raise the amount above ${budgetUsdMax}`);
  if (open.length >= raisesMax) throw refused('id', `has ${raisesMax} raises already; end one that is not needed`);
  const { amount_usd: amount, reason = '' } = fields;
  return await change(call, before, [...raises, { id: uuidv7(call.now), amount, from: call.now, until, reason }]);
}

export async function endRaise(call: ChangeCall, request: EndRaiseRequest__Output): Promise<Outcome<Limit>> {
  const before = await find(call, request.id);
  const { raise_id: raiseId } = checked({ raise_id: id(request.raiseId) });
  const raises = raisesOf(before);
  const ended = raises.find((one) => one.id === raiseId);
  if (ended === undefined) throw notFound('raise_id');
  if (ended.until <= call.now) return { unchanged: limitMessage(before, call.now) };
  return await change(
    call,
    before,
    raises.map((one) => (one === ended ? { ...one, until: call.now } : one)),
  );
}

function problemOf(until: number | undefined, now: number): string | undefined {
  if (until === undefined) return 'is required: the budget has no windows';
  if (until <= now) return 'must be in the future';
  return until > now + daysMax * dayMs ? `must be at most ${daysMax} days ahead` : undefined;
}

function refused(field: string, description: string) {
  return invalidRequest([{ field, description }]);
}

type BudgetRow = LimitRow & { readonly period: NonNullable<LimitRow['period']> };

/** @throws CallError unless it is a budget that the caller may change */
async function find(call: ChangeCall, limitId: string): Promise<BudgetRow> {
  const { period, ...row } = await findLimit(call.db, limitId);
  if (period === null) throw refused('id', 'is no budget');
  await requireMayLimit(call, subjectOf(row));
  return { ...row, period };
}

async function change(call: ChangeCall, before: BudgetRow, raises: readonly Raise[]): Promise<Outcome<Limit>> {
  await lockWindowsOf(call, before.organization_id);
  const after = { ...before, raises: JSON.stringify(raises), revision: call.revision };
  await call.db.updateTable('limits').set(after).where('id', '=', before.id).execute();
  await noteReached(call, before.id);
  const shown = limitMessage(after, call.now);
  return {
    result: shown,
    organizationId: organizationOrPlatform(before.organization_id),
    target: { kind: 'limit', id: before.id },
    before: limitMessage(before, call.now),
    after: shown,
    // No record contains raises.
    invalidations: [],
  };
}

/** With another amount or other thresholds, the spent money may have reached one that it had not reached before. */
export async function noteReached({ db, now }: Pick<ChangeCall, 'db' | 'now'>, limitId: string): Promise<void> {
  const budget = (await readBudgetsById(db, [limitId])).get(limitId);
  if (budget === undefined) return;
  const window = windowOf(budget.period, now);
  const counters = db.selectFrom('limit_counters').select('id').where('limit_id', '=', budget.id);
  const rows = await db
    .selectFrom('budget_windows')
    .select(['budget_id', 'spent'])
    .where((where) => where.or([where('budget_id', '=', budget.id), where('budget_id', 'in', counters)]))
    .where('window_start', '=', window)
    .execute();
  const one = windowOfBudget({ budget, window }, now);
  await noteThresholds(
    { db, now },
    rows.map(({ budget_id: budgetId, spent }) => ({ ...one, budgetId, spent })),
  );
}
