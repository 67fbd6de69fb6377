// Draws and returns that come together.
import type { Store } from '../store/store.ts';
import { Batches, type Done } from './batches.ts';
import { Healing } from './healing.ts';
import { type LeaseWork, workOnLeases } from './lease-work.ts';

export interface LeaseBatchesOptions {
  /** Transactions under way at most. */
  readonly atOnceMax?: number;
  /** Operations in one. */
  readonly batchMax?: number;
}

export class LeaseBatches {
  readonly #batches: Batches<LeaseWork<unknown>, unknown>;

  constructor(store: Pick<Store, 'books'>, { atOnceMax = 2, batchMax = 500 }: LeaseBatchesOptions = {}) {
    const sizes = { atOnceMax, sizeMax: batchMax, sizeOf: () => 1 };
    const healing = new Healing();
    this.#batches = new Batches({
      store,
      ...sizes,
      together: (tx, works: readonly LeaseWork<unknown>[]) => workOnLeases(tx, works, healing),
    });
  }

  /** @throws CallError not_found for the session of another proxy; StoreUnavailableError */
  run<Answer>(work: LeaseWork<Answer>): Promise<Done<Answer>> {
    return this.#batches.run(work) as Promise<Done<Answer>>;
  }
}
