// The journals of this process: one for each session that it has opened, until its whole content is known elsewhere.
// The lines of one tick of the event loop are written at its end, with one call for each file; requests that wait for
// that continue afterwards.
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { BudgetReservation, Charge } from '../budgets/budgets.ts';
import type { UsageEvent } from '../usage/ledger-client.ts';
import type { JournalFolder } from './journal-folder.ts';
import { SessionJournal } from './session-journal.ts';

export interface JournalsDeps {
  readonly folder: Pick<JournalFolder, 'create' | 'tryOut'>;
  readonly timers: Timers;
  /** Runs the task at the end of this tick of the event loop. */
  readonly atEndOfTick: (task: () => void) => void;
  /** Ordinal of the session's next event. */
  readonly nextOrdinal: (session: string) => number;
  readonly log: Logger;
  readonly metrics: JournalMetrics;
  /**
   * The session's journal is broken, or the session has none and a new session could have one: new reservations have to
   * be made in another session.
   */
  readonly onRenew: (session: string) => void;
}

export interface JournalMetrics {
  /** A journal could not be begun or written. Called repeatedly for as long as that lasts. */
  journalFailed(): void;
}

export interface JournalTake {
  /** Whether the reservation is in the journal; if not, nothing may be sent to a provider for it. */
  readonly written: Promise<boolean>;
  released(cost: number, charges: readonly Charge[]): void;
}

/** How often to check whether a new session could have a journal. As soon as it could, a session without one ends. */
const tryEveryMs = 5_000;

export class Journals {
  readonly #deps: JournalsDeps;
  readonly #journals = new Map<string, SessionJournal>();
  readonly #ended = new Set<string>();
  #isTickAwaited = false;
  /** A journal failed: the next session has none. */
  #isSkipped = false;
  /** The session without a journal, until there is room for another's journal. */
  #without: string | undefined;
  #cancelTry: () => void = () => undefined;

  constructor(deps: JournalsDeps) {
    this.#deps = deps;
  }

  /** The session is open: reservations in it are written down from now on. */
  begin(session: string): void {
    if (this.#journals.has(session)) return;
    const { folder, nextOrdinal } = this.#deps;
    if (this.#isSkipped) {
      this.#isSkipped = false;
      this.#goWithout(session);
      return;
    }
    try {
      const file = folder.create(session);
      this.#journals.set(session, new SessionJournal(session, file, () => nextOrdinal(session)));
    } catch (err) {
      this.#deps.metrics.journalFailed();
      this.#deps.log.error({ err }, 'the journal cannot be begun: a crash leaves money unconfirmed for a minute');
      this.#goWithout(session);
    }
  }

  /** No more reservations are made in the session: its journal is removed once its whole content is known elsewhere. */
  end(session: string): void {
    if (session === this.#without) this.#cancelTry();
    const journal = this.#journals.get(session);
    if (journal === undefined) return;
    this.#ended.add(session);
    this.#removeUnneeded(journal);
  }

  /** Undefined: the reservation's session has no journal. */
  take(reservation: BudgetReservation, event: UsageEvent): JournalTake | undefined {
    const journal = this.#journals.get(reservation.stamp.session);
    if (journal === undefined) return undefined;
    const { hold: number, written } = journal.take(event, reservation);
    this.#awaitTick();
    return {
      written,
      released: (cost, charges) => {
        if (journal.isBroken) return;
        journal.released(number, cost, charges);
        this.#awaitTick();
      },
    };
  }

  settled(event: UsageEvent): void {
    const journal = this.#journals.get(event.session);
    if (journal === undefined) return;
    journal.settled(event);
    this.#awaitTick();
  }

  acknowledged(events: readonly UsageEvent[]): void {
    this.#leave(events, (journal, event) => journal.acknowledged(event));
  }

  overflowed(events: readonly UsageEvent[]): void {
    this.#leave(events, (journal, event) => journal.overflowed(event));
    this.#awaitTick();
  }

  /** Writes the buffered lines. Called before any of their usage is reported. */
  flush(): void {
    for (const journal of [...this.#journals.values()]) {
      if (!journal.isDirty) continue;
      const error = journal.flush();
      if (error !== undefined) this.#broken(journal, error);
    }
  }

  /** Removes journals that are no longer needed. The next process takes over the others. */
  close(): void {
    this.#cancelTry();
    this.flush();
    for (const journal of [...this.#journals.values()]) this.#removeUnneeded(journal);
  }

  #leave(events: readonly UsageEvent[], leave: (journal: SessionJournal, event: UsageEvent) => void): void {
    for (const event of events) {
      const journal = this.#journals.get(event.session);
      if (journal === undefined) continue;
      leave(journal, event);
      if (this.#ended.has(event.session)) this.#removeUnneeded(journal);
    }
  }

  #awaitTick(): void {
    if (this.#isTickAwaited) return;
    this.#isTickAwaited = true;
    this.#deps.atEndOfTick(() => {
      this.#isTickAwaited = false;
      this.flush();
    });
  }

  /**
   * Removes the journal, because it would lack later usage of its requests. If this proxy is killed, their money
   * becomes unconfirmed.
   */
  #broken(journal: SessionJournal, err: unknown): void {
    const { session } = journal;
    this.#journals.delete(session);
    this.#ended.delete(session);
    try {
      journal.remove();
    } catch (error) {
      this.#deps.log.error({ err: error, session }, 'a journal that is not whole could not be removed');
    }
    this.#deps.metrics.journalFailed();
    this.#deps.log.error(
      { err, session },
      'the journal could not be written: another session continues without one; a crash leaves its money unconfirmed for a minute',
    );
    this.#isSkipped = true;
    this.#deps.onRenew(session);
  }

  #goWithout(session: string): void {
    this.#cancelTry();
    this.#without = session;
    this.#cancelTry = this.#deps.timers.after(tryEveryMs, () => this.#tryAgain(session));
  }

  #tryAgain(session: string): void {
    const { folder, log, metrics, onRenew } = this.#deps;
    try {
      folder.tryOut();
    } catch {
      metrics.journalFailed();
      this.#goWithout(session);
      return;
    }
    log.info({ session }, 'the journal can be written again: another session begins with one');
    this.#without = undefined;
    onRenew(session);
  }

  #removeUnneeded(journal: SessionJournal): void {
    if (journal.isNeeded) return;
    this.#journals.delete(journal.session);
    this.#ended.delete(journal.session);
    journal.remove();
  }
}
