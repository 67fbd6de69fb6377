// The lines of a journal: enough for another process to report the usage, or possible usage, of its writer's requests.
// Pure.
import { isObject, parseJson } from '../../common/json.ts';
import type { Charge } from '../budgets/budgets.ts';
import type { UsageEvent } from '../usage/ledger-client.ts';

/** A line of the journal of one session. */
export type JournalLine =
  /** The first line of each file; the ordinal is that of the next event. */
  | { readonly kind: 'session'; readonly session: string; readonly ordinal: number }
  /** A request has a reservation and may be sent to a provider. */
  | { readonly kind: 'take'; readonly hold: number; readonly taken: ReservedRequest }
  /**
   * A reservation was settled, and the event of its request is still to come. A cost of 0 means that nothing was used.
   */
  | {
      readonly kind: 'release';
      readonly hold: number;
      readonly cost: number;
      readonly charges: readonly Charge[];
    }
  | { readonly kind: 'settled'; readonly event: UsageEvent }
  /** Escrow, by lease, of events that wait in Redis, from where other proxies may report them. */
  | { readonly kind: 'overflowed'; readonly escrows: readonly Charge[] };

export interface ReservedRequest {
  /** The event to report if nothing more is known; cost and charges are added. */
  readonly event: UsageEvent;
  /** Nano-dollars, in each lease. */
  readonly amount: number;
  readonly slices: readonly LeaseName[];
}

type LeaseName = Pick<Charge, 'budgetId' | 'window'>;

export function lineOf(line: JournalLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** @returns undefined for a text that is not a line: the last one may be incomplete */
export function readLine(text: string): JournalLine | undefined {
  try {
    const line = parseJson(text);
    // The line was written by this program, or by another version of it.
    return isObject(line) && typeof line.kind === 'string' ? (line as unknown as JournalLine) : undefined;
  } catch {
    return undefined;
  }
}

/** The content of a dead process's journal. */
export interface Abandoned {
  readonly session: string;
  /** Settled events that are not known to be acknowledged. */
  readonly settled: readonly UsageEvent[];
  /** Events of requests that were under way. */
  readonly killed: readonly UsageEvent[];
  readonly overflowed: readonly Charge[];
}

/** Collects lines. The same lines make the same events, whichever process reads them and however often. */
export class JournalReader {
  #session = '';
  #ordinal = 1;
  readonly #settled = new Map<string, UsageEvent>();
  readonly #reservations = new Map<number, ReservedRequest>();
  readonly #released = new Map<string, { cost: number; charges: Charge[] }>();
  readonly #templates = new Map<string, UsageEvent>();
  #overflowed: readonly Charge[] = [];

  add(line: JournalLine): void {
    switch (line.kind) {
      case 'session':
        this.#session = line.session;
        this.#ordinal = Math.max(this.#ordinal, line.ordinal);
        break;
      case 'take':
        this.#reservations.set(line.hold, line.taken);
        break;
      case 'release':
        this.#release(line.hold, line);
        break;
      case 'settled':
        this.#settled.set(line.event.id, line.event);
        this.#ordinal = Math.max(this.#ordinal, (line.event.ordinal ?? 0) + 1);
        break;
      case 'overflowed':
        this.#overflowed = line.escrows;
    }
  }

  /** Undefined: the journal does not name its session. */
  get abandoned(): Abandoned | undefined {
    if (this.#session === '') return undefined;
    const killed = new Map<string, UsageEvent>();
    for (const [id, { charges, cost }] of this.#released) this.#addTo(killed, id, { cost, charges });
    for (const { amount, event, slices: leases } of this.#reservations.values()) {
      this.#templates.set(event.id, event);
      const charges = leases.map(({ budgetId, window }) => ({ budgetId, window, escrow: amount }));
      this.#addTo(killed, event.id, { cost: amount, charges });
    }
    let ordinal = this.#ordinal;
    return {
      session: this.#session,
      settled: [...this.#settled.values()],
      killed: Array.from(killed.values(), (event) => ({ ...event, ordinal: ordinal++ })),
      overflowed: this.#overflowed,
    };
  }

  #release(reservation: number, { charges, cost }: Pick<UsageEvent, 'charges' | 'cost'>): void {
    const taken = this.#reservations.get(reservation);
    this.#reservations.delete(reservation);
    if (taken === undefined || cost === 0) return;
    const { event } = taken;
    const released = this.#released.get(event.id) ?? { cost: 0, charges: [] };
    released.cost += cost;
    released.charges.push(...charges);
    this.#released.set(event.id, released);
    this.#templates.set(event.id, event);
  }

  #addTo(killed: Map<string, UsageEvent>, id: string, { charges, cost }: Pick<UsageEvent, 'charges' | 'cost'>): void {
    const event = killed.get(id) ?? this.#templates.get(id);
    if (event === undefined || this.#settled.has(id)) return;
    killed.set(id, { ...event, cost: event.cost + cost, charges: merged([...event.charges, ...charges]) });
  }
}

/** One charge for each lease. */
export function merged(charges: readonly Charge[]): readonly Charge[] {
  const sums = new Map<string, Charge>();
  for (const { budgetId, escrow, window } of charges) {
    const key = `${budgetId} ${window}`;
    sums.set(key, { budgetId, window, escrow: escrow + (sums.get(key)?.escrow ?? 0) });
  }
  return [...sums.values()];
}
