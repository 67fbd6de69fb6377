// The protocol's reference instead of the control plane. It takes no time, so proxies run through many schedules. The
// checks must find faults that are put into it.
import { windowOf } from '../../common/budget-window.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { AcquireRequest, ReturnRequest, SessionEnd, UsageEvent } from '../../proxy/usage/ledger-client.ts';
import { LedgerReference, type LedgerSnapshot } from './ledger.reference.ts';
import type { Executed, LeaseName, LedgerRead, LedgerSide, NewBudget, SideDeps } from './ledger.side.ts';

const silenceMaxMs = 60_000;

export class MemorySide implements LedgerSide {
  readonly #deps: SideDeps;
  readonly #ledger: LedgerReference;
  readonly #seenAt = new Map<string, number>();
  #steps = 0;

  constructor(deps: SideDeps, ledger = new LedgerReference()) {
    this.#deps = deps;
    this.#ledger = ledger;
  }

  async keepSession(session: string) {
    const { open } = this.#ledger.keepSession(session, this.#now);
    this.#seenAt.set(session, this.#now);
    this.#executed({ kind: 'keep', session, open });
    return { open, sessions: 1, leased: undefined, ...this.#reported };
  }

  async acquire(request: AcquireRequest) {
    const { amount: granted, outcome } = this.#ledger.acquire(request, this.#now);
    this.#executed({ kind: 'acquire', request, response: { outcome, granted } });
    if (outcome === 'busy') this.#deps.onReclaim(request.budgetId, request.window);
    const attainable = outcome === 'busy' ? this.#ledger.attainable(request) : undefined;
    return { outcome, granted, attainable, ...this.#reported };
  }

  async release(request: ReturnRequest) {
    const { amount: returned } = this.#ledger.release(request, this.#now);
    this.#executed({ kind: 'return', request, returned });
    return { returned, ...this.#reported };
  }

  async report(events: readonly UsageEvent[]) {
    const { recorded } = this.#ledger.report(events);
    this.#executed({ kind: 'report', events, recorded });
    return { recorded, ...this.#reported };
  }

  async closeSession(end: SessionEnd) {
    const freed = this.#ledger.close(end);
    this.#executed({ kind: 'close', end, freed });
    return { freed, ...this.#reported };
  }

  async expire(stopAfter: number): Promise<void> {
    let run = 0;
    const silentSince = this.#now - silenceMaxMs;
    for (const [session, { open }] of this.#ledger.sessions) {
      const isSilent = (this.#seenAt.get(session) ?? 0) < silentSince;
      if (!open || !isSilent || ++run > stopAfter) continue;
      this.#ledger.closeSession(session);
      this.#executed({ kind: 'expire', closed: [session], expired: [] });
    }
    for (const lease of this.#ledger.leases.values()) {
      if (lease.state === 'expired' || this.#ledger.sessions.get(lease.session)?.open !== false) continue;
      if (++run > stopAfter) return;
      this.#ledger.expireLease(lease);
      this.#executed({ kind: 'expire', closed: [], expired: [lease] });
    }
  }

  async releaseUnconfirmed(lease: LeaseName, amount: number): Promise<void> {
    const released = this.#ledger.releaseUnconfirmed(lease, amount);
    this.#executed({ kind: 'release', lease, amount, released });
  }

  async createBudget({ amount, model, period, subjectId }: NewBudget): Promise<void> {
    const createdAt = this.#now;
    const id = uuidv7(createdAt);
    const terms = { id, subjectId, model, period, createdAt, amount, isDeleted: false };
    this.#ledger.budgets.set(id, { ...terms });
    this.#executed({ kind: 'create', terms });
  }

  async resizeBudget(budgetId: string, amount: number): Promise<void> {
    const budget = this.#ledger.budgets.get(budgetId);
    if (budget !== undefined) budget.amount = amount;
    this.#executed({ kind: 'resize', budgetId, amount });
  }

  async resetBudget(budgetId: string): Promise<void> {
    const budget = this.#ledger.budgets.get(budgetId);
    if (budget === undefined || budget.isDeleted) return;
    const window = windowOf(budget.period, this.#now);
    this.#ledger.reset(budgetId, window);
    this.#executed({ kind: 'reset', budgetId, window });
  }

  async deleteBudget(budgetId: string): Promise<void> {
    const budget = this.#ledger.budgets.get(budgetId);
    if (budget !== undefined) budget.isDeleted = true;
    this.#executed({ kind: 'delete', budgetId });
  }

  async snapshot(): Promise<LedgerSnapshot> {
    return this.#ledger.snapshot();
  }

  async restore(snapshot: object): Promise<string> {
    this.#ledger.restore(snapshot as LedgerSnapshot);
    return this.#reported.epoch;
  }

  async read(): Promise<LedgerRead> {
    const { ledger, leases } = this.#ledger;
    return { ledger, leases };
  }

  async readEvents() {
    const { events } = this.#ledger;
    return {
      costs: new Map([...events].map(([id, { cost }]) => [id, cost] as const)),
      hourly: costOf(events),
      total: costOf(events),
    };
  }

  get #reported() {
    return { now: this.#now, epoch: `epoch-${this.#ledger.epoch}` };
  }

  get #now(): number {
    return this.#deps.clock.now();
  }

  #executed(executed: Executed): void {
    this.#steps += 1;
    this.#deps.onExecuted(executed, { step: this.#steps, after: this.#steps - 1, now: this.#now });
  }
}

function costOf(events: ReadonlyMap<string, UsageEvent>): number {
  let cost = 0;
  for (const event of events.values()) cost += event.cost;
  return cost;
}
