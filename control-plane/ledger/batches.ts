// Draws and returns of all proxies, many in one transaction: what comes while some are under way goes together in the next. A
// transaction costs the same round trips and the same write to the log for one as for a hundred.
import { type Store, StoreUnavailableError } from '../store/store.ts';
import { type LeaseWork, workOnLeases } from './leases.ts';

export interface BatchesOptions {
  /** Transactions under way at most. */
  readonly atOnceMax?: number;
  /** Operations in one. */
  readonly batchMax?: number;
}

export interface Done<Answer> {
  readonly answer: Answer;
  /** The database's clock, milliseconds. */
  readonly now: number;
}

interface Waiting {
  readonly work: LeaseWork<unknown>;
  readonly done: PromiseWithResolvers<Done<unknown>>;
}

export class LeaseBatches {
  readonly #store: Pick<Store, 'books'>;
  readonly #atOnceMax: number;
  readonly #batchMax: number;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(store: Pick<Store, 'books'>, { atOnceMax = 2, batchMax = 200 }: BatchesOptions = {}) {
    this.#store = store;
    this.#atOnceMax = atOnceMax;
    this.#batchMax = batchMax;
  }

  /** @throws CallError not_found for the session of another proxy; StoreUnavailableError */
  run<Answer>(work: LeaseWork<Answer>): Promise<Done<Answer>> {
    const done = Promise.withResolvers<Done<unknown>>();
    this.#waiting.push({ work, done });
    this.#begin();
    return done.promise as Promise<Done<Answer>>;
  }

  #begin(): void {
    while (this.#underWay < this.#atOnceMax && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#batchMax);
      this.#underWay++;
      // Never rejects.
      void this.#runAll(batch).finally(() => {
        this.#underWay--;
        this.#begin();
      });
    }
  }

  /** Nobody pays for another's fault: where they fail together they are run one by one. */
  async #runAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const { now, results } = await this.#store.books(async (tx) => ({
        now: tx.now,
        results: await workOnLeases(
          tx,
          batch.map(({ work }) => work),
        ),
      }));
      results.forEach((result, index) => {
        const done = batch[index]?.done;
        if (result.status === 'fulfilled') done?.resolve({ answer: result.value, now });
        else done?.reject(result.reason);
      });
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreUnavailableError)) {
        for (const one of batch) await this.#runAll([one]);
      } else {
        for (const { done } of batch) done.reject(error);
      }
    }
  }
}
