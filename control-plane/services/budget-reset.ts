// Resets a budget: what its current window has spent counts from zero again.
import { counterOf, otherCounterOf, otherValues } from '../../common/counter-names.ts';
import type { BudgetWindow } from '../../proto/generated/gateway/v1/BudgetWindow.ts';
import type { ResetBudgetRequest__Output } from '../../proto/generated/gateway/v1/ResetBudgetRequest.ts';
import { visible } from '../domain/shared-fields.ts';
import { resetWindow } from '../ledger/reset-window.ts';
import type { WindowRow as LedgerRow } from '../ledger/windows.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { countingOf } from '../store/limit-counting.ts';
import { organizationOrPlatform } from '../store/platform-id.ts';
import { windowMessage } from './budget-window-rows.ts';
import { findLimit, requireMayLimit, subjectOf } from './limit-access.ts';
import type { LimitRow } from './limit-rows.ts';
import type { ChangeCall, Outcome } from './method.ts';

export async function reset(call: ChangeCall, request: ResetBudgetRequest__Output): Promise<Outcome<BudgetWindow>> {
  const { reason } = checked({ reason: visible(request.reason.trim(), 200) });
  const { period, ...limit } = await findLimit(call.db, request.limitId);
  if (period === null) throw notFound('budget');
  await requireMayLimit(call, subjectOf(limit));
  const done = await resetWindow(call, await ledgerName(call, { ...limit, counter: request.counter }), reason);
  if (done === undefined) throw notFound('budget');
  const shown = ({ spent, leased, unsettled }: LedgerRow) =>
    windowMessage(
      {
        ...limit,
        period,
        window: done.window,
        spent,
        leased,
        unsettled,
        ...(request.counter && { counter: request.counter }),
      },
      call.now,
    );
  const after = shown(done.after);
  if (done.after === done.before) return { unchanged: after };
  return {
    result: after,
    organizationId: organizationOrPlatform(limit.organization_id),
    target: { kind: 'limit', id: limit.id },
    before: shown(done.before),
    after: { ...after, reason },
    // No record contains spent money; proxies learn it when they next acquire.
    invalidations: [],
  };
}

/** The budget's id, or the name of the counter. @throws CallError unless a value is given for a budget for each value */
async function ledgerName(
  { db }: ChangeCall,
  { counter, ...limit }: Pick<LimitRow, 'id' | 'counting'> & { readonly counter?: string | undefined },
): Promise<string> {
  const isOfEach = countingOf(limit)?.each !== undefined;
  if (counter === undefined && !isOfEach) return limit.id;
  if (counter === undefined || !isOfEach) {
    const description = isOfEach
      ? 'is required: the budget is one for each value'
      : 'goes with a budget for each value';
    throw invalidRequest([{ field: 'counter', description }]);
  }
  const id = counter === otherValues ? otherCounterOf(limit.id) : counterOf(limit.id, counter);
  const known = await db.selectFrom('limit_counters').select('id').where('id', '=', id).executeTakeFirst();
  if (known === undefined) throw notFound('counter');
  return id;
}
