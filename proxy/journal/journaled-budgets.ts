// Budgets whose reservations are in a journal before a request gets them. The reservations of one tick are written
// together.
import type { BudgetHold, BudgetQuestion, Budgets, Charge, Stamp } from '../budgets/budgets.ts';
import type { Journals, JournalTake } from './journals.ts';

export class JournaledBudgets implements Budgets {
  readonly #budgets: Budgets;
  readonly #journals: Pick<Journals, 'take'>;

  constructor(budgets: Budgets, journals: Pick<Journals, 'take'>) {
    this.#budgets = budgets;
    this.#journals = journals;
  }

  take(question: BudgetQuestion): BudgetHold | Promise<BudgetHold> {
    const taken = this.#budgets.take(question);
    return taken instanceof Promise
      ? taken.then((hold) => this.#written(hold, question))
      : this.#written(taken, question);
  }

  stamp(): Stamp {
    return this.#budgets.stamp();
  }

  #written(hold: BudgetHold, question: BudgetQuestion): BudgetHold | Promise<BudgetHold> {
    const event = { ...question.ifKilled(), ...hold.stamp };
    const take = this.#journals.take(hold, event);
    return take === undefined ? hold : this.#once(take, hold, question);
  }

  async #once(take: JournalTake, hold: BudgetHold, question: BudgetQuestion): Promise<BudgetHold> {
    if (await take.written) return new JournaledHold(hold, take);
    // The journal is broken, and its session is over: the request makes its reservation in the next session.
    hold.settle(0);
    return await this.take(question);
  }
}

class JournaledHold implements BudgetHold {
  readonly stamp: Stamp;
  readonly amount: number;
  readonly leases: BudgetHold['leases'];
  readonly #hold: BudgetHold;
  readonly #take: JournalTake;

  constructor(hold: BudgetHold, take: JournalTake) {
    this.stamp = hold.stamp;
    this.amount = hold.amount;
    this.leases = hold.leases;
    this.#hold = hold;
    this.#take = take;
  }

  settle(cost: number): readonly Charge[] {
    const charges = this.#hold.settle(cost);
    this.#take.released(cost, charges);
    return charges;
  }
}
