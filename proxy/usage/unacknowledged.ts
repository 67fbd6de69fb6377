// Escrow of events that were recorded here and are not known to be in the ledger, by session and lease: a session that
// is closed must leave this much for them. Events in Redis count until this proxy has reported and removed them, or the
// session is forgotten, because another proxy that reports them does not notify this one. An event may be in Redis
// several times, because an unacknowledged write is repeated; it counts once.
import type { UsageEvent } from './ledger-client.ts';
import { OrdinalSet } from './ordinals.ts';

export interface Escrow {
  readonly budgetId: string;
  readonly window: string;
  readonly amount: number;
}

type Sums = Map<string, Map<string, Escrow>>;

/** Sessions whose usage waits in Redis, or did. The first ones are removed first: they ended long ago. */
const sessionsMax = 1_000;

export class Unacknowledged {
  /** By session, then by lease. */
  readonly #queued: Sums = new Map();
  readonly #overflowed: Sums = new Map();
  /** By session: the events that are counted in the sums of Redis. */
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

  /** This proxy has reported events from Redis, its own or others', and removed them there. */
  drained(events: readonly UsageEvent[]): void {
    for (const event of events) if (this.#waitNoMore(event)) add(this.#overflowed, event, -1);
  }

  /** Escrow of events in memory. */
  queued(session: string): readonly Escrow[] {
    return [...(this.#queued.get(session)?.values() ?? [])];
  }

  /** Escrow of events in Redis; other proxies may have reported them. */
  elsewhere(session: string): readonly Escrow[] {
    return [...(this.#overflowed.get(session)?.values() ?? [])];
  }

  forget(session: string): void {
    this.#overflowed.delete(session);
    this.#waiting.delete(session);
  }

  /** @returns whether the event did not wait yet; true if it has no ordinal, because then this is unknown */
  #wait({ charges, ordinal, session }: UsageEvent): boolean {
    if (ordinal === undefined || !charges.some(({ escrow }) => escrow > 0)) return true;
    const ordinals = this.#waiting.get(session) ?? new OrdinalSet();
    this.#waiting.set(session, ordinals);
    return ordinals.add(ordinal);
  }

  /** @returns whether the event waited */
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
