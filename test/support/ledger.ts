// The control plane's ledger without its gRPC service: budgets in a store, and the operations of proxies.
import { randomUUID } from 'node:crypto';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { systemClock } from '../../common/clock.ts';
import { type Acquired, type AcquireStep, drawing } from '../../control-plane/ledger/acquire.ts';
import { closeSession } from '../../control-plane/ledger/close-session.ts';
import { Healing } from '../../control-plane/ledger/healing.ts';
import { type LeaseWork, workOnLeases } from '../../control-plane/ledger/lease-work.ts';
import { type Return, returning } from '../../control-plane/ledger/release-lease.ts';
import { type Charge, type Reported, reportTogether } from '../../control-plane/ledger/report.ts';
import { keepSession } from '../../control-plane/ledger/sessions.ts';
import type { ProxyCaller } from '../../control-plane/rpc/caller.ts';
import type { Schema, UsageEventRow } from '../../control-plane/store/schema.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { createUsageDays } from '../../control-plane/usage/partitions.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import { change, insertOrganization } from './stored-records.ts';
import { anyProxy } from './watching.ts';

export interface BudgetFields {
  readonly amount: number;
  readonly period?: BudgetPeriod;
  readonly organizationId?: string;
  /** Default: the organization. */
  readonly subjectId?: string;
  readonly subjectKind?: LimitSubjectKind;
  readonly model?: string;
}

/** An event and its charges to leases. */
export interface ChargedEvent {
  readonly row: UsageEventRow & { readonly tags?: Readonly<Record<string, string>> };
  readonly charges?: readonly Charge[];
  readonly ordinal?: number;
}

export class LedgerFixture {
  readonly store: Store;
  readonly #ensureDays: (days: Iterable<string>) => Promise<void>;

  constructor(store: Store) {
    this.store = store;
    this.#ensureDays = createUsageDays({ store, clock: systemClock }).ensureDays;
  }

  async organization(id = 'organization-1'): Promise<void> {
    await change(this.store, async (tx) => void (await insertOrganization(tx, { id })));
  }

  /** @returns its id */
  async budget(fields: BudgetFields): Promise<string> {
    const { amount, period = 'total', organizationId = 'organization-1', subjectId, model = null } = fields;
    const { subjectKind = 'organization' } = fields;
    const id = randomUUID();
    await change(this.store, async (tx) => {
      await tx.db
        .insertInto('limits')
        .values({
          ...{ id, organization_id: organizationId, subject_kind: subjectKind, kind: 'budget' },
          ...{ subject_id: subjectId ?? organizationId, amount, model, period, deleted_at: null },
          ...{ created_at: tx.now, revision: tx.revision },
        })
        .execute();
      return undefined;
    });
    return id;
  }

  /** @returns the id of an open session */
  async session(caller: ProxyCaller = anyProxy): Promise<string> {
    const id = randomUUID();
    await this.store.ledger((tx) => keepSession(tx, caller, id));
    return id;
  }

  acquire(request: AcquireStep, caller: ProxyCaller = anyProxy): Promise<Acquired> {
    return this.#alone(drawing(caller, request));
  }

  closeSession(
    session: string,
    outstanding: ReadonlyMap<string, number> = new Map(),
    { caller = anyProxy, andOthers = false } = {},
  ) {
    return closeSession(this.store, caller, { session, outstanding, andOthers });
  }

  release(request: Return, caller: ProxyCaller = anyProxy): Promise<number> {
    return this.#alone(returning(caller, request));
  }

  async #alone<ReadResponse>(work: LeaseWork<ReadResponse>): Promise<ReadResponse> {
    const [result] = await this.store.ledger((tx) => workOnLeases(tx, [work], new Healing()));
    if (result?.status === 'fulfilled') return result.value;
    throw result?.reason;
  }

  async report(events: readonly ChargedEvent[], boundTo?: string): Promise<Reported> {
    await this.#ensureDays(events.map(({ row }) => row.day));
    const reports = [{ events: events.map(({ row, charges = [], ordinal }) => ({ row, charges, ordinal })), boundTo }];
    const [reported] = await this.store.ledger((tx) => reportTogether(tx, reports));
    if (reported === undefined) throw new Error('a report has no result');
    return reported;
  }

  /** Spent, leased and unconfirmed; undefined if there is no entry. */
  async ledger(budgetId: string, window = 'total') {
    return await this.store.snapshot((db) =>
      db
        .selectFrom('budget_windows')
        .select(['spent', 'leased', 'unsettled as unconfirmed'])
        .where('budget_id', '=', budgetId)
        .where('window_start', '=', window)
        .executeTakeFirst(),
    );
  }

  async leases(): Promise<readonly Schema['leases'][]> {
    return await this.store.snapshot((db) => db.selectFrom('leases').selectAll().execute());
  }
}
