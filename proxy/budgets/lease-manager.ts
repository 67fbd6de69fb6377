// All leases of this proxy, within a session: it acquires and releases their money by operations that are sent until
// they get a response. Of requests it knows only that some wait; leased-budgets.ts makes their reservations.
import { usageKeptMs } from '../usage/kept-events.ts';
import type { AcquireResponse } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { Budget } from './budgets.ts';
import { Contact } from './contact.ts';
import { DatabaseClock } from './database-clock.ts';
import { FullLimits } from './full-limits.ts';
import type { AcquireKind, Lease } from './lease.ts';
import type { LeaseManagerDeps } from './lease-manager-deps.ts';
import { acquireAhead, type Instant, isForgettable, LeaseTable } from './lease-table.ts';
import { LostUsage } from './lost-usage.ts';
import { Operations } from './operations.ts';
import { RecentSessions, Session } from './session.ts';
import { knownOf, outstandingOf, SessionEnds } from './session-end.ts';

const { countsMax, sweepMs, unhurriedReturnsMax } = budgetBounds;
/** Time to report usage before its session is closed. Usage that is not reported by then is left outstanding. */
const reportMs = 2_000;

export class LeaseManager {
  readonly #deps: LeaseManagerDeps;
  readonly #databaseClock: DatabaseClock;
  readonly #contact: Contact;
  readonly #session: Session;
  readonly #operations: Operations;
  readonly #leases = new LeaseTable();
  readonly #fullLimits = new FullLimits();
  readonly #ends: SessionEnds;
  readonly #lost: LostUsage;
  readonly #recent = new RecentSessions();
  /** Newest epoch of the database in which the last commits may be missing. */
  #restored = '';
  /**
   * Releases that no request waits for, with a function for the amount at that time. Many become due at once when a
   * window or the traffic ends.
   */
  readonly #unhurried = new Map<Lease, () => number>();
  /** Leases with a release under way. */
  readonly #returning = new Set<Lease>();
  #cancelSweep: () => void = () => undefined;
  #isClosing = false;
  #onAllReturned: () => void = () => undefined;

  constructor(deps: LeaseManagerDeps) {
    this.#deps = deps;
    this.#databaseClock = new DatabaseClock(deps.clock);
    this.#contact = new Contact({
      ...deps,
      databaseClock: this.#databaseClock,
      onAway: () => this.#away(),
      onBack: () => this.#operations.resume(),
    });
    this.#session = new Session({
      ...deps,
      contact: this.#contact,
      onOpen: (session) => {
        deps.onSession?.(session, 'open');
        deps.onChange();
      },
      onLost: (session, isClosed) => this.#leaveSession(session, isClosed),
      onKept: (response) => this.#lost.compare(response, this.#session.current),
    });
    this.#lost = new LostUsage({
      ...deps,
      known: (session) => knownOf(session, this.#leases.all(), deps.usage),
      onLost: (session) => this.#session.renew(session),
    });
    this.#ends = new SessionEnds({
      ...deps,
      contact: this.#contact,
      outstanding: (session) => outstandingOf(session, this.#leases.all(), deps.usage),
      onEnded: (session) => deps.usage.forget(session),
    });
    this.#operations = new Operations({
      ...deps,
      contact: this.#contact,
      onAcquired: (lease, response, sentAt) => this.#acquired(lease, response, sentAt),
      onReturned: (lease, amount) => this.#returned(lease, amount),
      onDenied: (lease) => this.#denied(lease),
    });
  }

  start(): void {
    this.#session.start();
    this.#sweepLater();
  }

  instant(): Instant {
    const now = this.#deps.clock.monotonic();
    return { now, at: this.#databaseClock.at(now) };
  }

  /** Empty if there is none. */
  get session(): string {
    return this.#session.current;
  }

  /** Whether an acquire call would get a response, as far as is known. */
  get mayAcquire(): boolean {
    return !this.#isClosing && !this.#contact.isAway;
  }

  /** All leases: those that requests use, and past ones until they are settled. */
  all(): Iterable<Lease> {
    return this.#leases.all();
  }

  /** The current leases; undefined without a session. Deleted budgets are left out. */
  of(budgets: readonly Budget[], instant: Instant): readonly Lease[] | undefined {
    const session = this.#session.current;
    if (session === '' || this.#isClosing) return undefined;
    const leases: Lease[] = [];
    for (const budget of budgets) {
      const lease = this.#leaseOf(session, this.#fullLimits.budgetFor(budget, this.#leases, instant), instant);
      if (lease.state !== 'deleted') leases.push(lease);
    }
    return leases;
  }

  acquire(lease: Lease, kind: AcquireKind, now: number): void {
    lease.acquire(kind, now);
    this.#operations.send(lease);
  }

  /** A request has settled: money came back to the lease. */
  settled(lease: Lease): void {
    if (lease.waiting.size > 0 || lease.state !== 'current') this.#attend(lease);
  }

  /** Another proxy needs money of the budget: what no request here waits for is released. */
  reclaim(budgetId: string, window: string): void {
    const lease = this.#leases.current(budgetId);
    if (lease === undefined || lease.origin.window !== window) return;
    lease.reclaim(this.#deps.clock.monotonic());
    this.#releaseDue(lease);
  }

  /** Sessions that called the control plane recently. */
  get sessions(): number {
    return this.#session.sessions;
  }

  /**
   * The database has another epoch. Usage that it may have lost is reported again; if commits may be missing, another
   * session begins.
   */
  epochChanged(change: 'restarted' | 'restored', epoch: string): void {
    const { background, usage } = this.#deps;
    if (change === 'restarted') {
      background('report usage again', usage.reportAgain(epoch));
      return;
    }
    this.#restored = epoch;
    this.replaceSession(this.#session.id);
  }

  /** This process has closed a session of another process. */
  adopted(session: string): void {
    this.#recent.ended(session, this.#deps.clock.monotonic());
  }

  /** New reservations are made in another session. Nothing is wrong with the leases of this one. */
  renewSession(session: string): void {
    this.#session.renew(session);
  }

  /**
   * The ledger may have lost its state of the session: all usage is reported, the session is closed, and another
   * begins.
   */
  replaceSession(session: string): void {
    this.#session.renew(session, async () => {
      const { clock, usage } = this.#deps;
      let epoch: string;
      do {
        epoch = this.#restored;
        await usage.reportAgain(epoch);
        await usage.settled(clock.monotonic() + reportMs);
        // Events under way meanwhile may have been acknowledged by the database that is gone.
        await usage.reportAgain(epoch);
      } while (epoch !== this.#restored);
      // The ledger may have lost the ends of recent sessions and count those sessions as open. Acknowledged usage may
      // be lost for as long back.
      for (const recent of this.#recent.since(clock.monotonic() - usageKeptMs)) {
        this.#leases.forfeit(recent);
        await this.#ends.end(recent);
      }
    });
  }

  /** The last call of the process: the rest of the session's money is free at once. @param until monotonic */
  async endSession(until: number): Promise<void> {
    const session = this.#session.id;
    const hasMoney = knownOf(session, this.#leases.all(), this.#deps.usage) > 0;
    this.#leases.forfeit(session);
    // Without money nothing becomes free, so one try is enough.
    await this.#ends.endBy(session, hasMoney ? until : 0);
  }

  /** Releases the free money, until every release has its response or the time is over. @param until monotonic */
  async close(until: number): Promise<void> {
    this.#isClosing = true;
    this.#cancelSweep();
    this.#deps.onChange();
    this.#leases.retireAll();
    for (const lease of this.#leases.all()) this.#releaseDue(lease);
    await this.#allReturned(until - this.#deps.clock.monotonic());
    this.#session.close();
    this.#operations.close();
    this.#ends.close();
  }

  #leaseOf(session: string, budget: Budget, instant: Instant): Lease {
    const found = this.#leases.current(budget.id);
    if (found?.covers(instant.at)) return found;
    if (found !== undefined) this.#retire(found);
    return this.#leases.open({ id: session, shuts: this.#session.shuts }, budget, instant);
  }

  #acquired(lease: Lease, response: AcquireResponse, sentAt: number): void {
    const { outcome, granted, now } = response;
    const isRequested = lease.operation?.kind === 'acquire' && lease.operation.request.want > 0;
    if (outcome === 'full') {
      this.#full(lease);
      return;
    }
    lease.acquired(response, this.#deps.clock.monotonic());
    if (isRequested) this.#deps.metrics.acquired(outcome, granted);
    switch (outcome) {
      case 'granted':
      case 'exceeded':
      case 'busy':
      case 'deleted':
        break;
      case 'window':
        // The lease was acquired ahead, and the control plane does not support that.
        if (lease.state === 'next') break;
        this.#databaseClock.correct(now, sentAt);
        for (const request of lease.waiting) request.windowMissed();
        break;
      case 'lost':
      case 'ignored':
        // The control plane's database went back, or this is a defect: in both cases the lease cannot be relied on.
        this.#deps.log.error({ outcome, ...lease.origin }, 'the ledger does not know the lease of a budget');
        this.replaceSession(lease.origin.session);
        break;
      case 'gone':
        this.#session.renew(lease.origin.session);
    }
    this.#attend(lease);
  }

  /** Requests that wait for the lease continue with that of the further values. */
  #full(lease: Lease): void {
    this.#deps.metrics.acquired('full', 0);
    this.#fullLimits.note(lease.origin.budgetId, this.#deps.clock.monotonic());
    this.#leases.forget(lease, this.#session.current, lease.full());
    for (const request of [...lease.waiting]) request.advance();
  }

  #returned(lease: Lease, amount: number): void {
    lease.returned();
    this.#returning.delete(lease);
    if (amount > 0) this.#deps.metrics.returned(amount);
    this.#attend(lease);
    this.#releaseNext();
  }

  #denied(lease: Lease): void {
    lease.denied(this.#deps.clock.monotonic());
    this.#returning.delete(lease);
    this.#attend(lease);
    this.#releaseNext();
  }

  /** Continues the requests and operations of a lease that has changed. */
  #attend(lease: Lease): void {
    for (const request of [...lease.waiting]) request.advance();
    this.#releaseDue(lease);
    this.#noteLater(lease);
    this.#reportAllReturned();
  }

  /** Reports the shut amount if more can be shut than the control plane knows. */
  #noteLater(lease: Lease): void {
    if (lease.isToNote(this.#deps.clock.monotonic())) this.#releaseUnhurried(lease, () => 0);
  }

  /** Retires a lease whose window is over. */
  #retire(lease: Lease): void {
    this.#leases.retire(lease);
    this.#releaseUnhurried(lease, () => lease.due());
  }

  #releaseUnhurried(lease: Lease, amount: () => number): void {
    this.#unhurried.set(lease, amount);
    this.#releaseNext();
  }

  #releaseNext(): void {
    const now = this.#deps.clock.monotonic();
    for (const [lease, amount] of this.#unhurried) {
      if (this.#returning.size >= unhurriedReturnsMax) return;
      this.#unhurried.delete(lease);
      if (lease.operation === undefined) this.#release(lease, amount());
      if (lease.isToNote(now) && this.mayAcquire) this.#note(lease, now);
    }
  }

  #note(lease: Lease, now: number): void {
    lease.note(now);
    this.#returning.add(lease);
    this.#operations.send(lease);
  }

  #releaseDue(lease: Lease): void {
    if (lease.operation === undefined) this.#release(lease, lease.due());
  }

  #release(lease: Lease, amount: number): void {
    if (amount <= 0) return;
    lease.release(amount, this.#deps.clock.monotonic());
    this.#returning.add(lease);
    this.#operations.send(lease);
  }

  #away(): void {
    this.#session.probe();
    this.#deps.onChange();
  }

  #leaveSession(session: string, isClosed: boolean): void {
    const retired = this.#leases.retireAll();
    if (isClosed) this.#leases.forfeit(session);
    this.#recent.ended(session, this.#deps.clock.monotonic());
    for (const lease of retired) this.#releaseDue(lease);
    this.#deps.onSession?.(session, 'over');
    this.#deps.onChange();
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#deps.timers.after(sweepMs, () => {
      this.#sweep(this.instant());
      this.#sweepLater();
    });
  }

  #sweep(instant: Instant): void {
    this.#ends.sweep();
    for (const lease of this.#leases.all()) {
      if (lease.state === 'current' && !lease.covers(instant.at)) this.#retire(lease);
      else if (lease.state === 'next') this.#sweepNext(lease, instant);
      else if (lease.operation === undefined) this.#releaseUnhurried(lease, () => this.#idle(lease));
      if (isForgettable(lease, instant.now)) this.#leases.forget(lease, this.#session.current);
    }
    const may = this.mayAcquire && this.#session.shuts;
    for (const next of may ? acquireAhead(this.#leases, instant, this.#deps.random) : []) this.#operations.send(next);
    if (this.#leases.countsKept > countsMax) this.#session.renew(this.#session.current);
  }

  /**
   * If the window has begun without a request, its lease may be released from now on. If the window is over, it never
   * began here.
   */
  #sweepNext(lease: Lease, { at }: Instant): void {
    if (lease.covers(at)) this.#leases.begin(lease);
    else if (at >= lease.origin.endsAt) this.#retire(lease);
  }

  #idle(lease: Lease): number {
    if (lease.state !== 'current') return lease.due();
    // The acquired money has to last while no more can be acquired.
    return this.mayAcquire ? lease.idle(this.#deps.clock.monotonic()) : 0;
  }

  #allReturned(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancelTimer = this.#deps.timers.after(withinMs, () => resolve());
      this.#onAllReturned = () => {
        cancelTimer();
        resolve();
      };
      this.#reportAllReturned();
    });
  }

  #reportAllReturned(): void {
    if (!this.#isClosing) return;
    for (const { available, operation } of this.#leases.all()) if (available > 0 || operation !== undefined) return;
    this.#onAllReturned();
  }
}
