// The real ledger of the control plane over a real store, under a clock that schedules move.
import { usdOfNano } from '../../common/money.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { budgetPeriodsInContract, limitSubjectsInContract } from '../../control-plane/domain/limit.ts';
import { draw } from '../../control-plane/ledger/draw.ts';
import { expireSessions } from '../../control-plane/ledger/expire.ts';
import { giveBack } from '../../control-plane/ledger/give-back.ts';
import { releaseUnsettled } from '../../control-plane/ledger/release.ts';
import { report } from '../../control-plane/ledger/report.ts';
import { keepSession } from '../../control-plane/ledger/sessions.ts';
import type { OperatorCaller, ProxyCaller } from '../../control-plane/services/caller.ts';
import { CallError } from '../../control-plane/services/errors.ts';
import * as limits from '../../control-plane/services/limits.ts';
import type { ChangeCall, Outcome, ServiceDeps } from '../../control-plane/services/method.ts';
import type {
  BooksTransaction,
  Change,
  RowLocks,
  Store,
  Unchanged,
} from '../../control-plane/store/store.ts';
import { createUsageDays, type UsageDays } from '../../control-plane/usage/partitions.ts';
import type {
  DrawAnswer,
  DrawRequest,
  ReturnRequest,
  UsageEvent,
} from '../../proxy/ledger/budgets/ledger-client.ts';
import { reportedEvent } from '../support/usage-rows.ts';
import { leaseKey, rowKey } from './ledger.reference.ts';
import type { BooksRead, Executed, LeaseName, LedgerSide, NewBudget, SideDeps } from './ledger.side.ts';

export interface StoreSideDeps extends SideDeps {
  readonly store: Store;
  /** Of what the operation locks nothing: a fault that a judge must find. */
  readonly unlocked?: Executed['kind'] | undefined;
}

const proxyCaller: ProxyCaller = { kind: 'proxy', id: 'proxy', organizationId: undefined, from: '10.0.0.1' };
const serviceDeps: ServiceDeps = {
  masterKeys: parseSealKeys(createSealKey()),
  bootstrapHash: undefined,
  privateUpstreams: new Set(),
};
const noLocks: RowLocks = {
  share: (query) => query,
  update: (query) => query,
  organizations: async () => undefined,
};

interface Worked<T> {
  readonly outcome: Outcome<T>;
  readonly executed: Executed;
}

/** The control plane was killed before its next transaction. */
class KilledError extends Error {}

export class StoreSide implements LedgerSide {
  readonly #deps: StoreSideDeps;
  readonly #days: UsageDays;
  #turns = 0;

  constructor(deps: StoreSideDeps) {
    this.#deps = deps;
    this.#days = createUsageDays({ store: deps.store, clock: { monotonic: () => deps.now() } });
  }

  keepSession(session: string): Promise<boolean> {
    return this.#books(
      'keep',
      (tx) => keepSession(tx, proxyCaller, session),
      (open) => ({ kind: 'keep', session, open }),
    );
  }

  async draw(request: DrawRequest): Promise<Omit<DrawAnswer, 'now'>> {
    const drawn = await this.#books(
      'draw',
      (tx) => draw(tx, proxyCaller, request),
      ({ outcome, granted }) => ({ kind: 'draw', request, answer: { outcome, granted } }),
    );
    if (drawn.recallOf !== undefined) this.#deps.onRecall(request.budgetId, request.window);
    return { outcome: drawn.outcome, granted: drawn.granted };
  }

  giveBack(request: ReturnRequest): Promise<number> {
    return this.#books(
      'return',
      (tx) => giveBack(tx, proxyCaller, request),
      (returned) => ({ kind: 'return', request, returned }),
    );
  }

  async report(events: readonly UsageEvent[]): Promise<number> {
    await this.#days.ensureDays(events.map(({ day }) => day));
    const reported = await this.#books(
      'report',
      (tx) => report(tx, events.map(reportedEvent)),
      ({ recorded }) => ({ kind: 'report', events, recorded }),
    );
    return reported.recorded;
  }

  async expire(stopAfter: number): Promise<void> {
    let run = 0;
    const books: Store['books'] = (work) => {
      run += 1;
      if (run > stopAfter) return Promise.reject(new KilledError());
      return this.#inTurn('expire', async (tx) => {
        const result = await work(tx);
        // What reads lists changes nothing.
        return { result, executed: Array.isArray(result) ? nothingExpired : await expiredIn(tx) };
      });
    };
    await expireSessions({ books }).catch((error: unknown) => {
      if (!(error instanceof KilledError)) throw error;
    });
  }

  async release({ budgetId, session, window }: LeaseName, amount: number): Promise<void> {
    const lease = { session, budgetId, window };
    await this.#change('release', async (call) => {
      const released = await releaseUnsettled(call, { sessionId: session, budgetId, window }, amount);
      const executed: Executed = { kind: 'release', lease, amount, released: released?.released ?? 0 };
      const target = { kind: 'limit', id: budgetId };
      const { organizationId } = this.#deps.subjects;
      return { outcome: { result: undefined, organizationId, target, invalidations: [] }, executed };
    });
  }

  async createBudget({ amount, model, period, subjectId, subjectKind }: NewBudget): Promise<void> {
    const { organizationId } = this.#deps.subjects;
    await this.#change('create', async (call) => {
      const outcome = await limits.create(call, {
        organizationId,
        subject: { kind: limitSubjectsInContract[subjectKind], id: subjectId },
        kind: 'LIMIT_KIND_BUDGET',
        amountUsd: usdOfNano(amount),
        period: budgetPeriodsInContract[period],
        ...(model === undefined ? {} : { model }),
      });
      const { id = '' } = resultOf(outcome);
      const terms = { id, subjectId, model, period, createdAt: call.now, amount, isDeleted: false };
      return { outcome, executed: { kind: 'create', terms } };
    });
  }

  resizeBudget(id: string, amount: number): Promise<void> {
    return this.#changeOfBudget('resize', async (call) => ({
      outcome: await limits.update(call, { id, amountUsd: usdOfNano(amount) }),
      executed: { kind: 'resize', budgetId: id, amount },
    }));
  }

  deleteBudget(id: string): Promise<void> {
    return this.#changeOfBudget('delete', async (call) => ({
      outcome: await limits.remove(call, { id }),
      executed: { kind: 'delete', budgetId: id },
    }));
  }

  read(): Promise<BooksRead> {
    return this.#deps.store.snapshot(async (db) => {
      const rows = await db.selectFrom('budget_windows').selectAll().execute();
      const leases = await db.selectFrom('leases').selectAll().execute();
      return {
        books: new Map(
          rows.map(({ spent, leased, unsettled, ...row }) => [
            rowKey(row.budget_id, row.window_start),
            { spent, leased, unsettled },
          ]),
        ),
        leases: new Map(
          leases.map(({ session_id, budget_id, window_start, remaining, state, seq }) => {
            const lease = {
              session: session_id,
              budgetId: budget_id,
              window: window_start,
              left: remaining,
              state,
              seq,
            };
            return [leaseKey(lease), lease];
          }),
        ),
      };
    });
  }

  readEvents() {
    return this.#deps.store.snapshot(async (db) => {
      const events = await db.selectFrom('usage_events').select(['id', 'cost']).execute();
      const hours = await db.selectFrom('usage_hours').select('cost').execute();
      return {
        costs: new Map(events.map(({ id, cost }) => [id, cost])),
        hourly: hours.reduce((sum, { cost }) => sum + cost, 0),
      };
    });
  }

  #books<T>(
    kind: Executed['kind'],
    work: (tx: BooksTransaction) => Promise<T>,
    toExecuted: (result: T) => Executed,
  ): Promise<T> {
    return this.#inTurn(kind, async (tx) => {
      const result = await work(tx);
      return { result, executed: toExecuted(result) };
    });
  }

  // The turn is taken with all locks held: what touches the same takes it before or after.
  async #inTurn<T>(
    kind: Executed['kind'],
    work: (tx: BooksTransaction) => Promise<{ readonly result: T; readonly executed: Executed }>,
  ): Promise<T> {
    const { now, onExecuted, store } = this.#deps;
    let turn = 0;
    const { executed, result } = await store.books(async (tx) => {
      const done = await work({ ...tx, now: now(), locks: this.#locksOf(kind, tx.locks) });
      this.#turns += 1;
      turn = this.#turns;
      return done;
    });
    onExecuted(executed, turn);
    return result;
  }

  async #change<T>(kind: Executed['kind'], work: (call: ChangeCall) => Promise<Worked<T>>): Promise<T> {
    const { now, onExecuted, store, subjects } = this.#deps;
    const { organizationId } = subjects;
    const caller: OperatorCaller = {
      ...{ kind: 'operator', personId: organizationId, organizationId, role: 'owner', from: '10.0.0.2' },
    };
    let done: { readonly executed: Executed; readonly turn: number } | undefined;
    const context = {
      actor: { kind: 'person', id: caller.personId },
      from: caller.from,
      action: kind,
    } as const;
    const result = await store.change(context, async (tx): Promise<Change<T> | Unchanged<T>> => {
      const locks = this.#locksOf(kind, tx.locks);
      const { outcome, executed } = await work({ ...tx, now: now(), locks, caller, deps: serviceDeps });
      this.#turns += 1;
      done = { executed, turn: this.#turns };
      return outcome;
    });
    if (done !== undefined) onExecuted(done.executed, done.turn);
    return result;
  }

  /** Another operator may have deleted it. */
  async #changeOfBudget<T>(
    kind: Executed['kind'],
    work: (call: ChangeCall) => Promise<Worked<T>>,
  ): Promise<void> {
    try {
      await this.#change(kind, work);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  }

  #locksOf(kind: Executed['kind'], locks: RowLocks): RowLocks {
    return kind === this.#deps.unlocked ? noLocks : locks;
  }
}

const nothingExpired: Executed = { kind: 'expire', closed: [], expired: [] };

/** What stands closed and expired now, whoever did it. */
async function expiredIn({ db }: BooksTransaction): Promise<Executed> {
  const sessions = await db.selectFrom('ledger_sessions').select('id').where('open', '=', 0).execute();
  const leases = await db
    .selectFrom('leases')
    .select(['session_id as session', 'budget_id as budgetId', 'window_start as window'])
    .where('state', '=', 'expired')
    .execute();
  return { kind: 'expire', closed: sessions.map(({ id }) => id), expired: leases };
}

function resultOf<T>(outcome: Outcome<T>): T {
  return 'unchanged' in outcome ? outcome.unchanged : outcome.result;
}
