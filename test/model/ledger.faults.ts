// Deliberate faults, most of them shortcuts that the protocol's design names. The checks must find each of them.
import { windowOf } from '../../common/budget-window.ts';
import type { AcquireRequest, LedgerClient, Operation, UsageEvent } from '../../proxy/usage/ledger-client.ts';
import { MemorySide } from './ledger.memory-side.ts';
import {
  type Booking,
  type BudgetTerms,
  LedgerReference,
  leaseKey,
  type ReferenceResponse,
  type StoredLease,
} from './ledger.reference.ts';
import type { WorldOptions } from './ledger.world.ts';

export type Fault = Pick<WorldOptions, 'openSide' | 'faulty' | 'misreports'>;

export const faults = {
  'the server, not the proxy, chooses the window': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override grant(lease: StoredLease, request: AcquireRequest, now: number): ReferenceResponse {
          const period = this.budgets.get(lease.budgetId)?.period;
          return super.grant(period === undefined ? lease : { ...lease, window: windowOf(period, now) }, request, now);
        }
      })(),
  ),
  'refusals are not stored': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override repeated(lease: StoredLease, seq: number): ReferenceResponse | undefined {
          const stored = super.repeated(lease, seq);
          return seq === lease.seq && stored?.amount === 0 ? undefined : stored;
        }
      })(),
  ),
  'an operation that is repeated is executed again': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override repeated(lease: StoredLease, seq: number): ReferenceResponse | undefined {
          return seq === lease.seq ? undefined : super.repeated(lease, seq);
        }
      })(),
  ),
  'an operation that is late is executed': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override repeated(lease: StoredLease, seq: number): ReferenceResponse | undefined {
          return seq < lease.seq ? undefined : super.repeated(lease, seq);
        }
      })(),
  ),
  'an event takes its cost, not its pending charge, from the lease': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override record(event: UsageEvent, budget: BudgetTerms): Booking {
          const charges = event.charges.map((charge) => ({ ...charge, escrow: event.cost }));
          return super.record({ ...event, charges }, budget);
        }
      })(),
  ),
  'an event counts only towards the budgets in the proxy’s list': ofLedger(
    () =>
      new (class extends LedgerReference {
        override matching(event: UsageEvent): readonly BudgetTerms[] {
          const charged = new Set(event.charges.map(({ budgetId }) => budgetId));
          return super.matching(event).filter(({ id }) => charged.has(id));
        }
      })(),
  ),
  'rows of budgets are created after the events': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override makeRows(): void {
          // Too late: rows are now made when events are recorded.
        }
      })(),
  ),
  'unconfirmed money counts as free': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override grant(lease: StoredLease, request: AcquireRequest, now: number): ReferenceResponse {
          const row = this.row(lease.budgetId, lease.window);
          const { unconfirmed } = row;
          row.unconfirmed = 0;
          const response = super.grant(lease, request, now);
          row.unconfirmed = unconfirmed;
          return response;
        }
      })(),
  ),
  'a release checks the session, not the lease': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override takeOf(lease: StoredLease, amount: number): void {
          const state = this.sessions.get(lease.session)?.open === true ? 'open' : 'expired';
          const seen = { ...lease, state } as const;
          super.takeOf(seen, amount);
          lease.left = seen.left;
        }
      })(),
  ),
  'a closed session acquires money': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override grant(lease: StoredLease, request: AcquireRequest, now: number): ReferenceResponse {
          const session = this.sessions.get(lease.session) ?? { open: true };
          const { open } = session;
          session.open = true;
          const response = super.grant(lease, request, now);
          session.open = open;
          return response;
        }
      })(),
  ),
  'usage of deleted budgets is not recorded': ofLedger(
    () =>
      new (class extends LedgerReference {
        override matching(event: UsageEvent): readonly BudgetTerms[] {
          return super.matching(event).filter(({ isDeleted }) => !isDeleted);
        }
      })(),
  ),
  'events that are repeated are recorded again': ofLedger(
    () =>
      new (class extends LedgerReference {
        override report(events: readonly UsageEvent[]) {
          for (const { id } of events) this.events.delete(id);
          return super.report(events);
        }
      })(),
  ),
  'a proxy abandons an acquisition at its deadline': ofProxies((client) => {
    let now = 0;
    return {
      ...client,
      keepSession: async (session) => {
        const response = await client.keepSession(session);
        now = response.now;
        return response;
      },
      acquire: (request) =>
        client.acquire(request).catch(() => ({ outcome: 'busy', granted: 0, now, epoch: '', attainable: undefined })),
    };
  }),
  'a proxy does not deduct a release that was not acknowledged': ofProxies((client) => {
    const kept = new Map<string, number>();
    return {
      ...client,
      release: (request) =>
        client.release(request).catch((error: unknown) => {
          kept.set(leaseKey(request), request.amount);
          throw error;
        }),
      acquire: async (request) => {
        const response = await client.acquire(request);
        const granted = response.granted + (kept.get(leaseKey(request)) ?? 0);
        kept.delete(leaseKey(request));
        return { ...response, granted };
      },
    };
  }),
  'freed money that is released late is taken twice': ofLedger(
    () =>
      new (class extends LedgerReference {
        protected override backOf(): number {
          return 0;
        }
      })(),
  ),
  'a proxy uses shut money before the response that opens it': ofProxies((client) => {
    const under = new Map<string, Promise<unknown>>();
    let now = 0;
    const inOrder = async <Report>(request: Operation, ask: () => Promise<Report>): Promise<Report> => {
      await under.get(leaseKey(request));
      return await ask();
    };
    return {
      ...client,
      keepSession: async (session) => {
        const response = await client.keepSession(session);
        now = response.now;
        return response;
      },
      release: (request) => inOrder(request, () => client.release(request)),
      acquire: (request) =>
        inOrder(request, async () => {
          if (request.want > 0) return await client.acquire(request);
          const untilResponse = (): Promise<unknown> => client.acquire(request).catch(untilResponse);
          under.set(leaseKey(request), untilResponse());
          return { outcome: 'granted', granted: 0, now, epoch: '', attainable: undefined };
        }),
    };
  }),
  'a proxy reports more shut money than it has': ofProxies((client) => ({
    ...client,
    release: (request) => client.release({ ...request, shut: request.shut * 2 }),
  })),
  'an event has the time at which its request ended': {
    ...ofLedger(() => new LedgerReference()),
    misreports: (event: UsageEvent, now: number) => ({ ...event, at: now }),
  },
} as const satisfies Record<string, Fault>;

function ofLedger(create: () => LedgerReference): Fault {
  return { openSide: async (deps) => new MemorySide(deps, create()) };
}

function ofProxies(faulty: (client: LedgerClient) => LedgerClient): Fault {
  return { ...ofLedger(() => new LedgerReference()), faulty };
}
