// The invariants after every step of a schedule: the ledger equals the reference, every nano-dollar is counted in one
// place, and a limit is exceeded only in the ways that the design names, each of which is counted.
import { windowOf } from '../../common/budget-window.ts';
import type { UsageEvent } from '../../proxy/usage/ledger-client.ts';
import {
  type Booking,
  type BudgetTerms,
  LedgerReference,
  type LedgerSnapshot,
  type LedgerState,
  leaseKey,
  matches,
  rowKey,
} from './ledger.reference.ts';
import type { EventsRead, Executed, LedgerRead, StoreStep } from './ledger.side.ts';
import { add, refill } from './maps.ts';

export class Violation extends Error {}

/** A request that was settled and has to be recorded. */
export interface Settled {
  readonly event: UsageEvent;
  /** The reservation in each budget. */
  readonly reservation: number;
  readonly proxy: object;
}

export interface VerifierSnapshot {
  readonly reference: LedgerSnapshot;
  readonly recorded: ReadonlyMap<string, UsageEvent>;
  readonly spent: ReadonlyMap<string, number>;
  readonly released: ReadonlyMap<string, number>;
  readonly excess: ReadonlyMap<string, number>;
  readonly cost: number;
}

/** Money that a proxy or a pending event counts as its own. */
export interface Claim {
  readonly all: number;
  /** The part that is not shut: requests may use it, or have used it. */
  readonly firm: number;
}

/** By leaseKey. */
export type Claims = ReadonlyMap<string, Claim>;

export interface VerifierOptions {
  /**
   * Whether responses and the ledger are also compared with the reference; otherwise only the invariants are checked.
   */
  readonly compares: boolean;
}

export class LedgerVerifier {
  readonly reference = new LedgerReference();
  readonly #options: VerifierOptions;
  readonly #count: (exception: string) => void;
  /** The event that is reported for each request if its proxy is killed, by id. */
  readonly #begun = new Map<string, Settled>();
  /** Requests that a proxy has settled, by id. */
  readonly #settled = new Map<string, Settled>();
  /** Escrows of settled events that are not recorded yet, by leaseKey. */
  readonly #escrows = new Map<string, number>();
  readonly #recorded = new Map<string, UsageEvent>();
  readonly #spent = new Map<string, number>();
  /** For each lease, money that operators released and late reports have not used. */
  readonly #released = new Map<string, number>();
  /** The amount by which the design allows a row to exceed its limit. */
  readonly #excess = new Map<string, number>();
  /** Sessions whose leases the database has lost. */
  readonly #lost = new Set<string>();
  #cost = 0;
  /** The number, in the order of effects, of the last operation that closed sessions. */
  #closedIn = 0;

  /** @param count called when an exception of the design occurs */
  constructor(options: VerifierOptions, count: (exception: string) => void) {
    this.#options = options;
    this.#count = count;
  }

  /** Returns the expected state that belongs to the database's current state. */
  snapshot(): VerifierSnapshot {
    return {
      reference: this.reference.snapshot(),
      recorded: new Map(this.#recorded),
      spent: new Map(this.#spent),
      released: new Map(this.#released),
      excess: new Map(this.#excess),
      cost: this.#cost,
    };
  }

  /**
   * Returns to the expected state of a restored database. Money acquired since then belongs to no lease any more, and
   * late reports may exceed limits.
   */
  restore({ cost, excess, recorded, reference, released, spent }: VerifierSnapshot): void {
    // Add the sessions of the lost state, then those of the restored one.
    for (const session of this.reference.sessions.keys()) this.#lost.add(session);
    this.reference.restore(reference);
    for (const session of this.reference.sessions.keys()) this.#lost.add(session);
    refill(this.#recorded, recorded);
    refill(this.#spent, spent);
    refill(this.#released, released);
    refill(this.#excess, excess);
    this.#cost = cost;
    this.#escrows.clear();
    for (const { event } of this.#settled.values()) if (!recorded.has(event.id)) this.#addEscrows(event, 1);
  }

  /** Notes that a request started. */
  begin(settled: Settled): void {
    this.#begun.set(settled.event.id, settled);
  }

  isRecorded(id: string): boolean {
    return this.#recorded.has(id);
  }

  /** Notes that a request ended. */
  settle(settled: Settled): void {
    this.#settled.set(settled.event.id, settled);
    this.#addEscrows(settled.event, 1);
  }

  /** Applies the operations of the ledger, in the order in which they took effect. */
  apply(executed: Executed, step: StoreStep): void {
    const before = this.#overs();
    const spentBefore = new Map(this.#spent);
    const named = this.#applyToReference(executed, step);
    if (executed.kind === 'close' || executed.kind === 'expire') this.#closedIn = step.step;
    for (const [key, over] of this.#overs()) {
      // A new row starts with usage from before its budget was created.
      const start = before.get(key) ?? this.#overOf(key, spentBefore.get(key) ?? 0);
      const excess = named.get(key) ?? 0;
      if (over - start > excess)
        fail(`${executed.kind} takes ${key} above its limit by ${over - start}, named is ${excess}`);
      add(this.#excess, key, before.has(key) ? excess : excess + start);
    }
  }

  /** Checks everything that can be known from the ledger as read, and from the claims of proxies. */
  check(read: LedgerRead, claims: Claims): void {
    if (this.#options.compares) this.#compare(read);
    this.#checkRows(read);
    this.checkClaims(read, claims);
  }

  /**
   * Checks that each request is in the ledger, or its escrow is still in its lease, so that nobody counts on more money
   * than there is.
   */
  checkClaims(read: LedgerRead, claims: Claims): void {
    for (const key of new Set([...claims.keys(), ...this.#escrows.keys()])) {
      const escrow = this.#escrows.get(key) ?? 0;
      const { all, firm } = claims.get(key) ?? noClaim;
      // A proxy counts on leases that the database has lost, until it has closed their session.
      if (all + escrow === 0 || this.#lost.has(key.slice(0, key.indexOf(' ')))) continue;
      const { back, left, shut, state } = read.leases.get(key) ?? emptyLease;
      const released = this.#released.get(key) ?? 0;
      if (all + escrow > left + back + released)
        fail(`${all + escrow} is counted on in the lease ${key}, which has ${left} left and ${back} back`);
      const kept = state === 'open' ? left - Math.min(shut, left) : left;
      if (firm + escrow > kept + released)
        fail(`${firm + escrow} may be used of the lease ${key}, which keeps ${kept} when its session ends`);
    }
  }

  /** @returns events of these proxies that are not in the ledger */
  unrecordedOf(isOurs: (proxy: object) => boolean): readonly UsageEvent[] {
    return [...this.#settled.values()].flatMap(({ event, proxy }) =>
      isOurs(proxy) && !this.#recorded.has(event.id) ? [event] : [],
    );
  }

  /** Checks that each event is in the ledger once, as it was settled. */
  checkEvents({ costs, hourly, total }: EventsRead): void {
    if (costs.size !== this.#recorded.size)
      fail(`the ledger contains ${costs.size} events, ${this.#recorded.size} were recorded`);
    for (const [id, cost] of costs) {
      const settled = this.#settled.get(id);
      if (settled === undefined) fail(`the ledger contains an event that no proxy has settled: ${id}`);
      if (settled.event.cost !== cost) fail(`an event of ${settled.event.cost} is recorded with ${cost}`);
    }
    if (hourly !== this.#cost) fail(`the hours sum up to ${hourly}, the events to ${this.#cost}`);
    if (total !== this.#cost) fail(`the total is ${total}, the events sum up to ${this.#cost}`);
  }

  /** @returns how far each row may exceed its limit now */
  #applyToReference(executed: Executed, { after, now }: StoreStep): ReadonlyMap<string, number> {
    const { reference } = this;
    switch (executed.kind) {
      case 'keep':
        this.#expectSame(executed.kind, executed.open, reference.keepSession(executed.session, now).open);
        return none;
      case 'acquire': {
        // Whether the last session from before the restore is closed is read without a lock, so a waiting acquisition
        // may have read it earlier.
        const isLate = this.#closedIn > after && executed.response.outcome === 'busy';
        const { amount, outcome } = reference.acquire(executed.request, now, isLate);
        const response = `${executed.response.outcome} ${executed.response.granted}`;
        this.#expectSame(executed.kind, response, `${outcome} ${amount}`);
        return none;
      }
      case 'return':
        this.#expectSame(executed.kind, executed.returned, reference.release(executed.request, now).amount);
        return none;
      case 'report':
        return this.#applyReport(executed.events, executed.recorded);
      case 'close':
        this.#expectSame(executed.kind, executed.freed, reference.close(executed.end));
        return none;
      case 'expire':
        for (const session of executed.closed) reference.closeSession(session);
        for (const lease of executed.expired) reference.expireLease(lease);
        return none;
      case 'release': {
        this.#expectSame(
          executed.kind,
          executed.released,
          reference.releaseUnconfirmed(executed.lease, executed.amount),
        );
        add(this.#released, leaseKey(executed.lease), executed.released);
        return none;
      }
      case 'create':
        return this.#applyCreate(executed.terms);
      case 'resize': {
        const terms = reference.budgets.get(executed.budgetId);
        if (terms === undefined) return none;
        const lowered = Math.max(0, terms.amount - executed.amount);
        terms.amount = executed.amount;
        if (this.#keysOf(terms).some((key) => this.#overOf(key, totalOf(reference.ledgerOf(key))) > 0))
          this.#count('lowered below');
        return new Map(this.#keysOf(terms).map((key) => [key, lowered]));
      }
      case 'reset': {
        const { budgetId, window } = executed;
        reference.reset(budgetId, window);
        this.#spent.set(rowKey(budgetId, window), 0);
        this.#count('reset');
        return none;
      }
      case 'delete': {
        const terms = reference.budgets.get(executed.budgetId);
        if (terms !== undefined) terms.isDeleted = true;
        return none;
      }
    }
  }

  #applyReport(events: readonly UsageEvent[], recorded: number): ReadonlyMap<string, number> {
    const fresh = events.filter(
      ({ id }, index) => !this.#recorded.has(id) && events.findIndex((event) => event.id === id) === index,
    );
    this.#expectSame('report', recorded, fresh.length);
    const named = new Map<string, number>();
    for (const event of fresh) {
      if (event.estimateReason === 'killed') this.#applyKilled(event);
      this.#recorded.set(event.id, event);
      this.#addEscrows(event, -1);
      this.#cost += event.cost;
      for (const budget of this.reference.budgets.values())
        if (matches(budget, event)) add(this.#spent, rowKey(budget.id, windowOf(budget.period, event.at)), event.cost);
    }
    const { bookings } = this.reference.report(events);
    for (const booking of bookings) {
      const key = rowKey(booking.budget.id, booking.window);
      add(named, key, this.#excessOf(booking));
    }
    return named;
  }

  /** The proxy was killed while the request ran, or before it could report the cost. */
  #applyKilled(event: UsageEvent): void {
    const begun = this.#begun.get(event.id);
    if (begun === undefined) fail(`an event is reported that no proxy has begun: ${event.id}`);
    if (begun.event.cost !== event.cost) fail(`${event.cost} is reported for a reservation of ${begun.event.cost}`);
    const settled = this.#settled.get(event.id);
    if (settled !== undefined) this.#addEscrows(settled.event, -1);
    this.settle({ ...begun, event });
    this.#count('killed and reported');
  }

  #excessOf({ budget, event, taken, window }: Booking): number {
    const charge = event.charges.find((each) => each.budgetId === budget.id && each.window === window);
    // The proxy did not know the budget when the request was reserved, or the budget was deleted meanwhile.
    if (charge === undefined) {
      if (event.cost > 0 && !budget.isDeleted) this.#count('not charged');
      return event.cost;
    }
    const aboveReservation = event.cost - charge.escrow;
    const reservation = this.#settled.get(event.id)?.reservation ?? 0;
    if (aboveReservation > 0 && event.cost <= reservation)
      fail(`of a cost of ${event.cost} below its reservation only ${charge.escrow} were charged`);
    if (aboveReservation > 0) this.#count('above its reservation');
    const late = charge.escrow - taken;
    if (late > 0) {
      this.#count('late after a release');
      const key = leaseKey({ ...charge, session: event.session });
      if (this.#lost.has(event.session)) {
        this.#count('late after a restore');
        return aboveReservation + late;
      }
      const released = this.#released.get(key) ?? 0;
      if (late > released) fail(`the lease ${key} lacks ${late}, of which operators have released ${released}`);
      this.#released.set(key, released - late);
    }
    return aboveReservation + late;
  }

  #applyCreate(terms: BudgetTerms): ReadonlyMap<string, number> {
    this.reference.budgets.set(terms.id, { ...terms });
    if (terms.period === 'total') return none;
    for (const event of this.#recorded.values())
      if (matches(terms, event)) add(this.#spent, rowKey(terms.id, windowOf(terms.period, event.at)), event.cost);
    return none;
  }

  #compare(read: LedgerRead): void {
    const { ledger, leases } = this.reference;
    for (const key of new Set([...read.ledger.keys(), ...ledger.keys()])) {
      const should = this.reference.ledgerOf(key);
      const { leased, spent, unconfirmed } = read.ledger.get(key) ?? should;
      this.#expectSame(
        `row ${key}`,
        `${spent} ${leased} ${unconfirmed}`,
        `${should.spent} ${should.leased} ${should.unconfirmed}`,
      );
    }
    for (const key of new Set([...read.leases.keys(), ...leases.keys()])) {
      const lease = read.leases.get(key) ?? emptyLease;
      const should = leases.get(key) ?? emptyLease;
      this.#expectSame(
        `lease ${key}`,
        `${lease.left} ${lease.seq} ${lease.state} shut ${lease.shut} back ${lease.back}`,
        `${should.left} ${should.seq} ${should.state} shut ${should.shut} back ${should.back}`,
      );
    }
  }

  #checkRows(read: LedgerRead): void {
    const leased = new Map<string, number>();
    const unconfirmed = new Map<string, number>();
    for (const { budgetId, left, state, window } of read.leases.values()) {
      if (left < 0) fail('a lease has less than nothing left');
      add(state === 'open' ? leased : unconfirmed, rowKey(budgetId, window), left);
    }
    for (const [key, row] of read.ledger) {
      if (Math.min(row.spent, row.leased, row.unconfirmed) < 0) fail(`the row ${key} is below zero`);
      if (row.leased !== (leased.get(key) ?? 0))
        fail(`${row.leased} is leased of ${key}, open leases have ${leased.get(key)}`);
      if (row.unconfirmed !== (unconfirmed.get(key) ?? 0))
        fail(`${row.unconfirmed} is unconfirmed of ${key}, expired leases have ${unconfirmed.get(key)}`);
      const spent = this.#spent.get(key) ?? 0;
      if (row.spent !== spent) fail(`${row.spent} is spent of ${key}, events that count there sum up to ${spent}`);
      const over = this.#overOf(key, totalOf(row));
      const excess = this.#excess.get(key) ?? this.#overOf(key, spent);
      if (over > excess) fail(`${key} is above its limit by ${over}, named are ${excess}`);
    }
  }

  #addEscrows({ charges, session }: UsageEvent, sign: 1 | -1): void {
    for (const charge of charges) add(this.#escrows, leaseKey({ ...charge, session }), sign * charge.escrow);
  }

  #overs(): ReadonlyMap<string, number> {
    const overs = new Map<string, number>();
    for (const [key, row] of this.reference.ledger) overs.set(key, this.#overOf(key, totalOf(row)));
    return overs;
  }

  #overOf(key: string, total: number): number {
    const terms = this.reference.budgets.get(key.slice(0, key.indexOf(' ')));
    return terms === undefined || terms.isDeleted ? 0 : Math.max(0, total - terms.amount);
  }

  #keysOf({ id }: BudgetTerms): readonly string[] {
    return [...this.reference.ledger.keys()].filter((key) => key.startsWith(`${id} `));
  }

  #expectSame(what: string, actual: unknown, should: unknown): void {
    if (this.#options.compares && actual !== should) fail(`${what}: ${actual}, by the reference ${should}`);
  }
}

function totalOf({ leased, spent, unconfirmed }: LedgerState): number {
  return spent + leased + unconfirmed;
}

const none: ReadonlyMap<string, number> = new Map();
const noClaim: Claim = { all: 0, firm: 0 };
const emptyLease = { left: 0, seq: 0, state: 'open', shut: 0, back: 0 };

function fail(message: string): never {
  throw new Violation(message);
}
