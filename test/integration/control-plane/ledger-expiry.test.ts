// The worker that closes silent sessions: every few seconds, on every replica, until it is stopped; and the locks for
// which it waits.
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type ExpiryDeps, expireSessions, startExpiry } from '../../../control-plane/ledger/expiry.ts';
import { shareSessions } from '../../../control-plane/ledger/locks.ts';
import { createSessionTouches, silenceMaxMs } from '../../../control-plane/ledger/sessions.ts';
import { type Store, StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { describeStores, freshPostgres } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { VirtualTime } from '../../support/virtual-time.ts';
import { anyProxy } from '../../support/watching.ts';

const silence = `update ledger_sessions set seen_at = seen_at - ${silenceMaxMs + 1}`;

describeStores('silent sessions', (given) => {
  let fixture: LedgerFixture;
  let session: string;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    const budgetId = await fixture.budget({ amount: 1000 });
    session = await fixture.session();
    await fixture.acquire({ session, budgetId, window: 'total', seq: 1, need: 100, want: 100 });
    await given.database.raw(silence);
  });

  const start = (options: Partial<ExpiryDeps> = {}) => {
    const time = new VirtualTime();
    const counted: number[] = [];
    const metrics = { sessionsExpired: (count: number) => void counted.push(count) };
    const deps = { store: given.store, log: silentLog, metrics, timers: time, random: () => 0.5 };
    const expiry = startExpiry({ ...deps, ...options });
    return { time, counted, expiry };
  };
  const states = async () => (await fixture.leases()).map(({ state }) => state);

  it('are closed within a few seconds, and searched for again every few seconds', async () => {
    const { time, counted, expiry } = start();
    for (let runs = 1; runs <= 3; runs++) {
      await time.advance(4000);
      await until(() => counted.length === runs);
    }
    await expiry.close();
    expect(counted).toEqual([1, 0, 0]);
    expect(await states()).toEqual(['expired']);
  });

  it('are searched for again after the database was away', async () => {
    let isAway = true;
    const store: Pick<Store, 'ledger'> = {
      ledger: (work) =>
        isAway ? Promise.reject(new StoreUnavailableError(new Error('away'))) : given.store.ledger(work),
    };
    const { time, counted, expiry } = start({ store });
    await time.advance(4000);
    expect(counted).toEqual([]);
    isAway = false;
    await time.advance(4000);
    await until(() => counted.length === 1);
    await expiry.close();
    expect(await states()).toEqual(['expired']);
  });

  it('are not searched for after the stop', async () => {
    const { time, counted, expiry } = start();
    await expiry.close();
    await time.advance(60_000);
    expect(counted).toEqual([]);
    expect(await states()).toEqual(['open']);
  });

  it('are finished by the next run when the one that closed them was stopped', async () => {
    await given.database.raw('update ledger_sessions set open = 0');
    expect(await expireSessions(given.store)).toBe(0);
    expect(await states()).toEqual(['expired']);
  });

  it('are no longer silent after any call of their own proxy', async () => {
    const touches = createSessionTouches(given.store, new VirtualTime());
    await touches.touch(anyProxy, [session]);
    expect(await expireSessions(given.store)).toBe(0);
    await given.database.raw(silence);
    await touches.touch({ ...anyProxy, id: 'proxy-other' }, [session]);
    expect(await expireSessions(given.store)).toBe(1);
  });

  it('are written as active once in five seconds', async () => {
    const time = new VirtualTime();
    const touches = createSessionTouches(given.store, time);
    await touches.touch(anyProxy, [session]);
    await given.database.raw(silence);
    await time.advance(4999);
    await touches.touch(anyProxy, [session]);
    const seenAt = () =>
      given.store.ledger(async ({ db, now }) => {
        const { seen_at } = await db.selectFrom('ledger_sessions').select('seen_at').executeTakeFirstOrThrow();
        return now - seen_at;
      });
    expect(await seenAt()).toBeGreaterThan(silenceMaxMs);
    await time.advance(1);
    await touches.touch(anyProxy, [session]);
    expect(await seenAt()).toBeLessThan(silenceMaxMs);
  });
});

it('a session is not closed during an acquisition, and is still noted as active', async () => {
  const database = await freshPostgres();
  try {
    const store = await database.open();
    const fixture = new LedgerFixture(store);
    const session = await fixture.session();
    await database.raw(silence);
    let closing: Promise<number> | undefined;
    let isClosed = false;
    await store.ledger(async (tx) => {
      await shareSessions(tx, [session]);
      closing = expireSessions(store).finally(() => {
        isClosed = true;
      });
      await until(() => somebodyWaits(store));
      expect(isClosed).toBe(false);
    });
    expect(await closing).toBe(1);

    const other = await fixture.session();
    await store.ledger(async (tx) => {
      await shareSessions(tx, [other]);
      await createSessionTouches(store, new VirtualTime()).touch(anyProxy, [other]);
    });
  } finally {
    await database.drop();
  }
});

function somebodyWaits(store: Store): Promise<boolean> {
  return store.snapshot(async (db) => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length > 0;
  });
}
