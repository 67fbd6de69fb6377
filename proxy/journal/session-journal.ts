// The journal of one session: the reservations of its requests, before any byte of theirs goes to a provider, and their
// usage, before it is reported. Acknowledged events leave the file when it is rewritten. A journal is complete, or it
// is broken and its session over.
import type { BudgetReservation, Charge } from '../budgets/budgets.ts';
import type { UsageEvent } from '../usage/ledger-client.ts';
import type { JournalFile } from './journal-folder.ts';
import { type JournalLine, lineOf, type ReservedRequest } from './journal-lines.ts';

/** Above this size the file is rewritten as soon as half of it is obsolete. */
export const journalBytesMax = 8 * 1024 * 1024;

interface OpenTake {
  readonly taken: ReservedRequest;
  /** Undefined: the reservation is not settled. */
  released?: { readonly cost: number; readonly charges: readonly Charge[] };
}

export class SessionJournal {
  readonly session: string;
  readonly #file: JournalFile;
  /** The ordinal of the session's next event. */
  readonly #nextOrdinal: () => number;
  #buffer: JournalLine[] = [];
  readonly #takes = new Map<number, OpenTake>();
  /** By the id of their event. */
  readonly #takesOf = new Map<string, number[]>();
  readonly #events = new Map<string, UsageEvent>();
  readonly #overflowed = new Map<string, Charge>();
  #isOverflowNew = false;
  #reservations = 0;
  #written = Promise.withResolvers<boolean>();
  #liveBytes = 0;
  isBroken = false;

  constructor(session: string, file: JournalFile, nextOrdinal: () => number) {
    this.session = session;
    this.#file = file;
    this.#nextOrdinal = nextOrdinal;
    file.append(lineOf({ kind: 'session', session, ordinal: nextOrdinal() }));
  }

  get isDirty(): boolean {
    return this.#buffer.length > 0 || this.#isOverflowNew;
  }

  /** Whether the file contains anything that is not known elsewhere. */
  get isNeeded(): boolean {
    return this.#takes.size + this.#events.size > 0;
  }

  /** @returns the reservation's number, and whether it is in the journal once this tick is written */
  take(event: UsageEvent, { amount, leases }: Pick<BudgetReservation, 'amount' | 'leases'>) {
    this.#reservations += 1;
    const reservation = this.#reservations;
    const taken: ReservedRequest = { event, amount, slices: leases };
    this.#takes.set(reservation, { taken });
    this.#takesOf.set(event.id, [...(this.#takesOf.get(event.id) ?? []), reservation]);
    this.#buffer.push({ kind: 'take', hold: reservation, taken });
    return { hold: reservation, written: this.#written.promise };
  }

  /** The reservation is settled. A later event of its request, perhaps in the same tick, supersedes this. */
  released(reservation: number, cost: number, charges: readonly Charge[]): void {
    const take = this.#takes.get(reservation);
    if (take === undefined) return;
    take.released = { cost, charges };
    this.#buffer.push({ kind: 'release', hold: reservation, cost, charges });
    if (cost > 0) return;
    const { id } = take.taken.event;
    const others = this.#takesOf.get(id)?.filter((each) => each !== reservation) ?? [];
    if (others.length === 0) this.#takesOf.delete(id);
    else this.#takesOf.set(id, others);
    this.#takes.delete(reservation);
  }

  settled(event: UsageEvent): void {
    for (const reservation of this.#takesOf.get(event.id) ?? []) this.#takes.delete(reservation);
    this.#takesOf.delete(event.id);
    this.#events.set(event.id, event);
    this.#buffer.push({ kind: 'settled', event });
  }

  /** The event is in the ledger. */
  acknowledged(event: UsageEvent): void {
    this.#events.delete(event.id);
  }

  /** The event is in Redis, where the process that takes over this journal does not look for it. */
  overflowed(event: UsageEvent): void {
    if (!this.#events.delete(event.id)) return;
    this.#isOverflowNew = true;
    for (const { budgetId, escrow, window } of event.charges) {
      const key = `${budgetId} ${window}`;
      const before = this.#overflowed.get(key)?.escrow ?? 0;
      this.#overflowed.set(key, { budgetId, window, escrow: before + escrow });
    }
  }

  /** Writes the buffered lines at once. @returns the error of the file system: the journal is broken then */
  flush(): unknown {
    const lines = this.#buffer;
    if (this.#isOverflowNew) lines.push(this.#overflowLine);
    this.#isOverflowNew = false;
    const written = this.#written;
    this.#buffer = [];
    this.#written = Promise.withResolvers();
    const error = this.#write(lines);
    if (error !== undefined) this.isBroken = true;
    written.resolve(error === undefined);
    return error;
  }

  remove(): void {
    this.#file.remove();
  }

  get #overflowLine(): JournalLine {
    return { kind: 'overflowed', escrows: [...this.#overflowed.values()] };
  }

  #write(lines: readonly JournalLine[]): unknown {
    try {
      this.#file.append(lines.map(lineOf).join(''));
      if (this.#file.size > journalBytesMax && this.#file.size > 2 * this.#liveBytes) this.#rewrite();
      return undefined;
    } catch (error) {
      return error ?? new Error('the journal could not be written');
    }
  }

  #rewrite(): void {
    const lines: JournalLine[] = [
      { kind: 'session', session: this.session, ordinal: this.#nextOrdinal() },
      this.#overflowLine,
    ];
    for (const [reservation, { released, taken }] of this.#takes) {
      lines.push({ kind: 'take', hold: reservation, taken });
      if (released !== undefined) lines.push({ kind: 'release', hold: reservation, ...released });
    }
    for (const event of this.#events.values()) lines.push({ kind: 'settled', event });
    this.#file.replace(lines.map(lineOf).join(''));
    this.#liveBytes = this.#file.size;
  }
}
