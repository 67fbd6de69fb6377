// Whether the control plane responds, derived from calls that are made anyway. Every response updates the estimate of
// the database's clock.
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { LedgerRefusedError, LedgerStalledError } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { DatabaseClock } from './database-clock.ts';

export interface ContactDeps {
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly log: Logger;
  readonly onAway: () => void;
  readonly onBack: () => void;
}

export class Contact {
  readonly #deps: ContactDeps;
  #failures = 0;

  constructor(deps: ContactDeps) {
    this.#deps = deps;
  }

  get isAway(): boolean {
    return this.#failures >= budgetBounds.awayAfter;
  }

  /** @param sentAt monotonic */
  async ask<ReadResponse extends { readonly now: number }>(
    sentAt: number,
    call: () => Promise<ReadResponse>,
  ): Promise<ReadResponse> {
    try {
      const response = await call();
      this.#deps.databaseClock.update(response.now, sentAt);
      this.#onResponse();
      return response;
    } catch (error) {
      if (error instanceof LedgerRefusedError) this.#onResponse();
      else if (!(error instanceof LedgerStalledError)) this.#failed(error);
      throw error;
    }
  }

  #onResponse(): void {
    const wasAway = this.isAway;
    this.#failures = 0;
    if (!wasAway) return;
    this.#deps.log.info('the ledger of the control plane responds again');
    this.#deps.onBack();
  }

  #failed(err: unknown): void {
    this.#failures += 1;
    if (this.#failures !== budgetBounds.awayAfter) return;
    this.#deps.log.warn({ err }, 'the ledger does not respond; requests can only use money that is in leases');
    this.#deps.onAway();
  }
}
