// Whether what a proxy has seen goes on here, or what was committed last may be gone; and what the ledger does in the moment after.
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
import { LedgerDesk } from '../../support/ledger.ts';
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

  it('goes on from the one before where the control plane was started again', async () => {
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

  it('says what it goes on from, sixteen epochs at most', async () => {
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

  it('goes on from a file that was copied back up to where it was copied', async () => {
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

  it('goes on from nothing where the database has gone back under it', async () => {
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

  it('goes back where a proxy has seen what is not there', async () => {
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

  it('goes back where the file is of before what a proxy has seen of its run', async () => {
    await commit();
    const seen = await store.position();
    await restart();
    expect(await store.epochChange({ ...seen, revision: seen.revision + 1 }, true)).toBe('restored');
  });

  it('is a restart where an older version remembered nothing', async () => {
    expect(await store.epochChange({ epoch: 'of before', revision: 7 }, true)).toBe('restarted');
  });
});

describeStores('the ledger after a restore', (given) => {
  let desk: LedgerDesk;
  let budgetId: string;
  let earlier: string;
  beforeEach(async () => {
    desk = new LedgerDesk(given.store);
    await desk.organization();
    budgetId = await desk.budget({ amount: 1000 });
    earlier = await desk.session();
    await draws().run(ask(earlier));
  });

  const draws = () => new LeaseBatches(given.store);
  const ask = (session: string, seq = 1, want = 10) =>
    drawing(anyProxy, { session, budgetId, window: 'total', seq, need: want, want });
  const outcome = async (work: ReturnType<typeof ask>) => (await draws().run(work)).response.outcome;
  const restore = async () => given.store.startNewEpoch((await given.store.position()).epoch);

  it('grants as ever where nothing was restored', async () => {
    expect(await outcome(ask(earlier, 2))).toBe('granted');
  });

  it('grants nothing while sessions of before are open, and asks nobody for what they hold', async () => {
    await restore();
    const { response } = await draws().run(ask(await desk.session()));
    expect(response).toMatchObject({ outcome: 'busy', granted: 0, attainable: undefined });
  });

  it('notes what is shut all the same, and takes returns', async () => {
    await restore();
    expect(await outcome(ask(earlier, 2, 0))).toBe('granted');
    expect(await desk.giveBack({ session: earlier, budgetId, window: 'total', seq: 3, amount: 4 })).toBe(4);
  });

  it('grants again once all that it knows were closed', async () => {
    await restore();
    const session = await desk.session();
    expect(await outcome(ask(session))).toBe('busy');
    await desk.closeSession(earlier);
    expect(await outcome(ask(session, 2))).toBe('granted');
  });

  it('grants again after a moment, whoever is still missing', async () => {
    await restore();
    const session = await desk.session();
    expect(await outcome(ask(session))).toBe('busy');
    await given.database.raw(`update epochs set restored_at = restored_at - ${healingMs}`);
    expect(await outcome(ask(session, 2))).toBe('granted');
  });

  it('has that moment from when the ledger meets it, however long ago a change or the feed has', async () => {
    await restore();
    await invalidate(given.store, [someone]);
    await given.store.lineage();
    await given.database.raw(`update epochs set restored_at = restored_at - ${healingMs}`);
    expect(await outcome(ask(await desk.session()))).toBe('busy');
  });

  it('hears within a second of what a proxy has seen', async () => {
    const healing = new Healing();
    const isHealing = () => given.store.books((tx) => healing.isHealing(tx));
    expect(await isHealing()).toBe(false);
    await restore();
    expect(await isHealing()).toBe(true);
  });

  it('says of every answer where it was given', async () => {
    const { epoch } = await given.store.position();
    expect((await draws().run(ask(earlier, 2))).epoch).toBe(epoch);
    await restore();
    expect((await draws().run(ask(earlier, 3))).epoch).toBe((await given.store.position()).epoch);
    expect((await given.store.position()).epoch).not.toBe(epoch);
  });

  it('tells a proxy of it', async () => {
    const before = await given.store.position();
    await restore();
    expect(await given.store.epochChange(before, true)).toBe('restored');
  });
});
