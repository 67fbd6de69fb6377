// Takes over the journals of dead processes. It reports the usage of their requests and, for requests that were under
// way, the reserved amounts; then it closes their sessions, so that the rest of their leases is free at once. All of it
// may be done twice, by any process.
import type { Background } from '../../common/background.ts';
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { usdOfNano } from '../../common/money.ts';
import type { Timers } from '../../common/timers.ts';
import { batchEventsMax, costOfAll } from '../usage/batch.ts';
import { type LedgerClient, LedgerRefusedError, type UsageEvent } from '../usage/ledger-client.ts';
import { Reporting } from '../usage/reporting.ts';
import type { AbandonedFile, JournalFolder } from './journal-folder.ts';
import { type Abandoned, JournalReader, readLine } from './journal-lines.ts';

export interface AdoptionDeps {
  readonly folder: Pick<JournalFolder, 'abandoned'>;
  readonly client: Pick<LedgerClient, 'report' | 'closeSession'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: AdoptionMetrics;
  /** The events are in the ledger, in this epoch of its database. */
  readonly onRecorded: (events: readonly UsageEvent[], epoch: string) => void;
  /** The session is closed. */
  readonly onClosed: (session: string) => void;
}

export interface AdoptionMetrics {
  /** The journal of a dead process was reported. */
  adopted(settled: number, killed: number): void;
  /** The events are never recorded; the log contains them. */
  lost(events: number): void;
}

/** Another process of the same folder may have died since. */
const againMs = 60_000;
const backoff = { firstMs: 100, maxMs: 5_000 } as const;

export class Adoption {
  readonly #deps: AdoptionDeps;
  readonly #reporting: Reporting;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(deps: AdoptionDeps) {
    this.#deps = deps;
    this.#reporting = new Reporting({ ...deps, onChange: () => undefined });
    this.#after(0);
  }

  /** The next process does the work that is left. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
  }

  #after(delayMs: number): void {
    this.#cancelTimer = this.#deps.timers.after(delayMs, () => this.#deps.background('adopt journals', this.#run()));
  }

  async #run(): Promise<void> {
    try {
      for (const file of await this.#deps.folder.abandoned()) {
        if (this.#isClosed) return;
        await this.#adopt(file);
      }
    } catch (err) {
      this.#deps.log.error({ err }, 'a journal could not be taken over; trying again');
    }
    if (!this.#isClosed) this.#after(againMs);
  }

  async #adopt(file: AbandonedFile): Promise<void> {
    const abandoned = await read(file);
    if (abandoned !== undefined) {
      const { killed, session, settled } = abandoned;
      if (!(await this.#report([...settled, ...killed]))) return;
      if (!(await this.#close(abandoned))) return;
      this.#deps.metrics.adopted(settled.length, killed.length);
      const about = { session, events: settled.length, under_way: killed.length };
      const cost = usdOfNano(costOfAll(killed));
      this.#deps.log.warn(
        { ...about, under_way_cost_usd: cost },
        'a proxy was killed: its usage is reported; its requests in flight are charged their reservations',
      );
    }
    file.remove();
  }

  /** @returns false if this process ends before the report is complete */
  async #report(events: readonly UsageEvent[]): Promise<boolean> {
    for (let from = 0; from < events.length; from += batchEventsMax) {
      let left = events.slice(from, from + batchEventsMax);
      for (let tries = 1; left.length > 0; tries++) {
        if (this.#isClosed) return false;
        const { denied, failed, recorded, refused } = await this.#reporting.report(left, 'any');
        for (const each of recorded) this.#deps.onRecorded(each.events, each.epoch);
        this.#lose(refused);
        if (denied) this.#lose(failed);
        left = denied ? [] : [...failed];
        if (left.length > 0) await this.#pause(tries);
      }
    }
    return true;
  }

  async #close({ overflowed, session }: Abandoned): Promise<boolean> {
    const outstanding = overflowed.map(({ budgetId, escrow, window }) => ({
      budgetId,
      window,
      amount: escrow,
    }));
    for (let tries = 1; !this.#isClosed; tries++) {
      try {
        await this.#deps.client.closeSession({ session, outstanding, andOthers: false });
        this.#deps.onClosed(session);
        return true;
      } catch (error) {
        // The session is of another identity, or the control plane is older: the session ends as it would without a
        // journal.
        if (error instanceof LedgerRefusedError) return true;
        await this.#pause(tries);
      }
    }
    return false;
  }

  #lose(events: readonly UsageEvent[]): void {
    if (events.length === 0) return;
    this.#deps.metrics.lost(events.length);
    this.#deps.log.error(
      { events: events.length, cost_usd: usdOfNano(costOfAll(events)), ids: events.map(({ id }) => id) },
      'the control plane refuses the usage of a killed proxy for good: it is lost',
    );
  }

  #pause(tries: number): Promise<void> {
    const { random, timers } = this.#deps;
    return new Promise((resolve) => {
      timers.after(backoffMs(tries, backoff, random), resolve);
    });
  }
}

async function read(file: AbandonedFile): Promise<Abandoned | undefined> {
  const reader = new JournalReader();
  for await (const text of file.lines()) {
    const line = readLine(text);
    if (line !== undefined) reader.add(line);
  }
  return reader.abandoned;
}
