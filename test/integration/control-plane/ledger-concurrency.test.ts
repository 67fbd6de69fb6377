// Many proxies, two replicas and an operator at the same time over the same budgets: in every interleaving the ledger
// adds up at every observed instant, no deadlock stays, and in the end the ledger contains the reported spend.
import { randomInt } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { windowOf } from '../../../common/budget-window.ts';
import { expireSessions } from '../../../control-plane/ledger/expiry.ts';
import { silenceMaxMs } from '../../../control-plane/ledger/sessions.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores } from '../../support/databases.ts';
import { type ChargedEvent, LedgerFixture } from '../../support/ledger.ts';
import { change } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';

interface KnownBudget {
  readonly id: string;
  readonly window: string;
  readonly subject: string;
}

const keys = ['key-1', 'key-2'];
const stepsOfProxy = 40;

/**
 * A proxy that keeps to the protocol: one operation of a lease at a time, retried unchanged, and no more spent than
 * granted.
 */
class Spender {
  /** Spend of each budget. */
  readonly spent = new Map<string, number>();
  #session = '';
  #leases = new Map<string, { available: number; seq: number }>();
  #late: ChargedEvent[] = [];
  readonly #fixture: LedgerFixture;
  readonly #budgets: readonly KnownBudget[];
  readonly #at: number;
  readonly #random: Random;

  constructor(fixture: LedgerFixture, world: { budgets: readonly KnownBudget[]; at: number; random: Random }) {
    this.#fixture = fixture;
    this.#budgets = world.budgets;
    this.#at = world.at;
    this.#random = world.random;
  }

  async run(kill: (session: string) => Promise<void>): Promise<void> {
    this.#session = await this.#fixture.session();
    for (let step = 0; step < stepsOfProxy; step++) {
      const choice = this.#random.below(20);
      if (choice < 8) await this.#acquire();
      else if (choice < 11) await this.#release();
      else if (choice < 19) await this.#use();
      else await this.#die(kill);
    }
    await this.#reportLate();
  }

  async #acquire(): Promise<void> {
    const budget = this.#random.pick(this.#budgets);
    const lease = this.#lease(budget.id);
    const need = 1 + this.#random.below(60);
    lease.seq++;
    const operation = { session: this.#session, budgetId: budget.id, window: budget.window, seq: lease.seq };
    const request = { ...operation, need, want: need + this.#random.below(300) };
    const responses = await this.#sent(() => this.#fixture.acquire(request));
    lease.available += responses[0]?.granted ?? 0;
    expect(new Set(responses.map(({ granted }) => granted)).size, 'responses to one acquisition').toBe(1);
  }

  async #release(): Promise<void> {
    const budget = this.#random.pick(this.#budgets);
    const lease = this.#lease(budget.id);
    const amount = this.#random.below(lease.available + 1);
    lease.available -= amount;
    lease.seq++;
    const operation = { session: this.#session, budgetId: budget.id, window: budget.window, seq: lease.seq };
    const responses = await this.#sent(() => this.#fixture.release({ ...operation, amount }));
    expect(new Set(responses)).toEqual(new Set([amount]));
  }

  /** A request on one of the keys: charges every budget that applies, or none. */
  async #use(): Promise<void> {
    const key = this.#random.pick(keys);
    const applying = this.#budgets.filter(({ subject }) => !keys.includes(subject) || subject === key);
    const room = Math.min(...applying.map(({ id }) => this.#lease(id).available));
    const cost = this.#random.below(room + 1);
    for (const { id } of applying) {
      this.#lease(id).available -= cost;
      this.spent.set(id, (this.spent.get(id) ?? 0) + cost);
    }
    this.#late.push({
      row: usageEvent({ key_id: key, session_id: this.#session, at: this.#at, cost }),
      charges: applying.map(({ id, window }) => ({ budgetId: id, window, escrow: cost })),
    });
    if (this.#random.below(2) === 0) await this.#reportLate();
  }

  async #reportLate(): Promise<void> {
    const events = this.#late;
    this.#late = [];
    if (events.length > 0) await this.#sent(() => this.#fixture.report(events));
  }

  /**
   * Falls silent during an acquisition: its leases are lost; its recorded events are reported later by another proxy.
   */
  async #die(kill: (session: string) => Promise<void>): Promise<void> {
    await Promise.all([this.#acquire(), kill(this.#session)]);
    this.#session = await this.#fixture.session();
    this.#leases = new Map();
  }

  /** Sometimes twice at once, as after a lost response. */
  #sent<T>(send: () => Promise<T>): Promise<readonly T[]> {
    return Promise.all(this.#random.below(4) === 0 ? [send(), send()] : [send()]);
  }

  #lease(budgetId: string): { available: number; seq: number } {
    const lease = this.#leases.get(budgetId) ?? { available: 0, seq: 0 };
    this.#leases.set(budgetId, lease);
    return lease;
  }
}

/** The ledger's totals of each window, beside the sums of its leases. */
async function readLedger(store: Store) {
  return await store.snapshot(async (db) => {
    const windows = await db
      .selectFrom('budget_windows')
      .innerJoin('limits', 'limits.id', 'budget_windows.budget_id')
      .select(['budget_id', 'spent', 'leased', 'unsettled as unconfirmed', 'amount'])
      .execute();
    const leases = await db.selectFrom('leases').select(['budget_id', 'state', 'remaining']).execute();
    const leasedIn = (budgetId: string, state: 'open' | 'expired') =>
      leases
        .filter((lease) => lease.budget_id === budgetId && lease.state === state)
        .reduce((sum, { remaining }) => sum + remaining, 0);
    return windows.map((window) => ({
      ...window,
      inOpenLeases: leasedIn(window.budget_id, 'open'),
      inExpiredLeases: leasedIn(window.budget_id, 'expired'),
    }));
  });
}

function expectConserved(ledger: Awaited<ReturnType<typeof readLedger>>): void {
  for (const { amount, spent, leased, unconfirmed, inOpenLeases, inExpiredLeases } of ledger) {
    expect(spent + leased + unconfirmed).toBeLessThanOrEqual(amount);
    expect({ leased, unconfirmed }).toEqual({ leased: inOpenLeases, unconfirmed: inExpiredLeases });
  }
}

/**
 * Makes a budget larger, or smaller down to the used amount. It locks the organization exclusively, so no proxy
 * acquires in between.
 */
async function resize(store: Store, id: string, size: number): Promise<void> {
  await change(store, async (tx) => {
    await tx.locks.organizations(tx.db, ['organization-1'], 'alone');
    const ledger = await tx.db
      .selectFrom('budget_windows')
      .select(['spent', 'leased', 'unsettled as unconfirmed'])
      .where('budget_id', '=', id)
      .executeTakeFirst();
    const reserved = ledger === undefined ? 0 : ledger.spent + ledger.leased + ledger.unconfirmed;
    const amount = Math.max(reserved, size);
    await tx.db.updateTable('limits').set({ amount }).where('id', '=', id).execute();
    return undefined;
  });
}

describeStores('ledger entries under concurrent operations', (given) => {
  let fixtures: readonly LedgerFixture[];
  beforeEach(async () => {
    // A SQLite file belongs to one process; PostgreSQL may have many replicas.
    const isShared = given.database.url.startsWith('postgres');
    const other = isShared ? await given.database.open() : given.store;
    fixtures = [new LedgerFixture(given.store), new LedgerFixture(other)];
    await new LedgerFixture(given.store).organization();
  });

  it('add up at every instant, and in the end contain the reported spend', async () => {
    const seed = randomInt(2 ** 31);
    console.info(`seed ${seed}`);
    const random = new Random(seed);
    // All events carry one time, and a total budget counts events from its creation on.
    const at = Date.now() + 1000;
    const [first, second] = fixtures as [LedgerFixture, LedgerFixture];
    const budgets: readonly KnownBudget[] = [
      { id: await first.budget({ amount: 9000 }), window: 'total', subject: 'organization-1' },
      ...(await Promise.all(
        keys.map(async (subject) => ({
          id: await first.budget({ amount: 4000, subjectId: subject, period: 'month' }),
          window: windowOf('month', at),
          subject,
        })),
      )),
    ];
    const world = { budgets, at, random };
    const proxies = Array.from({ length: 8 }, (_, i) => new Spender(i % 2 === 0 ? first : second, world));
    let running = true;
    const silence = async (session: string) => {
      await given.store.ledger(({ db, now }) =>
        db
          .updateTable('ledger_sessions')
          .set({ seen_at: now - silenceMaxMs - 1 })
          .where('id', '=', session)
          .execute(),
      );
      await expireSessions(first.store);
    };
    const whileRunning = async (work: () => Promise<unknown>) => {
      while (running) await work();
    };
    const spending = Promise.all(proxies.map((proxy) => proxy.run(silence))).finally(() => {
      running = false;
    });
    await Promise.all([
      spending,
      whileRunning(() => expireSessions(second.store)),
      whileRunning(async () => expectConserved(await readLedger(second.store))),
      whileRunning(() => resize(given.store, random.pick(budgets).id, 3000 + random.below(6000))),
    ]);
    await given.store.ledger(({ db }) => db.updateTable('ledger_sessions').set({ seen_at: 0 }).execute());
    await expireSessions(given.store);
    const ledger = await readLedger(given.store);
    expectConserved(ledger);
    for (const { id } of budgets) {
      const spent = proxies.reduce((sum, proxy) => sum + (proxy.spent.get(id) ?? 0), 0);
      expect(ledger.find(({ budget_id }) => budget_id === id)).toMatchObject({ spent, leased: 0 });
    }
  });

  it('let a change of a budget through although acquisitions never pause', async () => {
    const [fixture] = fixtures as [LedgerFixture];
    const budgetId = await fixture.budget({ amount: 1e12 });
    let running = true;
    const acquisitions = Array.from({ length: 6 }, async () => {
      const session = await fixture.session();
      for (let seq = 1; running; seq++) {
        await fixture.acquire({ session, budgetId, window: 'total', seq, need: 1, want: 1 });
      }
    });
    try {
      for (let i = 0; i < 5; i++) await resize(given.store, budgetId, 1e12 + i);
    } finally {
      running = false;
      await Promise.all(acquisitions);
    }
    expectConserved(await readLedger(given.store));
  });
});
