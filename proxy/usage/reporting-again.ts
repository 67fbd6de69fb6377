// Reports recently acknowledged events again if the database may have lost them: batch by batch, so that little is in
// memory at once.
import { backoffMs } from '../../common/backoff.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { KeptBatch, KeptEvents } from './kept-events.ts';
import type { UsageEvent } from './ledger-client.ts';
import type { Reporting } from './reporting.ts';

export interface ReportingAgainDeps {
  readonly reporting: Reporting;
  readonly kept: KeptEvents;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Logger;
}

const backoff = { firstMs: 50, maxMs: 2_000 } as const;

export class ReportingAgain {
  readonly #deps: ReportingAgainDeps;
  #isClosed = false;
  #newest = '';
  /** Settles when no repeated report is under way. */
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(deps: ReportingAgainDeps) {
    this.#deps = deps;
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * Events were acknowledged in this epoch. If it is not the newest one, they were late and may be lost with the rest.
   */
  async acknowledged(epoch: string): Promise<void> {
    if (this.#newest !== '' && epoch !== '' && epoch !== this.#newest) await this.report(this.#newest);
  }

  /**
   * Ends early if another epoch is requested meanwhile. Calls run one after another, so that a batch that one call
   * reported is not reported by the next.
   */
  report(epoch: string): Promise<void> {
    this.#newest = epoch;
    const reported = this.#underWay.then(() => this.#report(epoch));
    this.#underWay = reported.catch(() => undefined);
    return reported;
  }

  async #report(epoch: string): Promise<void> {
    let events = 0;
    for (const batch of this.#deps.kept.notIn(epoch)) {
      if (!this.#isWanted(epoch)) return;
      events += await this.#reportBatch(batch, epoch);
    }
    if (events > 0) this.#deps.log.warn({ events }, 'usage of the last minutes was reported again');
  }

  #isWanted(epoch: string): boolean {
    return !this.#isClosed && this.#newest === epoch;
  }

  async #reportBatch(batch: KeptBatch, epoch: string): Promise<number> {
    const events = await batch.events();
    let left: readonly UsageEvent[] = events;
    for (let tries = 1; left.length > 0 && this.#isWanted(epoch); tries++) {
      const { denied, failed } = await this.#deps.reporting.report(left, 'any');
      // Events that are refused now were recorded once; nothing more can be done.
      left = denied ? [] : failed;
      if (left.length > 0) await this.#pause(tries);
    }
    if (left.length === 0) batch.epoch = epoch;
    return events.length;
  }

  #pause(tries: number): Promise<void> {
    const { random, timers } = this.#deps;
    return new Promise((resolve) => void timers.after(backoffMs(tries, backoff, random), resolve));
  }
}
