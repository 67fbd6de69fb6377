// Corrections of what was recorded: an entry of its own kind beside the requests, with an author and a reason. It is part of the totals
// and of the windows of budgets that the usage counted towards, those of the past as well: what was refused in them stays refused.
import { type Kysely, sql } from 'kysely';
import { dayMs, windowOf } from '../../common/budget-window.ts';
import type { Schema } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { addToHours, addToMetadataHours, emptyRow } from '../usage/hours.ts';
import { metadataSets } from '../usage/metadata.ts';
import type { Source } from '../usage/sources.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import { readBudgets } from './budgets.ts';
import { shareOrganizations } from './locks.ts';
import { type BudgetWindow, createMatching, subjectsOf, windowKey } from './matching.ts';
import { openPage } from './page.ts';

type AdjustingTransaction = Omit<BooksTransaction, 'epoch'>;

/** Whose usage is corrected, of which model, and on which day. */
export interface AdjustedUsage {
  readonly organizationId: string;
  /** Id of the organization, AI system, person or virtual key. */
  readonly subjectId: string;
  /** Empty where the subject is none of these. */
  readonly keyId: string;
  readonly aiSystemId: string;
  readonly personId: string;
  /** `<provider>/<model>`; empty where it is of none. */
  readonly model: string;
  /** The first moment of the day. */
  readonly at: number;
  /** Nano-dollars, below zero as well. */
  readonly amount: number;
}

/** It would take more back than there is. */
export class AdjustmentTooLargeError extends Error {
  constructor(of: string) {
    super(`it would take more back than ${of}`);
    this.name = 'AdjustmentTooLargeError';
  }
}

/** Within a transaction that has locked nothing of the ledger yet. @returns the windows it was charged to. @throws AdjustmentTooLargeError */
export async function bookAdjustment(
  tx: AdjustingTransaction,
  usage: AdjustedUsage,
): Promise<readonly BudgetWindow[]> {
  await shareOrganizations(tx, [usage.organizationId]);
  await requireRecorded(tx.db, usage);
  const windows = await windowsOf(tx, usage);
  // Before the sums by hour change: a window that is made now begins with what they were.
  const page = await openPage(tx, new Map(windows.map((one) => [keyOf(one), one])), []);
  for (const { budget, window } of windows) {
    const ledger = page.books(budget.id, window);
    const spent = ledger.spent + usage.amount;
    if (spent < 0) throw new AdjustmentTooLargeError(`the window ${window} of budget ${budget.id} has`);
    page.putBooks({ ...ledger, spent });
  }
  await page.save(tx.db);
  await addCost(tx, usage);
  await noteCurrent(tx, windows, (one) => page.books(one.budget.id, one.window).spent);
  return windows;
}

function keyOf({ budget, window }: BudgetWindow): string {
  return windowKey(budget.id, window);
}

function sourceOf(usage: AdjustedUsage): Source {
  return {
    organization_id: usage.organizationId,
    key_id: usage.keyId,
    ai_system_id: usage.aiSystemId === '' ? null : usage.aiSystemId,
    person_id: usage.personId === '' ? null : usage.personId,
    project_key_id: null,
    project_ai_system_id: null,
    project_person_id: null,
    model_asked: usage.model,
  };
}

async function windowsOf(tx: AdjustingTransaction, usage: AdjustedUsage): Promise<readonly BudgetWindow[]> {
  const source = sourceOf(usage);
  const budgets = await readBudgets(tx.db, {
    organizationIds: [usage.organizationId],
    subjectIds: [...subjectsOf(source)],
    now: tx.now,
  });
  return createMatching(budgets)(source)({ row: { at: usage.at }, charges: [] });
}

/** What is taken back has to be there: of the subject, the model and the day. */
async function requireRecorded(db: Kysely<Schema>, usage: AdjustedUsage): Promise<void> {
  if (usage.amount >= 0) return;
  const { organizationId, subjectId, model, at } = usage;
  const { sum } = await db
    .selectFrom('usage_hours')
    .select(sql<number>`cast(coalesce(sum(cost), 0) as bigint)`.as('sum'))
    .where('organization_id', '=', organizationId)
    .where('hour', '>=', at)
    .where('hour', '<', at + dayMs)
    .where('model_asked', '=', model)
    .where(
      sql<boolean>`${subjectId} in (organization_id, key_id, ai_system_id, person_id, project_key_id, project_ai_system_id, project_person_id)`,
    )
    .executeTakeFirstOrThrow();
  if (Number(sum) + usage.amount < 0)
    throw new AdjustmentTooLargeError('the ledger has of this subject, model and day');
}

/** No request, only what it costs. */
async function addCost(tx: AdjustingTransaction, usage: AdjustedUsage): Promise<void> {
  const row = { ...emptyRow(sourceOf(usage), usage.at), cost: usage.amount };
  // As reports do: sets of metadata first, then hours, then hours by set.
  const set = await metadataSetOf(tx, usage);
  await addToHours(tx, [row]);
  if (set !== '') await addToMetadataHours(tx, [{ ...row, metadata_set: set }]);
}

/** What a key had when the day began, or when it was made. */
async function metadataSetOf(
  tx: AdjustingTransaction,
  { at, keyId, organizationId }: AdjustedUsage,
): Promise<string> {
  if (keyId === '') return '';
  const use = { at, organization_id: organizationId, key_id: keyId, project_key_id: null };
  return (await metadataSets(tx, [use]))(use);
}

/** Of windows that are over nobody is alerted: they are history. */
async function noteCurrent(
  tx: AdjustingTransaction,
  windows: readonly BudgetWindow[],
  spentOf: (one: BudgetWindow) => number,
): Promise<void> {
  const current = windows.filter(
    ({ budget, window }) => !budget.deleted && window === windowOf(budget.period, tx.now),
  );
  await noteThresholds(
    tx,
    current.map((one) => ({
      budgetId: one.budget.id,
      organizationId: one.budget.organizationId,
      window: one.window,
      amount: one.budget.amount,
      spent: spentOf(one),
    })),
  );
}
