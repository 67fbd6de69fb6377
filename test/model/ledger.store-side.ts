// The real ledger of the control plane over a real store, under a clock that schedules move.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createBackground } from '../../common/background.ts';
import type { BudgetCalendar } from '../../common/budget-window.ts';
import { counterOf, isCounter, limitOfCounter } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import { PrivateUpstreams } from '../../common/private-upstreams.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { expireSessions } from '../../control-plane/ledger/expiry.ts';
import { releaseUnconfirmed } from '../../control-plane/ledger/release-unconfirmed.ts';
import { Followers } from '../../control-plane/requests/followers.ts';
import type { OperatorCaller, ProxyCaller } from '../../control-plane/rpc/caller.ts';
import { CallError } from '../../control-plane/rpc/errors.ts';
import { reset } from '../../control-plane/services/budget-reset.ts';
import { createLedgerService } from '../../control-plane/services/ledger.ts';
import * as limits from '../../control-plane/services/limits.ts';
import type { ChangeCall, Outcome, ServiceDeps } from '../../control-plane/services/method.ts';
import type { Change, LedgerTransaction, RowLocks, Store, Unchanged } from '../../control-plane/store/store.ts';
import { foldPiece, whatToFold } from '../../control-plane/usage/fold.ts';
import { createUsageDays } from '../../control-plane/usage/partitions.ts';
import { readTotals } from '../../control-plane/usage/totals.ts';
import { budgetPeriods, limitSubjects } from '../../proto/words/access.ts';
import type {
  AcquireRequest,
  LedgerClient,
  ReturnRequest,
  SessionEnd,
  UsageEvent,
} from '../../proxy/usage/ledger-client.ts';
import { wireTo } from '../support/ledger/wire.ts';
import { foldAll } from '../support/many-rows.ts';
import { noGuardrailWork, noKeyTests, noPost, someReplica } from '../support/replica.ts';
import { silentLog } from '../support/silent-log.ts';
import { type BudgetTerms, leaseKey, rowKey } from './ledger.reference.ts';
import type { Executed, LeaseName, LedgerRead, LedgerSide, NewBudget, SideDeps, StoreStep } from './ledger.side.ts';

export interface StoreSideDeps extends SideDeps {
  readonly store: Store;
  /** The kind of operation that takes no locks: a fault that the checks must find. */
  readonly unlocked?: Executed['kind'] | undefined;
}

const proxyCaller: ProxyCaller = { kind: 'proxy', id: 'proxy', organizationId: undefined, from: '10.0.0.1' };
const serviceDeps: ServiceDeps = {
  masterKeys: parseSealKeys(createSealKey()),
  bootstrapHash: undefined,
  privateUpstreams: new PrivateUpstreams([]),
  privateIssuers: new PrivateUpstreams([]),
  outsideTokens: () => Promise.reject(new Error('there are no issuers')),
  usageKeptMs: 0,
  webhookAddresses: { allows: () => false, takesPrivateNames: false },
  replica: someReplica,
  guardrailWork: noGuardrailWork,
  followers: new Followers(),
  keyTests: noKeyTests,
  readTxt: async () => [],
  webhookPost: noPost,
};
const noLocks: RowLocks = {
  share: (query) => query,
  update: (query) => query,
  organizations: async () => undefined,
};

const ledgerTables = [
  ...(['leases', 'budget_windows', 'limit_counters', 'ledger_sessions', 'booked_ordinals'] as const),
  ...(['usage_events', 'usage_hours', 'usage_sums', 'usage_folds', 'budget_notices', 'budget_adjustments'] as const),
];
type Table = (typeof ledgerTables)[number];
type Tables = ReadonlyMap<Table, readonly object[]>;
const rowsAtOnce = 100;

interface Done {
  readonly executed: readonly Executed[];
  readonly now: number;
}

interface Worked<T> {
  readonly outcome: Outcome<T>;
  /** Several, of a budget for each key: one of each counter. */
  readonly executed: Executed | readonly Executed[];
}

/** The control plane was killed before its next transaction. */
class KilledError extends Error {}

export class StoreSide implements LedgerSide {
  readonly #deps: StoreSideDeps;
  readonly #ledger: LedgerClient;
  /** The kind of operation whose transactions run here, unless operations share a transaction. */
  readonly #kind = new AsyncLocalStorage<Executed['kind']>();
  /** The times of the transactions of one closing. */
  readonly #closing = new AsyncLocalStorage<number[]>();
  /** By the time of a transaction. Each transaction has a unique time, which is in its response. */
  readonly #steps = new Map<number, Omit<StoreStep, 'now'>>();
  #lastStep = 0;

  constructor(deps: StoreSideDeps) {
    this.#deps = deps;
    const { clock, onReclaim } = deps;
    const ledger: Store['ledger'] = (work) => this.#inLedger(work);
    const reclaim: Store['reclaim'] = async ({ budgetId, window }) => onReclaim(budgetId, window);
    const service = createLedgerService({
      ...{ clock, log: silentLog, background: createBackground({ log: silentLog }) },
      store: { ledger, reclaim },
      days: createUsageDays({ store: { ledger, features: deps.store.features }, clock }),
      metrics: { acquired: () => undefined, reported: () => undefined, sessionClosed: () => undefined },
      usageKeptMs: 90 * 86_400_000,
    });
    this.#ledger = wireTo(service, proxyCaller);
  }

  keepSession(session: string) {
    const ask = () => this.#ledger.keepSession(session);
    return this.#run('keep', ask, ({ open }) => ({ kind: 'keep', session, open }));
  }

  acquire(request: AcquireRequest) {
    const ask = () => this.#ledger.acquire(request);
    return this.#run('acquire', ask, ({ outcome, granted }) => ({
      ...{ kind: 'acquire', request, response: { outcome, granted } },
    }));
  }

  release(request: ReturnRequest) {
    const ask = () => this.#ledger.release(request);
    return this.#run('return', ask, ({ returned }) => ({ kind: 'return', request, returned }));
  }

  async report(events: readonly UsageEvent[]) {
    const ask = () => this.#ledger.report(events);
    const reported = await this.#run('report', ask, ({ recorded }) => ({ kind: 'report', events, recorded }));
    // Some of what is over is folded, so that other usage of it comes later.
    const [next] = await whatToFold(this.#deps.store);
    if (next !== undefined) await foldPiece(this.#deps.store, next, 3);
    return reported;
  }

  /**
   * Closes in as many transactions as needed, and takes effect with the first: from then on acquisitions of the session
   * are refused. The other transactions end leases of acquisitions that were in progress.
   */
  async closeSession(end: SessionEnd) {
    const times: number[] = [];
    const ask = () => this.#closing.run(times, () => this.#ledger.closeSession(end));
    const closed = await this.#kind.run('close', ask);
    this.#executed({ kind: 'close', end, freed: closed.freed }, times[0] ?? closed.now);
    return closed;
  }

  async expire(stopAfter: number): Promise<void> {
    let run = 0;
    const ledger: Store['ledger'] = async (work) => {
      run += 1;
      if (run > stopAfter) throw new KilledError();
      const { executed, now, result } = await this.#kind.run('expire', () =>
        this.#inLedger(async (tx) => {
          const done = await work(tx);
          // A transaction that only reads lists changes nothing.
          return {
            result: done,
            now: tx.now,
            executed: Array.isArray(done) ? undefined : await expiredIn(tx),
          };
        }),
      );
      if (executed !== undefined) this.#executed(executed, now);
      return result;
    };
    await expireSessions({ ledger }).catch((error: unknown) => {
      if (!(error instanceof KilledError)) throw error;
    });
  }

  async releaseUnconfirmed({ budgetId, session, window }: LeaseName, amount: number): Promise<void> {
    const lease = { session, budgetId, window };
    await this.#change('release', async (call) => {
      const released = await releaseUnconfirmed(call, { sessionId: session, budgetId, window }, amount);
      const executed: Executed = { kind: 'release', lease, amount, released: released?.released ?? 0 };
      const target = { kind: 'limit', id: budgetId };
      const { organizationId } = this.#deps.subjects;
      return { outcome: { result: undefined, organizationId, target, invalidations: [] }, executed };
    });
  }

  async createBudget({ amount, model, period, subjectId, subjectKind, eachKey }: NewBudget): Promise<void> {
    const { organizationId, keyIds } = this.#deps.subjects;
    await this.#change('create', async (call) => {
      const outcome = await limits.create(call, {
        organizationId,
        subject: { kind: limitSubjects.names[subjectKind], id: subjectId },
        kind: 'LIMIT_KIND_BUDGET',
        amountUsd: usdOfNano(amount),
        ...inContract(period),
        ...(model === undefined ? {} : { model }),
        ...(eachKey && { each: 'key' }),
      });
      const { id = '' } = resultOf(outcome);
      const common = { model, period, createdAt: call.now, amount, isDeleted: false };
      const all: readonly BudgetTerms[] = eachKey
        ? keyIds.map((key) => ({ ...common, id: counterOf(id, key), subjectId: key, value: key }))
        : [{ ...common, id, subjectId }];
      return { outcome, executed: all.map((terms) => ({ kind: 'create', terms })) };
    });
  }

  resizeBudget(id: string, amount: number): Promise<void> {
    return this.#changeOfBudget('resize', async (call) => ({
      outcome: await limits.update(call, { id: limitOfCounter(id), amountUsd: usdOfNano(amount) }),
      executed: this.#countersWith(id).map((budgetId) => ({ kind: 'resize', budgetId, amount })),
    }));
  }

  resetBudget(id: string): Promise<void> {
    return this.#changeOfBudget('reset', async (call) => {
      const counter = this.#keyOf(id);
      const of = { limitId: limitOfCounter(id), ...(counter && { counter }) };
      const outcome = await reset(call, { ...of, reason: 'by the model' });
      const window = resultOf(outcome).window ?? '';
      return { outcome, executed: { kind: 'reset', budgetId: id, window } };
    });
  }

  deleteBudget(id: string): Promise<void> {
    return this.#changeOfBudget('delete', async (call) => ({
      outcome: await limits.remove(call, { id: limitOfCounter(id) }),
      executed: this.#countersWith(id).map((budgetId) => ({ kind: 'delete', budgetId })),
    }));
  }

  /** All counters of its limit; without counters the budget itself. */
  #countersWith(id: string): readonly string[] {
    return isCounter(id) ? this.#deps.subjects.keyIds.map((key) => counterOf(limitOfCounter(id), key)) : [id];
  }

  #keyOf(id: string): string | undefined {
    return this.#deps.subjects.keyIds.find((key) => counterOf(limitOfCounter(id), key) === id);
  }

  snapshot(): Promise<Tables> {
    return this.#deps.store.snapshot(async (db) => {
      const tables: [Table, readonly object[]][] = [];
      for (const table of ledgerTables) tables.push([table, await db.selectFrom(table).selectAll().execute()]);
      return new Map(tables);
    });
  }

  async restore(snapshot: object): Promise<string> {
    const { store } = this.#deps;
    await store.ledger(async ({ db }) => {
      for (const [table, rows] of snapshot as Tables) {
        await db.deleteFrom(table).execute();
        for (let from = 0; from < rows.length; from += rowsAtOnce)
          await db
            .insertInto(table)
            .values(rows.slice(from, from + rowsAtOnce) as never)
            .execute();
      }
    });
    await store.startNewEpoch((await store.position()).epoch);
    return (await store.position()).epoch;
  }

  read(): Promise<LedgerRead> {
    return this.#deps.store.snapshot(async (db) => {
      const rows = await db
        .selectFrom('budget_windows')
        .select(['budget_id', 'window_start', 'spent', 'leased', 'unsettled as unconfirmed'])
        .execute();
      const leases = await db.selectFrom('leases').selectAll().execute();
      return {
        ledger: new Map(
          rows.map(({ spent, leased, unconfirmed, ...row }) => [
            rowKey(row.budget_id, row.window_start),
            { spent, leased, unconfirmed },
          ]),
        ),
        leases: new Map(
          leases.map(({ session_id, budget_id, window_start, remaining, state, seq, shut, back }) => {
            const lease = {
              session: session_id,
              budgetId: budget_id,
              window: window_start,
              left: remaining,
              ...{ state, seq, shut, back },
            };
            return [leaseKey(lease), lease];
          }),
        ),
      };
    });
  }

  async readEvents() {
    const { store, subjects } = this.#deps;
    await foldAll(store, 5);
    return await store.snapshot(async (db) => {
      const range = { organizationId: subjects.organizationId, from: 0, to: Number.MAX_SAFE_INTEGER };
      const none = { groupBy: [], groupByMetadata: [], only: {}, models: undefined, metadata: {}, orderBy: undefined };
      const [sum] = await readTotals(db, { ...range, ...none, after: undefined, limit: 1 });
      const events = await db.selectFrom('usage_events').select(['id', 'cost']).execute();
      const hours = await db.selectFrom('usage_hours').select('cost').execute();
      return {
        costs: new Map(events.map(({ id, cost }) => [id, cost])),
        hourly: hours.reduce((total, { cost }) => total + cost, 0),
        total: Number(sum?.cost ?? 0),
      };
    });
  }

  async #run<ReadResponse extends { readonly now: number }>(
    kind: Executed['kind'],
    ask: () => Promise<ReadResponse>,
    toExecuted: (response: ReadResponse) => Executed,
  ): Promise<ReadResponse> {
    const response = await this.#kind.run(kind, ask);
    this.#executed(toExecuted(response), response.now);
    return response;
  }

  #executed(executed: Executed, now: number): void {
    const taken = this.#steps.get(now);
    if (taken === undefined) throw new Error('a response has a time at which no transaction ran');
    this.#deps.onExecuted(executed, { ...taken, now });
  }

  #inLedger<T>(work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
    return this.#deps.store.ledger((tx) => this.#inStep(tx, work));
  }

  async #change<T>(kind: Executed['kind'], work: (call: ChangeCall) => Promise<Worked<T>>): Promise<void> {
    const { store, subjects } = this.#deps;
    const { organizationId } = subjects;
    const caller: OperatorCaller = {
      ...{ kind: 'operator', personId: organizationId, organizationId, role: 'owner', from: '10.0.0.2' },
      tokenEndsAt: 0,
    };
    const context = {
      actor: { kind: 'person', id: caller.personId },
      from: caller.from,
      action: kind,
    } as const;
    const change = () =>
      store.change(context, (tx) =>
        this.#inStep(tx, async (step): Promise<Change<Done> | Unchanged<Done>> => {
          const { executed, outcome } = await work({ ...step, caller, deps: serviceDeps });
          const done: Done = { executed: [executed].flat(), now: step.now };
          return 'unchanged' in outcome ? { unchanged: done } : { ...outcome, result: done };
        }),
      );
    const { executed, now } = await this.#kind.run(kind, change);
    for (const one of executed) this.#executed(one, now);
  }

  // The number is assigned with all locks held, so operations on the same rows come before or after.
  async #inStep<Tx extends Pick<LedgerTransaction, 'now' | 'locks'>, T>(
    tx: Tx,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const { clock, unlocked } = this.#deps;
    let now = clock.now();
    while (this.#steps.has(now)) now += 1;
    const after = this.#lastStep;
    this.#steps.set(now, { step: 0, after });
    const locks = unlocked !== undefined && this.#kind.getStore() === unlocked ? noLocks : tx.locks;
    const result = await work({ ...tx, now, locks });
    this.#lastStep += 1;
    this.#steps.set(now, { step: this.#lastStep, after });
    this.#closing.getStore()?.push(now);
    return result;
  }

  /** Ignores refusals, because another operator may have deleted the budget. */
  async #changeOfBudget<T>(kind: Executed['kind'], work: (call: ChangeCall) => Promise<Worked<T>>): Promise<void> {
    try {
      await this.#change(kind, work);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  }
}

/** Returns all sessions that are closed and leases that are expired now, whichever operation changed them. */
async function expiredIn({ db }: LedgerTransaction): Promise<Executed> {
  const sessions = await db.selectFrom('ledger_sessions').select('id').where('open', '=', 0).execute();
  const leases = await db
    .selectFrom('leases')
    .select(['session_id as session', 'budget_id as budgetId', 'window_start as window'])
    .where('state', '=', 'expired')
    .execute();
  return { kind: 'expire', closed: sessions.map(({ id }) => id), expired: leases };
}

function inContract(calendar: BudgetCalendar) {
  if (typeof calendar === 'string') return { period: budgetPeriods.names[calendar] };
  const { hour, period, timeZone } = calendar;
  return { period: budgetPeriods.names[period], timeZone, startsOn: { hour } };
}

function resultOf<T>(outcome: Outcome<T>): T {
  return 'unchanged' in outcome ? outcome.unchanged : outcome.result;
}
