// Budgets whose reservations are in a journal before a request gets them. The reservations of one tick are written
// together.
import type { BudgetQuestion, BudgetReservation, Budgets, Charge, FullQuestion, Stamp } from '../budgets/budgets.ts';
import type { Journals, JournalTake } from './journals.ts';

export class JournaledBudgets implements Budgets {
  readonly #budgets: Budgets;
  readonly #journals: Pick<Journals, 'take'>;

  constructor(budgets: Budgets, journals: Pick<Journals, 'take'>) {
    this.#budgets = budgets;
    this.#journals = journals;
  }

  take(question: BudgetQuestion): BudgetReservation | Promise<BudgetReservation> {
    const taken = this.#budgets.take(question);
    return taken instanceof Promise
      ? taken.then((reservation) => this.#written(reservation, question))
      : this.#written(taken, question);
  }

  takeNow(question: FullQuestion): BudgetReservation | undefined | Promise<BudgetReservation | undefined> {
    const taken = this.#budgets.takeNow(question);
    return taken instanceof Promise
      ? taken.then((reservation) => this.#writtenNow(reservation, question))
      : this.#writtenNow(taken, question);
  }

  stamp(): Stamp {
    return this.#budgets.stamp();
  }

  #writtenNow(
    reservation: BudgetReservation | undefined,
    question: FullQuestion,
  ): BudgetReservation | undefined | Promise<BudgetReservation | undefined> {
    const take = reservation && this.#journaled(reservation, question);
    if (reservation === undefined || take === undefined) return reservation;
    return take.written.then((isWritten) => {
      if (isWritten) return new JournaledReservation(reservation, take);
      // The journal is broken, and its session is over.
      reservation.settle(0);
      return undefined;
    });
  }

  #journaled(reservation: BudgetReservation, question: FullQuestion): JournalTake | undefined {
    return this.#journals.take(reservation, { ...question.ifKilled(), ...reservation.stamp });
  }

  #written(reservation: BudgetReservation, question: BudgetQuestion): BudgetReservation | Promise<BudgetReservation> {
    const take = this.#journaled(reservation, question);
    return take === undefined ? reservation : this.#once(take, reservation, question);
  }

  async #once(take: JournalTake, reservation: BudgetReservation, question: BudgetQuestion): Promise<BudgetReservation> {
    if (await take.written) return new JournaledReservation(reservation, take);
    // The journal is broken, and its session is over: the request makes its reservation in the next session.
    reservation.settle(0);
    return await this.take(question);
  }
}

class JournaledReservation implements BudgetReservation {
  readonly stamp: Stamp;
  readonly amount: number;
  readonly leases: BudgetReservation['leases'];
  readonly #hold: BudgetReservation;
  readonly #take: JournalTake;

  constructor(reservation: BudgetReservation, take: JournalTake) {
    this.stamp = reservation.stamp;
    this.amount = reservation.amount;
    this.leases = reservation.leases;
    this.#hold = reservation;
    this.#take = take;
  }

  settle(cost: number, of?: ReadonlySet<string>): readonly Charge[] {
    const charges = this.#hold.settle(cost, of);
    this.#take.released(cost, charges);
    return charges;
  }
}
