// Escrow of events that were recorded here and are not known to be in the ledger, by session and lease: what a session that is closed
// must leave for them. What waits in Redis counts until it is reported and removed from here or the session is forgotten: another proxy
// that reports it does not say so here. It may be there several times, because what was not heard is put there again: it counts once.
import type { UsageEvent } from '../budgets/ledger-client.ts';
import { OrdinalSet } from './ordinals.ts';

export interface Escrow {
  readonly budgetId: string;
  readonly window: string;
  readonly amount: number;
}

type Sums = Map<string, Map<string, Escrow>>;

/** Of which usage waits in Redis, or did. The first go first: they are over for long. */
const sessionsMax = 1_000;

export class Unacknowledged {
  /** By session, then by lease. */
  readonly #queued: Sums = new Map();
  readonly #overflowed: Sums = new Map();
  /** By session, the events that `#overflowed` is of. */
  readonly #waiting = new Map<string, OrdinalSet>();

  recorded(events: readonly UsageEvent[]): void {
    for (const event of events) add(this.#queued, event, 1);
  }

  acknowledged(events: readonly UsageEvent[]): void {
    for (const event of events) add(this.#queued, event, -1);
  }

  overflowed(events: readonly UsageEvent[]): void {
    for (const event of events) {
      add(this.#queued, event, -1);
      if (this.#wait(event)) add(this.#overflowed, event, 1);
    }
    for (const session of this.#overflowed.keys()) {
      if (this.#overflowed.size <= sessionsMax) break;
      this.forget(session);
    }
  }

  /** What waited in Redis was reported from here, and is there no more: of this proxy's, or of others'. */
  drained(events: readonly UsageEvent[]): void {
    for (const event of events) if (this.#waitNoMore(event)) add(this.#overflowed, event, -1);
  }

  /** In memory. */
  queued(session: string): readonly Escrow[] {
    return [...(this.#queued.get(session)?.values() ?? [])];
  }

  /** In Redis, or drained from there. */
  elsewhere(session: string): readonly Escrow[] {
    return [...(this.#overflowed.get(session)?.values() ?? [])];
  }

  forget(session: string): void {
    this.#overflowed.delete(session);
    this.#waiting.delete(session);
  }

  /** @returns whether it did not wait yet; of those without a number nobody knows */
  #wait({ charges, ordinal, session }: UsageEvent): boolean {
    if (ordinal === undefined || !charges.some(({ escrow }) => escrow > 0)) return true;
    const ordinals = this.#waiting.get(session) ?? new OrdinalSet();
    this.#waiting.set(session, ordinals);
    return ordinals.add(ordinal);
  }

  /** @returns whether it waited */
  #waitNoMore({ ordinal, session }: UsageEvent): boolean {
    if (ordinal === undefined) return true;
    const ordinals = this.#waiting.get(session);
    const waited = ordinals?.delete(ordinal) === true;
    if (ordinals?.isEmpty === true) this.#waiting.delete(session);
    return waited;
  }
}

function add(sums: Sums, { charges, session }: UsageEvent, sign: 1 | -1): void {
  if (charges.length === 0) return;
  const leases = sums.get(session) ?? new Map<string, Escrow>();
  if (sign === 1) sums.set(session, leases);
  for (const { budgetId, escrow, window } of charges) {
    const key = `${budgetId} ${window}`;
    const amount = (leases.get(key)?.amount ?? 0) + sign * escrow;
    if (amount > 0) leases.set(key, { budgetId, window, amount });
    else leases.delete(key);
  }
  if (leases.size === 0) sums.delete(session);
}
