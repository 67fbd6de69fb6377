// Runs work items of one kind from all proxies together in few transactions: items that arrive while transactions run
// go into the next one. A transaction costs the same round trips and the same log write for one item as for a hundred.
import { type LedgerTransaction, type Store, StoreUnavailableError } from '../store/store.ts';

export interface BatchesDeps<Work, ReadResponse> {
  readonly store: Pick<Store, 'ledger'>;
  /** @returns results in the order of the items; an item that is refused alone is rejected */
  together(tx: LedgerTransaction, works: readonly Work[]): Promise<readonly PromiseSettledResult<ReadResponse>[]>;
  sizeOf(work: Work): number;
  /** The size limit of one transaction; a larger item runs alone. */
  readonly sizeMax: number;
  /** How many transactions may run at once. */
  readonly atOnceMax: number;
}

export interface Done<ReadResponse> {
  readonly response: ReadResponse;
  /** The database's clock, in milliseconds. */
  readonly now: number;
  /** The epoch in which it was done, as in Position. */
  readonly epoch: string;
}

interface Waiting<Work, ReadResponse> {
  readonly work: Work;
  readonly done: PromiseWithResolvers<Done<ReadResponse>>;
}

export class Batches<Work, ReadResponse> {
  readonly #deps: BatchesDeps<Work, ReadResponse>;
  #waiting: Waiting<Work, ReadResponse>[] = [];
  #underWay = 0;

  constructor(deps: BatchesDeps<Work, ReadResponse>) {
    this.#deps = deps;
  }

  /** @throws the error with which the item is refused; StoreUnavailableError */
  run(work: Work): Promise<Done<ReadResponse>> {
    const done = Promise.withResolvers<Done<ReadResponse>>();
    this.#waiting.push({ work, done });
    this.#begin();
    return done.promise;
  }

  #begin(): void {
    while (this.#underWay < this.#deps.atOnceMax && this.#waiting.length > 0) {
      const batch = this.#next();
      this.#underWay++;
      // Never rejects.
      void this.#runAll(batch).finally(() => {
        this.#underWay--;
        this.#begin();
      });
    }
  }

  #next(): readonly Waiting<Work, ReadResponse>[] {
    const { sizeMax, sizeOf } = this.#deps;
    let size = 0;
    const end = this.#waiting.findIndex(({ work }, index) => {
      size += sizeOf(work);
      return size > sizeMax && index > 0;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** If items fail together they run again one by one, so that one item's fault does not fail the others. */
  async #runAll(batch: readonly Waiting<Work, ReadResponse>[]): Promise<void> {
    const { store, together } = this.#deps;
    try {
      const { now, epoch, results } = await store.ledger(async (tx) => ({
        now: tx.now,
        epoch: tx.epoch,
        results: await together(
          tx,
          batch.map(({ work }) => work),
        ),
      }));
      results.forEach((result, index) => {
        const done = batch[index]?.done;
        if (result.status === 'fulfilled') done?.resolve({ response: result.value, now, epoch });
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
