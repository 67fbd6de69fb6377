// Draws and returns that come together.
import type { Store } from '../store/store.ts';
import { Batches, type Done } from './batches.ts';
import { type LeaseWork, workOnLeases } from './lease-work.ts';

export interface LeaseBatchesOptions {
  /** Transactions under way at most. */
  readonly atOnceMax?: number;
  /** Operations in one. */
  readonly batchMax?: number;
}

export class LeaseBatches {
  readonly #batches: Batches<LeaseWork<unknown>, unknown>;

  constructor(store: Pick<Store, 'books'>, { atOnceMax = 2, batchMax = 200 }: LeaseBatchesOptions = {}) {
    const sizes = { atOnceMax, sizeMax: batchMax, sizeOf: () => 1 };
    this.#batches = new Batches({ store, together: workOnLeases<unknown>, ...sizes });
  }

  /** @throws CallError not_found for the session of another proxy; StoreUnavailableError */
  run<Answer>(work: LeaseWork<Answer>): Promise<Done<Answer>> {
    return this.#batches.run(work) as Promise<Done<Answer>>;
  }
}
