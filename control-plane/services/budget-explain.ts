// Says which budgets bind the requests of a subject, and what is left of each: its own, those of its scope, and those of
// the organization.
import { canonicalSelector, limitsModel } from '../../catalog/model-selector.ts';
import { windowOf } from '../../common/budget-window.ts';
import { tagOfEach } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import type { ExplainBudgetsRequest__Output } from '../../proto/generated/gateway/v1/ExplainBudgetsRequest.ts';
import type { ExplainBudgetsResponse } from '../../proto/generated/gateway/v1/ExplainBudgetsResponse.ts';
import { optional } from '../domain/field.ts';
import { type LimitSubject, limitSubject } from '../domain/limit.ts';
import { modelGlob } from '../domain/shared-fields.ts';
import { windowKey } from '../ledger/matching.ts';
import { checked } from '../rpc/checked.ts';
import { permissionDenied } from '../rpc/errors.ts';
import { calendarOf } from '../store/budget-columns.ts';
import { budgetKinds } from '../store/budget-tables.ts';
import { countingOf } from '../store/limit-counting.ts';
import { forecastsOf, ledgerIdOf } from './budget-forecasts.ts';
import { raisedOf, windowMessage } from './budget-window-rows.ts';
import { type CountedRow, countsOwners, type Owners, ownerCounted, ownersOfKey, withCounters } from './counter-rows.ts';
import { type LimitRow, limitMessage } from './limit-rows.ts';
import type { ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';
import { findKey, requireOwnScope } from './virtual-key-rows.ts';

export async function explain(call: ReadCall, request: ExplainBudgetsRequest__Output): Promise<ExplainBudgetsResponse> {
  const { organizationId } = request;
  const { subject, model } = checked({
    subject: limitSubject(organizationId)(request.subject),
    model: optional(modelGlob, request.model),
  });
  await requireExists(call.db, organizationId, { field: 'subject', ...subject });
  const { ids: subjects, owners } = await subjectsWith(call, subject);
  const question: Question = {
    owners,
    tags: new Map(request.tags.map(({ name, value }) => [name, value])),
  };
  const limits = await readBudgets(call, [...new Set([organizationId, ...subjects])]);
  const binding = limits.filter(
    (limit) =>
      (model === undefined || counts(limit, canonicalSelector(model))) &&
      countsTagsOf(limit, question) &&
      countsOwners(limit, owners),
  );
  const explained = (await withWindows(call, binding, question)).toSorted(tightestFirst);
  const tightest = explained.find(({ limit }) => limit.soft === 0);
  const current = explained.map(({ window }) => window);
  const forecasts = request.forecast ? await forecastsOf(call, organizationId, current) : undefined;
  return {
    budgets: explained.map((one) => ({
      limit: limitMessage(one.limit, call.now),
      window: windowMessage(one.window, call.now, forecasts?.get(ledgerIdOf(one.window))),
      leftUsd: usdOfNano(Math.max(0, one.left)),
      tightest: one === tightest,
    })),
  };
}

interface Subjects {
  /** Those whose budgets count its requests, besides the organization. */
  readonly ids: readonly string[];
  readonly owners: Owners;
}

/** @throws CallError for a member */
async function subjectsWith(call: ReadCall, { kind, id }: LimitSubject): Promise<Subjects> {
  switch (kind) {
    case 'organization':
    case 'platform':
      return { ids: [], owners: {} };
    case 'ai_system':
    case 'person':
      if (call.caller.role === 'member' && id !== call.caller.personId)
        throw permissionDenied('a member sees the budgets that apply to themself only');
      return { ids: [id], owners: kind === 'person' ? { person: id } : { system: id } };
    case 'provider_key':
      if (call.caller.role === 'member') throw permissionDenied('a member sees no budgets of provider keys');
      return { ids: [id], owners: {} };
    case 'virtual_key': {
      const { row } = await findKey(call.db, id);
      requireOwnScope(call.caller, { kind: row.scope_kind, id: row.scope_id });
      return { ids: [id, row.scope_id], owners: ownersOfKey(row) };
    }
  }
}

type BudgetRow = LimitRow & { readonly period: NonNullable<LimitRow['period']> };

async function readBudgets({ db }: ReadCall, subjectIds: readonly string[]): Promise<readonly BudgetRow[]> {
  const rows = await db
    .selectFrom('limits')
    .selectAll()
    .where('subject_id', 'in', subjectIds)
    .where('kind', 'in', budgetKinds)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ period, ...row }) => (period === null ? [] : [{ ...row, period }]));
}

function counts({ model: selector }: BudgetRow, model: string): boolean {
  return selector === null || limitsModel(canonicalSelector(selector), model);
}

/** Whose requests are meant. */
interface Question {
  readonly owners: Owners;
  /** Empty: any. */
  readonly tags: ReadonlyMap<string, string>;
}

function countsTagsOf(limit: BudgetRow, { tags }: Question): boolean {
  const { tag, each } = countingOf(limit) ?? {};
  if (tags.size === 0) return true;
  const tagOf = each === undefined ? undefined : tagOfEach(each);
  return (tag === undefined || tags.get(tag.name) === tag.value) && (tagOf === undefined || tags.has(tagOf));
}

/** The value of a budget for each value, if the question is about one. */
function valueFor(limit: Pick<BudgetRow, 'id' | 'counting'>, { owners, tags }: Question): string | undefined {
  const { each } = countingOf(limit) ?? {};
  const tag = each === undefined ? undefined : tagOfEach(each);
  return tag === undefined ? ownerCounted(limit, owners) : tags.get(tag);
}

interface Explained {
  readonly limit: BudgetRow;
  readonly window: CountedRow;
  /** Nano-dollars; below 0 if the amount was lowered. */
  readonly left: number;
}

/** Soft budgets refuse nothing, so they come last. */
function tightestFirst(a: Explained, b: Explained): number {
  return a.limit.soft - b.limit.soft || a.left - b.left;
}

async function withWindows(
  call: ReadCall,
  limits: readonly BudgetRow[],
  question: Question,
): Promise<readonly Explained[]> {
  const { db, now } = call;
  if (limits.length === 0) return [];
  const current = limits.map((limit) => ({ limit, window: windowOf(calendarOf(limit), now) }));
  const rows = await db
    .selectFrom('budget_windows')
    .selectAll()
    .where(
      'budget_id',
      'in',
      limits.map(({ id }) => id),
    )
    .where('window_start', 'in', [...new Set(current.map(({ window }) => window))])
    .execute();
  const byKey = new Map(rows.map((row) => [windowKey(row.budget_id, row.window_start), row]));
  const plain = current.map(({ limit, window }) => {
    const { spent = 0, leased = 0, unsettled = 0 } = byKey.get(windowKey(limit.id, window)) ?? {};
    return { ...limit, limit, window, spent, leased, unsettled };
  });
  const counted = await withCounters(call, plain, (row) => valueFor(row, question));
  return counted.map(({ limit, ...row }) => {
    const used = (row.spent ?? 0) + (row.unsettled ?? 0);
    return { limit, window: row, left: limit.amount + raisedOf(row, now) - used };
  });
}
