// The ledger as its design describes it, in plain memory, to compare with the control plane. It is written from the
// protocol and not from the code. Operations run one after another, so it needs no locks.
import { type BudgetCalendar, windowOf } from '../../common/budget-window.ts';
import type {
  AcquireRequest,
  AcquireResponse,
  Operation,
  ReturnRequest,
  SessionEnd,
  UsageEvent,
} from '../../proxy/usage/ledger-client.ts';

export interface BudgetTerms {
  readonly id: string;
  /** An organization, a key, an AI system or a person. */
  readonly subjectId: string;
  /** Undefined for all models. */
  readonly model: string | undefined;
  readonly period: BudgetCalendar;
  readonly createdAt: number;
  amount: number;
  isDeleted: boolean;
  /** Of a counter of a budget for each key: the key, which is its subject too. */
  readonly value?: string;
}

export interface LedgerState {
  spent: number;
  leased: number;
  unconfirmed: number;
}

export interface Lease {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  left: number;
  state: 'open' | 'expired';
  seq: number;
  /** The part that its session will not use, as of its last operation. */
  shut: number;
  /** Money that was freed when the lease ended, and that its proxy may still return. */
  back: number;
}

export type StoredLease = Lease & { response: ReferenceResponse };
export type ReferenceResponse = { readonly outcome: AcquireResponse['outcome']; readonly amount: number };

/** The change of a budget's ledger row by one event of a report. */
export interface Booking {
  readonly event: UsageEvent;
  readonly budget: BudgetTerms;
  readonly window: string;
  /** The amount that was taken from the lease. */
  readonly taken: number;
}

/** How long before a window begins proxies may acquire its money. */
const aheadMaxMs = 15_000;

/** How long nothing is granted after a restore, unless all sessions from before it are closed. */
const healingMs = 5_000;

export type LedgerSnapshot = Pick<LedgerReference, 'ledger' | 'leases' | 'sessions' | 'events'>;

export class LedgerReference {
  readonly budgets = new Map<string, BudgetTerms>();
  readonly ledger = new Map<string, LedgerState>();
  readonly sessions = new Map<string, { open: boolean; readonly epoch: number }>();
  readonly leases = new Map<string, StoredLease>();
  readonly events = new Map<string, UsageEvent>();
  /** The number of restores of the database. */
  epoch = 0;
  /** When the first new session or lease operation arrived after the last restore. */
  #restoredAt = Number.NEGATIVE_INFINITY;
  #seenEpoch = 0;
  #isLate = false;

  /** Copies everything that a database contains. */
  snapshot(): LedgerSnapshot {
    const { ledger, leases, sessions, events } = this;
    return structuredClone({ ledger, leases, sessions, events });
  }

  /** Makes the database lose everything that was committed since the snapshot. */
  restore(snapshot: LedgerSnapshot): void {
    for (const name of ['ledger', 'leases', 'sessions', 'events'] as const) {
      const table: Map<string, unknown> = this[name];
      table.clear();
      for (const [key, row] of structuredClone(snapshot[name])) table.set(key, row);
    }
    this.epoch += 1;
  }

  keepSession(session: string, now: number): { readonly open: boolean } {
    if (!this.sessions.has(session)) this.#see(now);
    const known = this.sessions.get(session) ?? { open: true, epoch: this.epoch };
    this.sessions.set(session, known);
    return { open: known.open };
  }

  /**
   * @param isLate whether the operation read that sessions from before the restore were open, and took effect after
   * they were closed
   */
  acquire(request: AcquireRequest, now: number, isLate = false): ReferenceResponse {
    this.#see(now);
    this.#isLate = isLate;
    if (!this.sessions.has(request.session)) return { outcome: 'gone', amount: 0 };
    const lease = this.#lease(request);
    const stored = this.repeated(lease, request.seq);
    if (stored !== undefined) return stored;
    const response = this.grant(lease, request, now);
    lease.shut = request.shut;
    return this.#response(lease, request.seq, response);
  }

  /** Returns how much a session could get if all others returned their leases. */
  attainable(request: AcquireRequest): number {
    const { budgetId, left, window } = this.#lease(request);
    const { leased, spent, unconfirmed } = this.row(budgetId, window);
    const amount = this.budgets.get(budgetId)?.amount ?? 0;
    return Math.max(0, amount - spent - unconfirmed - leased + (leased - left));
  }

  release(request: ReturnRequest, now: number): ReferenceResponse {
    this.#see(now);
    if (!this.sessions.has(request.session)) return { outcome: 'gone', amount: 0 };
    const lease = this.#lease(request);
    const stored = this.repeated(lease, request.seq);
    if (stored !== undefined) return stored;
    const freed = this.backOf(lease, request.amount);
    const amount = Math.min(request.amount - freed, lease.left);
    this.takeOf(lease, amount);
    lease.shut = request.shut;
    return this.#response(lease, request.seq, { outcome: 'granted', amount: freed + amount });
  }

  /** @returns the ledger changes by new events, in their order */
  report(events: readonly UsageEvent[]): {
    readonly recorded: number;
    readonly bookings: readonly Booking[];
  } {
    this.makeRows(events);
    const bookings: Booking[] = [];
    let recorded = 0;
    for (const event of events) {
      if (this.events.has(event.id)) continue;
      this.events.set(event.id, event);
      recorded += 1;
      for (const budget of this.matching(event)) bookings.push(this.record(event, budget));
    }
    return { recorded, bookings };
  }

  closeSession(session: string): void {
    const known = this.sessions.get(session);
    if (known !== undefined) known.open = false;
  }

  /** Expires a lease of a closed session. */
  expireLease(operation: Omit<Operation, 'seq' | 'shut'>): void {
    const lease = this.#lease(operation);
    if (lease.state === 'expired') return;
    this.end(lease, Math.min(lease.shut, lease.left));
  }

  /** @returns the amount that became free */
  close({ session, outstanding, andOthers }: SessionEnd): number {
    this.sessions.set(session, { epoch: this.epoch, ...this.sessions.get(session), open: false });
    let freed = 0;
    for (const lease of this.leases.values()) {
      if (lease.session !== session || lease.left === 0) continue;
      const named = outstanding.find((each) => rowKey(each.budgetId, each.window) === rowKeyOf(lease));
      if (named === undefined && andOthers) continue;
      const free = Math.max(0, lease.left - (named?.amount ?? 0));
      if (lease.state === 'expired' && free === 0) continue;
      this.end(lease, free);
      freed += free;
    }
    return freed;
  }

  /** @param free the part of the remaining money that becomes free */
  protected end(lease: StoredLease, free: number): void {
    const row = this.row(lease.budgetId, lease.window);
    if (lease.state === 'open') {
      row.leased -= lease.left;
      row.unconfirmed += lease.left;
    }
    row.unconfirmed -= free;
    lease.left -= free;
    lease.back += free;
    lease.state = 'expired';
  }

  /** @returns the part of the returned amount that was freed before */
  protected backOf(lease: StoredLease, amount: number): number {
    const freed = Math.min(amount, lease.back);
    lease.back -= freed;
    return freed;
  }

  /** @returns the amount that was released */
  releaseUnconfirmed(operation: Omit<Operation, 'seq' | 'shut'>, amount: number): number {
    const lease = this.leases.get(leaseKey(operation));
    if (lease === undefined || lease.state !== 'expired') return 0;
    const released = Math.min(amount, lease.left);
    this.takeOf(lease, released);
    return released;
  }

  reset(budgetId: string, window: string): void {
    this.row(budgetId, window).spent = 0;
  }

  matching(event: UsageEvent): readonly BudgetTerms[] {
    return [...this.budgets.values()].filter((budget) => matches(budget, event));
  }

  /** Returns a row, or for one that does not exist yet the row that would be made. */
  ledgerOf(key: string): Readonly<LedgerState> {
    const [budgetId = '', window = ''] = key.split(' ');
    return this.ledger.get(key) ?? { spent: this.#usedBefore(budgetId, window), leased: 0, unconfirmed: 0 };
  }

  /**
   * Makes rows before anything is recorded, because earlier usage of a new row must not include usage that is recorded
   * with it.
   */
  protected makeRows(events: readonly UsageEvent[]): void {
    for (const event of events)
      for (const { id, period } of this.matching(event)) this.row(id, windowOf(period, event.at));
  }

  protected grant(lease: StoredLease, { need, want }: AcquireRequest, now: number): ReferenceResponse {
    const { budgetId, session, window } = lease;
    if (this.sessions.get(session)?.open !== true) return { outcome: 'gone', amount: 0 };
    const budget = this.budgets.get(budgetId);
    if (budget === undefined) return { outcome: 'deleted', amount: 0 };
    const drawable = [now, now + aheadMaxMs].map((at) => windowOf(budget.period, at));
    if (!drawable.includes(window)) return { outcome: 'window', amount: 0 };
    if (budget.isDeleted) return { outcome: 'deleted', amount: 0 };
    if (want === 0) return { outcome: 'granted', amount: 0 };
    if (this.#isHealing(now)) return { outcome: 'busy', amount: 0 };
    const row = this.row(budgetId, window);
    const free = budget.amount - row.spent - row.leased - row.unconfirmed;
    if (free < need) {
      const outcome = row.spent + row.unconfirmed + need > budget.amount ? 'exceeded' : 'busy';
      return { outcome, amount: 0 };
    }
    const amount = Math.min(want, Math.max(need, Math.floor(free / 4)));
    row.leased += amount;
    lease.left += amount;
    return { outcome: 'granted', amount };
  }

  protected record(event: UsageEvent, budget: BudgetTerms): Booking {
    const window = windowOf(budget.period, event.at);
    this.row(budget.id, window).spent += event.cost;
    let taken = 0;
    for (const charge of event.charges) {
      if (charge.budgetId !== budget.id || charge.window !== window) continue;
      const lease = this.leases.get(leaseKey({ ...charge, session: event.session }));
      if (lease === undefined) continue;
      taken = Math.min(charge.escrow, lease.left);
      this.takeOf(lease, taken);
    }
    return { event, budget, window, taken };
  }

  protected takeOf(lease: StoredLease, amount: number): void {
    const row = this.row(lease.budgetId, lease.window);
    lease.left -= amount;
    if (lease.state === 'open') row.leased -= amount;
    else row.unconfirmed -= amount;
  }

  protected repeated(lease: StoredLease, seq: number): ReferenceResponse | undefined {
    if (seq === lease.seq) return lease.response;
    if (seq < lease.seq) return { outcome: 'ignored', amount: 0 };
    return seq > lease.seq + 1 ? { outcome: 'lost', amount: 0 } : undefined;
  }

  #see(now: number): void {
    if (this.#seenEpoch === this.epoch) return;
    this.#seenEpoch = this.epoch;
    this.#restoredAt = now;
  }

  /** Lost reports are about to be repeated, so that nothing may be granted yet. */
  #isHealing(now: number): boolean {
    if (now >= this.#restoredAt + healingMs) return false;
    return this.#isLate || [...this.sessions.values()].some(({ epoch, open }) => open && epoch !== this.epoch);
  }

  #response(lease: StoredLease, seq: number, response: ReferenceResponse): ReferenceResponse {
    lease.seq = seq;
    lease.response = response;
    this.leases.set(leaseKey(lease), lease);
    return response;
  }

  /** Returns the lease, or a new one, which is stored only when an operation changes it. */
  #lease(operation: Omit<Operation, 'seq' | 'shut'>): StoredLease {
    const key = leaseKey(operation);
    const { session, budgetId, window } = operation;
    const known = this.leases.get(key);
    if (known !== undefined) return known;
    const state = this.sessions.get(session)?.open === false ? 'expired' : 'open';
    const response: ReferenceResponse = { outcome: 'ignored', amount: 0 };
    return { session, budgetId, window, left: 0, state, seq: 0, shut: 0, back: 0, response };
  }

  protected row(budgetId: string, window: string): LedgerState {
    const key = rowKey(budgetId, window);
    const row = this.ledger.get(key) ?? { ...this.ledgerOf(key) };
    this.ledger.set(key, row);
    return row;
  }

  // A total budget counts from its creation on, and every report since then has made its row.
  #usedBefore(budgetId: string, window: string): number {
    const budget = this.budgets.get(budgetId);
    if (budget === undefined || budget.period === 'total') return 0;
    let used = 0;
    for (const event of this.events.values()) {
      if (matches(budget, event) && windowOf(budget.period, event.at) === window) used += event.cost;
    }
    return used;
  }
}

export function rowKey(budgetId: string, window: string): string {
  return `${budgetId} ${window}`;
}

export function rowKeyOf({ budgetId, window }: Pick<Lease, 'budgetId' | 'window'>): string {
  return rowKey(budgetId, window);
}

export function leaseKey({ session, budgetId, window }: Omit<Operation, 'seq' | 'shut'>): string {
  return `${session} ${budgetId} ${window}`;
}

/** Whether the usage of the event counts towards the budget. */
export function matches(budget: BudgetTerms, event: UsageEvent): boolean {
  const { aiSystemId, keyId, organizationId, personId } = event;
  const { projectAiSystemId, projectKeyId, projectPersonId } = event;
  const subjects = [organizationId, keyId, aiSystemId, personId, projectKeyId, projectAiSystemId, projectPersonId];
  return (
    subjects.includes(budget.subjectId) &&
    appliesTo(budget.model, event.modelAsked) &&
    // If a clock was behind, a charged request can seem older than its budget.
    (budget.period !== 'total' || event.at >= budget.createdAt || isCharged(budget, event))
  );
}

function isCharged({ id }: BudgetTerms, { charges }: UsageEvent): boolean {
  return charges.some(({ budgetId }) => budgetId === id);
}

/** A glob in these schedules ends with its star. */
export function appliesTo(glob: string | undefined, model: string): boolean {
  if (glob === undefined) return true;
  return glob.endsWith('*') ? model.startsWith(glob.slice(0, -1)) : model === glob;
}
