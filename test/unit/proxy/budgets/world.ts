// One proxy's budgets with a fake ledger, in virtual time.
import { createBackground } from '../../../../common/background.ts';
import { type BudgetQuestion, BudgetRefusal, type BudgetReservation } from '../../../../proxy/budgets/budgets.ts';
import type { Lease } from '../../../../proxy/budgets/lease.ts';
import { LeasedBudgets, type LeaseMetrics } from '../../../../proxy/budgets/leased-budgets.ts';
import type { UnconfirmedUsage } from '../../../../proxy/usage/live-usage-log.ts';
import type { Escrow } from '../../../../proxy/usage/unacknowledged.ts';
import { FakeLedger, LedgerLink } from '../../../support/fake-ledger.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { usageOf } from '../../../support/usage-queue.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

export class World {
  readonly time = new VirtualTime();
  readonly ledger = new FakeLedger(this.time);
  readonly link = new LedgerLink();
  readonly outcomes: string[] = [];
  readonly waits: number[] = [];
  readonly lost: number[] = [];
  readonly usage = new FakeUsage();
  readonly defects: string[] = [];
  readonly budgets: LeasedBudgets;

  constructor() {
    // An hour before a window's end: the many timers of the hours before it would be most of a test's work.
    this.time.wallOffset = Date.parse('2027-01-15T23:00:00Z') - this.time.monotonic();
    this.budgets = this.proxy(this.link, {
      acquired: (outcome, granted) => void this.outcomes.push(granted > 0 ? `${outcome} ${granted}` : outcome),
      returned: () => undefined,
      escrowLost: (amount) => void this.lost.push(amount),
      waited: (ms) => void this.waits.push(ms),
    });
  }

  /** Another proxy at the same ledger. */
  proxy(link: LedgerLink, metrics: LeaseMetrics = noMetrics): LeasedBudgets {
    return new LeasedBudgets({
      client: this.ledger.connect(link),
      clock: this.time,
      timers: this.time,
      random: () => 0.5,
      log: silentLog,
      background: createBackground({ log: silentLog, onFailure: (task) => this.defects.push(task) }),
      metrics,
      usage: this.usage,
    });
  }

  /** Reserves, and advances the time by the longest duration of a response. */
  async take(question: BudgetQuestion, budgets = this.budgets): Promise<BudgetReservation> {
    const pending = attempt(budgets, question);
    await this.time.advance(20);
    return await pending;
  }

  /** @returns "reason budget" */
  async refusal(question: BudgetQuestion, withinMs = 20): Promise<string> {
    const pending = attempt(this.budgets, question).then(
      () => 'let in',
      (error: unknown) => {
        if (!(error instanceof BudgetRefusal)) throw error;
        return `${error.reason} ${error.budgetId}`;
      },
    );
    await this.time.advance(withinMs);
    return await pending;
  }

  /** The only lease of the budget. */
  lease(budgetId: string): Lease {
    const found = this.budgets.leases().filter(({ origin }) => origin.budgetId === budgetId);
    const [lease] = found;
    if (lease === undefined || found.length > 1) throw new Error(`${found.length} slices of ${budgetId}`);
    return lease;
  }
}

const noMetrics: LeaseMetrics = {
  ...{ acquired: () => undefined, returned: () => undefined, escrowLost: () => undefined },
  waited: () => undefined,
};

/** Usage that is reported at once, unless a test changes that. */
export class FakeUsage implements UnconfirmedUsage {
  readonly reportedAgain: string[] = [];
  waiting: readonly Escrow[] = [];
  overflowed: readonly Escrow[] = [];
  isOverflowing = false;

  queued(): readonly Escrow[] {
    return this.waiting;
  }

  elsewhere(): readonly Escrow[] {
    return this.overflowed;
  }

  forget(): void {
    this.overflowed = [];
  }

  async reportAgain(epoch: string): Promise<void> {
    this.reportedAgain.push(epoch);
  }

  async settled(): Promise<void> {
    // Usage settles at once.
  }

  async isOverflowEmpty(): Promise<boolean> {
    return !this.isOverflowing;
  }
}

/** Turns a refusal that is thrown synchronously into a rejection. */
export async function attempt(budgets: LeasedBudgets, question: BudgetQuestion): Promise<BudgetReservation> {
  return await budgets.take(question);
}

export function ask(full: number, ...ids: readonly string[]): BudgetQuestion {
  return { budgets: ids.map((id) => ({ id, period: 'day' })), full, least: full, ifKilled: () => usageOf() };
}
