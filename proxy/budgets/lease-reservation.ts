// A reservation in leases. All of them are of one session, under which the request's usage is reported.
import { limitOfCounter } from '../../common/counter-names.ts';
import type { BudgetReservation, Charge, Stamp } from './budgets.ts';
import type { Lease, LeaseOrigin } from './lease.ts';

/** The owner of the leases, which made the reservation. */
export interface ReservationOwner {
  monotonic(): number;
  /** Money came back to the lease. */
  settled(lease: Lease): void;
}

export class LeaseReservation implements BudgetReservation {
  readonly stamp: Stamp;
  readonly amount: number;
  readonly leases: readonly LeaseOrigin[];
  readonly #owner: ReservationOwner;
  #leases: readonly Lease[] | undefined;

  constructor(owner: ReservationOwner, stamp: Stamp, amount: number, leases: readonly Lease[]) {
    this.stamp = stamp;
    this.amount = amount;
    this.#owner = owner;
    this.leases = leases.map(({ origin }) => origin);
    this.#leases = leases;
  }

  settle(cost: number, of?: ReadonlySet<string>): readonly Charge[] {
    const leases = this.#leases;
    if (leases === undefined) throw new Error('a reservation was settled twice');
    this.#leases = undefined;
    const now = this.#owner.monotonic();
    const charges: Charge[] = [];
    for (const lease of leases) {
      const { budgetId, window } = lease.origin;
      const charged = of === undefined || of.has(limitOfCounter(budgetId)) ? cost : 0;
      const escrow = lease.settle(this.amount, charged, now);
      if (escrow > 0) charges.push({ budgetId, window, escrow });
      this.#owner.settled(lease);
    }
    return charges;
  }
}
