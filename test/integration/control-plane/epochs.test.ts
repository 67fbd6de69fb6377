// Decides whether a proxy's position continues in this database, or its last commits may be lost; and how the ledger
// acts in the time after a restore.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { drawing } from '../../../control-plane/ledger/acquire.ts';
import { Healing, healingMs } from '../../../control-plane/ledger/healing.ts';
import { LeaseBatches } from '../../../control-plane/ledger/lease-work.ts';
import { countedIn } from '../../../control-plane/store/epochs.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { silentLog } from '../../support/silent-log.ts';
import { invalidate } from '../../support/stored-records.ts';
import { anyProxy } from '../../support/watching.ts';

const someone = { kind: 'person', ref: 'person-1', state: 'changed' } as const;

describe('an epoch over SQLite', () => {
  let directory: string;
  let store: Store;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gateway-epochs-'));
    store = await open();
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const file = (name: string) => join(directory, name);
  const open = () => openStore({ url: `sqlite:${file('gateway.db')}`, log: silentLog, clock: systemClock });
  const restart = async () => {
    await store.close();
    store = await open();
  };
  const commit = () => invalidate(store, [someone]);

  it('continues the one before when the control plane restarts', async () => {
    await commit();
    const before = await store.position();
    await restart();
    const between = await store.position();
    await restart();
    for (const since of [before, between]) {
      expect(since.epoch).not.toBe((await store.position()).epoch);
      expect(await store.epochChange(since, true)).toBe('restarted');
    }
  });

  it('lists the epochs that it continues, at most sixteen', async () => {
    await commit();
    const first = await store.position();
    expect((await store.lineage()).continues).toEqual([]);
    await restart();
    await commit();
    const second = await store.position();
    await restart();
    const lineage = await store.lineage();
    expect(lineage.epoch).toBe((await store.position()).epoch);
    expect(lineage.continues).toEqual([second, first]);
    for (let n = 0; n < 16; n++) await restart();
    expect((await store.lineage()).continues).toHaveLength(16);
  });

  it('continues a restored copy of the file up to the time of the copy', async () => {
    await commit();
    const copied = await store.position();
    await store.close();
    copyFileSync(file('gateway.db'), file('copy.db'));
    store = await open();
    await commit();
    const lost = await store.position();
    await store.close();
    copyFileSync(file('copy.db'), file('gateway.db'));
    store = await open();
    const lineage = await store.lineage();
    expect(countedIn(lineage, copied)).toBe(copied.revision);
    expect(countedIn(lineage, { ...copied, revision: copied.revision + 1 })).toBeUndefined();
    expect(countedIn(lineage, lost)).toBeUndefined();
  });

  it('continues no other epoch when the database file was replaced during its run', async () => {
    await commit();
    const before = await store.position();
    await store.startNewEpoch(before.epoch);
    expect((await store.lineage()).continues).toEqual([]);
    const between = await store.position();
    await restart();
    const lineage = await store.lineage();
    expect(countedIn(lineage, between)).toBe(between.revision);
    expect(countedIn(lineage, before)).toBeUndefined();
  });

  it('counts as restored when a proxy has seen a revision that is not in the database', async () => {
    await commit();
    await store.close();
    copyFileSync(file('gateway.db'), file('copy.db'));
    store = await open();
    await commit();
    const lost = await store.position();
    await store.close();
    copyFileSync(file('copy.db'), file('gateway.db'));
    store = await open();
    expect(await store.epochChange(lost, true)).toBe('restored');
  });

  it('counts as restored when the file is older than the position that a proxy has seen of its run', async () => {
    await commit();
    const seen = await store.position();
    await restart();
    expect(await store.epochChange({ ...seen, revision: seen.revision + 1 }, true)).toBe('restored');
  });

  it('counts as restarted when an older version stored no epochs', async () => {
    expect(await store.epochChange({ epoch: 'of before', revision: 7 }, true)).toBe('restarted');
  });
});

describeStores('the ledger after a restore', (given) => {
  let fixture: LedgerFixture;
  let budgetId: string;
  let earlier: string;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    budgetId = await fixture.budget({ amount: 1000 });
    earlier = await fixture.session();
    await acquisitions().run(ask(earlier));
  });

  const acquisitions = () => new LeaseBatches(given.store);
  const ask = (session: string, seq = 1, want = 10) =>
    drawing(anyProxy, { session, budgetId, window: 'total', seq, need: want, want });
  const outcome = async (work: ReturnType<typeof ask>) => (await acquisitions().run(work)).response.outcome;
  const restore = async () => given.store.startNewEpoch((await given.store.position()).epoch);

  it('grants as usual when nothing was restored', async () => {
    expect(await outcome(ask(earlier, 2))).toBe('granted');
  });

  it('grants nothing while earlier sessions are open, and does not reclaim their money', async () => {
    await restore();
    const { response } = await acquisitions().run(ask(await fixture.session()));
    expect(response).toMatchObject({ outcome: 'busy', granted: 0, attainable: undefined });
  });

  it('still records the shut part of leases, and accepts releases', async () => {
    await restore();
    expect(await outcome(ask(earlier, 2, 0))).toBe('granted');
    expect(await fixture.release({ session: earlier, budgetId, window: 'total', seq: 3, amount: 4 })).toBe(4);
  });

  it('grants again once all sessions that it knows are closed', async () => {
    await restore();
    const session = await fixture.session();
    expect(await outcome(ask(session))).toBe('busy');
    await fixture.closeSession(earlier);
    expect(await outcome(ask(session, 2))).toBe('granted');
  });

  it('grants again after the healing time, even if sessions are missing', async () => {
    await restore();
    const session = await fixture.session();
    expect(await outcome(ask(session))).toBe('busy');
    await given.database.raw(`update epochs set restored_at = restored_at - ${healingMs}`);
    expect(await outcome(ask(session, 2))).toBe('granted');
  });

  it('starts its healing time at its first operation, even if the feed or a change ran long before', async () => {
    await restore();
    await invalidate(given.store, [someone]);
    await given.store.lineage();
    await given.database.raw(`update epochs set restored_at = restored_at - ${healingMs}`);
    expect(await outcome(ask(await fixture.session()))).toBe('busy');
  });

  it('notices the restore within a second', async () => {
    const healing = new Healing();
    const isHealing = () => given.store.ledger((tx) => healing.isHealing(tx));
    expect(await isHealing()).toBe(false);
    await restore();
    expect(await isHealing()).toBe(true);
  });

  it('returns its epoch with every response', async () => {
    const { epoch } = await given.store.position();
    expect((await acquisitions().run(ask(earlier, 2))).epoch).toBe(epoch);
    await restore();
    expect((await acquisitions().run(ask(earlier, 3))).epoch).toBe((await given.store.position()).epoch);
    expect((await given.store.position()).epoch).not.toBe(epoch);
  });

  it('reports the restore to a proxy', async () => {
    const before = await given.store.position();
    await restore();
    expect(await given.store.epochChange(before, true)).toBe('restored');
  });
});
