// Budgets for each value whose next counter would have no room: for a moment, values without a lease here count with the
// further values, and the ledger is not called for each of them. There is one entry a limit, so no caller fills the memory.
import { limitOfCounter, otherCounterOf } from '../../common/counter-names.ts';
import { budgetBounds } from './bounds.ts';
import type { Budget } from './budgets.ts';
import type { Instant, LeaseTable } from './lease-table.ts';

const { fullMs } = budgetBounds;

export class FullLimits {
  /** Until when, monotonic, by limit. */
  readonly #until = new Map<string, number>();

  /** The ledger had no room for this counter. @param now monotonic */
  note(counter: string, now: number): void {
    for (const [limit, until] of this.#until) if (until <= now) this.#until.delete(limit);
    this.#until.set(limitOfCounter(counter), now + fullMs);
  }

  /** The budget that counts a request: itself, or that of the further values. */
  budgetFor(budget: Budget, leases: Pick<LeaseTable, 'current'>, { at, now }: Instant): Budget {
    if (budget.value === undefined || this.#until.size === 0) return budget;
    const limit = limitOfCounter(budget.id);
    if ((this.#until.get(limit) ?? 0) <= now || leases.current(budget.id)?.covers(at) === true) return budget;
    return { id: otherCounterOf(limit), period: budget.period };
  }
}
