// Corrections of recorded usage: a separate entry beside the requests, with an author and a reason. It counts in the
// totals and in the budget windows that the usage counted towards, past windows included. A request that such a window
// refused stays refused.
import { type Kysely, sql } from 'kysely';
import { shadowModel } from '../../catalog/model-selector.ts';
import { windowOf } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { addLate } from '../usage/fold-late.ts';
import { foldPositionsOf } from '../usage/fold-position.ts';
import { addToHours, addToMetadataHours, emptyRow } from '../usage/hours.ts';
import { metadataSets } from '../usage/metadata.ts';
import type { BudgetedSource } from '../usage/sources.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import type { BudgetWindow } from './budget.ts';
import { readBudgets } from './budgets.ts';
import { admitCounters } from './counters.ts';
import { shareOrganizations } from './locks.ts';
import { createMatching, subjectsOf, windowKey, windowOfBudget } from './matching.ts';
import { openPage } from './page.ts';
import { addAdjustment, readAdjusted } from './reset-window.ts';

type AdjustingTransaction = Omit<LedgerTransaction, 'epoch'>;

/** The owner, model and day of the corrected usage. */
export interface AdjustedUsage {
  readonly organizationId: string;
  /** Id of an organization, AI system, person or virtual key. */
  readonly subjectId: string;
  /** These ids are empty unless the subject has them. */
  readonly keyId: string;
  readonly aiSystemId: string;
  readonly personId: string;
  /** `<provider>/<model>`; empty if the correction is of no model. */
  readonly model: string;
  /** The start of the day. */
  readonly at: number;
  /** In nano-dollars; may be below zero. */
  readonly amount: number;
}

/** The correction would take back more than was recorded. */
export class AdjustmentTooLargeError extends Error {
  constructor(of: string) {
    super(`it would take more back than ${of}`);
    this.name = 'AdjustmentTooLargeError';
  }
}

/**
 * Call it in a transaction that has locked nothing of the ledger yet.
 * @returns the windows that were charged.
 * @throws AdjustmentTooLargeError
 */
export async function recordAdjustment(
  tx: AdjustingTransaction,
  usage: AdjustedUsage,
): Promise<readonly BudgetWindow[]> {
  await shareOrganizations(tx, [usage.organizationId, platformId]);
  await requireRecorded(tx.db, usage);
  const windows = await windowsOf(tx, usage);
  await admitCounters(tx, windows);
  // Before the sums by hour change, because a window whose row is created now starts with these sums.
  const page = await openPage(tx, new Map(windows.map((one) => [keyOf(one), one])), []);
  for (const { budget, window } of windows) {
    const ledger = page.window(budget.id, window);
    const spent = ledger.spent + usage.amount;
    if (spent < 0) await takeFromResets(tx, { budget, window }, -spent);
    page.putWindow({ ...ledger, spent: Math.max(0, spent) });
  }
  await page.save(tx.db);
  await addCost(tx, usage);
  await noteCurrent(tx, windows, (one) => page.window(one.budget.id, one.window).spent);
  return windows;
}

/**
 * A reset took usage away that the correction takes away again: the reset takes less from now on.
 * @throws AdjustmentTooLargeError
 */
async function takeFromResets(tx: AdjustingTransaction, of: BudgetWindow, amount: number): Promise<void> {
  const { budget, window } = of;
  if (amount > -(await readAdjusted(tx.db, of)))
    throw new AdjustmentTooLargeError(`the window ${window} of budget ${budget.id} has`);
  await addAdjustment(tx, of, { amount, reason: 'a correction of usage from before a reset' });
}

function keyOf({ budget, window }: BudgetWindow): string {
  return windowKey(budget.id, window);
}

function sourceOf(usage: AdjustedUsage): BudgetedSource {
  return {
    organization_id: usage.organizationId,
    key_id: usage.keyId,
    ai_system_id: usage.aiSystemId === '' ? null : usage.aiSystemId,
    person_id: usage.personId === '' ? null : usage.personId,
    project_key_id: null,
    project_ai_system_id: null,
    project_person_id: null,
    model_asked: usage.model,
    shadow: 0,
    provider_key_id: null,
    direct_key: 0,
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

/** A correction below zero needs that much recorded usage of the subject, model and day. */
async function requireRecorded(db: Kysely<Schema>, usage: AdjustedUsage): Promise<void> {
  if (usage.amount >= 0) return;
  const { organizationId, subjectId, model, at } = usage;
  const { sum } = await db
    .selectFrom('usage_hours')
    .select(sql<number>`cast(coalesce(sum(cost), 0) as bigint)`.as('sum'))
    .where('organization_id', '=', organizationId)
    .where('hour', '>=', at)
    .where('hour', '<', at + dayMs)
    .where('model_asked', 'in', [model, shadowModel(model)])
    .where(
      sql<boolean>`${subjectId} in (organization_id, key_id, ai_system_id, person_id, project_key_id, project_ai_system_id, project_person_id)`,
    )
    .executeTakeFirstOrThrow();
  if (Number(sum) + usage.amount < 0)
    throw new AdjustmentTooLargeError('the ledger has of this subject, model and day');
}

/** Adds the cost without a request. */
async function addCost(tx: AdjustingTransaction, usage: AdjustedUsage): Promise<void> {
  const row = { ...emptyRow(sourceOf(usage), usage.at), cost: usage.amount };
  // In the order of usage reports: sets of metadata first, then hours, then hours by set.
  const set = await metadataSetOf(tx, usage);
  const ofSet = set === '' ? [] : [{ ...row, metadata_set: set }];
  await addToHours(tx, [row]);
  await addToMetadataHours(tx, ofSet);
  const foldedTo = await foldPositionsOf(tx.db, [usage.organizationId]);
  await addLate(tx, 'hours', { rows: [row], foldedTo });
  await addLate(tx, 'sets', { rows: ofSet, foldedTo });
}

/** The key's metadata when the day began, or when the key was created. */
async function metadataSetOf(tx: AdjustingTransaction, { at, keyId, organizationId }: AdjustedUsage): Promise<string> {
  if (keyId === '') return '';
  const use = { at, organization_id: organizationId, key_id: keyId, project_key_id: null };
  return (await metadataSets(tx, [use]))(use);
}

/** Only current windows alert; past ones are history. */
async function noteCurrent(
  tx: AdjustingTransaction,
  windows: readonly BudgetWindow[],
  spentOf: (one: BudgetWindow) => number,
): Promise<void> {
  const current = windows.filter(({ budget, window }) => !budget.deleted && window === windowOf(budget.period, tx.now));
  await noteThresholds(
    tx,
    current.map((one) => ({ ...windowOfBudget(one, tx.now), spent: spentOf(one) })),
  );
}
