// A reservation in leases. All of them are of one session, under which the request's usage is reported.
import type { BudgetHold, Charge, Stamp } from './budgets.ts';
import type { Slice, SliceOrigin } from './lease.ts';

/** The owner of the leases, which made the reservation. */
export interface HoldOwner {
  monotonic(): number;
  /** Money came back to the lease. */
  settled(slice: Slice): void;
}

export class SliceHold implements BudgetHold {
  readonly stamp: Stamp;
  readonly amount: number;
  readonly slices: readonly SliceOrigin[];
  readonly #owner: HoldOwner;
  #slices: readonly Slice[] | undefined;

  constructor(owner: HoldOwner, stamp: Stamp, amount: number, slices: readonly Slice[]) {
    this.stamp = stamp;
    this.amount = amount;
    this.#owner = owner;
    this.slices = slices.map(({ origin }) => origin);
    this.#slices = slices;
  }

  settle(cost: number): readonly Charge[] {
    const slices = this.#slices;
    if (slices === undefined) throw new Error('a hold was settled twice');
    this.#slices = undefined;
    const now = this.#owner.monotonic();
    const charges: Charge[] = [];
    for (const slice of slices) {
      const escrow = slice.settle(this.amount, cost, now);
      const { budgetId, window } = slice.origin;
      if (escrow > 0) charges.push({ budgetId, window, escrow });
      this.#owner.settled(slice);
    }
    return charges;
  }
}
