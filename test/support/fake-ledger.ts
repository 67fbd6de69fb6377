// The service Ledger for proxies: the protocol's reference in memory, behind a network that is slow, silent or cut as a
// test sets it. Its clock is its database's, and may differ from that of the proxies.
import type { Clock } from '../../common/clock.ts';
import { isCounter } from '../../common/counter-names.ts';
import type { Timers } from '../../common/timers.ts';
import type { BudgetReservation } from '../../proxy/budgets/budgets.ts';
import {
  type AcquireRequest,
  type LedgerClient,
  LedgerRefusedError,
  type LedgerResponse,
  type ReturnRequest,
  type SessionEnd,
} from '../../proxy/usage/ledger-client.ts';
import { LedgerReference, rowKey } from '../model/ledger.reference.ts';
import { usageOf } from './usage-queue.ts';

export type Call =
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'acquire'; readonly request: AcquireRequest }
  | { readonly kind: 'release'; readonly request: ReturnRequest }
  | { readonly kind: 'close'; readonly end: SessionEnd };

/**
 * `deaf`: executes the call, and its response is lost; `mute`: the call does not arrive; `down`: refuses at once;
 * `denied`: refuses for good.
 */
export type Condition = 'up' | 'deaf' | 'mute' | 'down' | 'denied';

/** The connection of one proxy to the ledger. */
export class LedgerLink {
  condition: Condition = 'up';
  /** Milliseconds in each direction. */
  wayMs = 1;
  deadlineMs = 1_000;
  /** The failure of a call without a response. */
  failure: Error = new Error('no response in time');
  readonly calls: Call[] = [];

  get acquisitions(): readonly AcquireRequest[] {
    return this.calls.flatMap((call) => (call.kind === 'acquire' ? [call.request] : []));
  }

  get returns(): readonly ReturnRequest[] {
    return this.calls.flatMap((call) => (call.kind === 'release' ? [call.request] : []));
  }

  get sessions(): readonly string[] {
    return this.calls.flatMap((call) => (call.kind === 'session' ? [call.session] : []));
  }
}

export class FakeLedger {
  readonly reference = new LedgerReference();
  /** How far the database's clock is ahead of the proxies'. */
  aheadMs = 0;
  /** Number of sessions that it reports; 0: it reports none, and does not know `shut`. */
  sessions = 0;
  epoch = 'epoch-1';
  /** What each counter of a budget for each value has. */
  counterAmount = 0;
  /** Counters that may begin; one of further values may in any case. */
  countersMax = Number.POSITIVE_INFINITY;
  #counters = 0;
  /** Whether it reports the rest of a session's leases. */
  reportsLeased = false;
  readonly #time: Clock & Timers;

  constructor(time: Clock & Timers) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now() + this.aheadMs;
  }

  addBudget(id: string, amount: number, period: 'day' | 'total' = 'day'): void {
    const terms = { id, subjectId: 'organization-1', model: undefined, createdAt: 0, isDeleted: false };
    this.reference.budgets.set(id, { ...terms, amount, period });
  }

  change(id: string, change: { readonly amount?: number; readonly isDeleted?: boolean }): void {
    const budget = this.reference.budgets.get(id);
    if (budget !== undefined) Object.assign(budget, change);
  }

  /** Closes the session, and its leases become unconfirmed. */
  expire(session: string): void {
    this.reference.closeSession(session);
    for (const lease of this.reference.leases.values())
      if (lease.session === session) this.reference.expireLease(lease);
  }

  #leasedOf(session: string): number {
    let leased = 0;
    for (const lease of this.reference.leases.values())
      if (lease.session === session && lease.state === 'open') leased += lease.left;
    return leased;
  }

  /** Settles the reservation and reports it. */
  spend(reservation: BudgetReservation, cost: number): void {
    const charges = reservation.settle(cost);
    this.reference.report([usageOf({ ...reservation.stamp, cost, charges })]);
  }

  /** Sums over all windows, nano-dollars. */
  ledger(budgetId: string): {
    readonly spent: number;
    readonly leased: number;
    readonly unconfirmed: number;
  } {
    const sums = { spent: 0, leased: 0, unconfirmed: 0 };
    for (const [key, { spent, leased, unconfirmed }] of this.reference.ledger) {
      if (!key.startsWith(rowKey(budgetId, ''))) continue;
      sums.spent += spent;
      sums.leased += leased;
      sums.unconfirmed += unconfirmed;
    }
    return sums;
  }

  connect(link: LedgerLink): Omit<LedgerClient, 'report'> {
    return {
      keepSession: (session) =>
        this.#call(link, { kind: 'session', session }, () => ({
          ...this.reference.keepSession(session, this.now()),
          sessions: this.sessions,
          leased: this.reportsLeased ? this.#leasedOf(session) : undefined,
        })),
      acquire: (request) =>
        this.#call(link, { kind: 'acquire', request }, () => {
          if (!this.#begin(request)) return { outcome: 'full' as const, granted: 0, attainable: undefined };
          const { outcome, amount: granted } = this.reference.acquire(request, this.now());
          const attainable = outcome === 'busy' ? this.reference.attainable(request) : undefined;
          return { outcome, granted, attainable };
        }),
      release: (request) =>
        this.#call(link, { kind: 'release', request }, () => ({
          returned: this.reference.release(request, this.now()).amount,
        })),
      closeSession: (end) => this.#call(link, { kind: 'close', end }, () => ({ freed: this.reference.close(end) })),
    };
  }

  /** Begins a counter with its first acquisition. @returns whether there is room */
  #begin({ budgetId, value }: AcquireRequest): boolean {
    if (this.reference.budgets.has(budgetId) || !isCounter(budgetId)) return true;
    if (value !== undefined && this.#counters >= this.countersMax) return false;
    if (value !== undefined) this.#counters += 1;
    this.addBudget(budgetId, this.counterAmount);
    return true;
  }

  #call<Report>(link: LedgerLink, call: Call, act: () => Report): Promise<Report & LedgerResponse> {
    link.calls.push(call);
    const { condition, deadlineMs, failure, wayMs } = link;
    return new Promise((resolve, reject) => {
      if (condition === 'down') return reject(new Error('refused'));
      this.#time.after(deadlineMs, () => reject(failure));
      if (condition === 'mute') return;
      this.#time.after(wayMs, () => {
        if (condition === 'denied') return reject(new LedgerRefusedError('denied', 'not yours'));
        const response = { ...act(), now: this.now(), epoch: this.epoch };
        if (condition === 'up') this.#time.after(wayMs, () => resolve(response));
      });
    });
  }
}
