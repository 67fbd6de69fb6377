// The store's data for the change feed, over both databases.
import { expect, it } from 'vitest';
import { describeStores } from '../../support/databases.ts';
import { until } from '../../support/process.ts';
import { invalidate } from '../../support/stored-records.ts';

const hour = 3_600_000;

describeStores('invalidations', (given) => {
  it('are read in pages of whole revisions', async () => {
    const people = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ kind: 'person', ref: `person-${i}`, state: 'changed' }) as const);
    for (const n of [2, 3, 0, 1]) await invalidate(given.store, people(n), 'organization-1');
    const revisions = async (after: number, rows: number) => {
      const page = await given.store.changesAfter(after, rows);
      return { of: page.changes.map((row) => row.revision), upTo: page.upTo };
    };
    expect(await revisions(0, 1)).toEqual({ of: [1, 1], upTo: 1 });
    expect(await revisions(0, 2)).toEqual({ of: [1, 1], upTo: 1 });
    expect(await revisions(0, 3)).toEqual({ of: [1, 1, 2, 2, 2], upTo: 2 });
    expect(await revisions(2, 2)).toEqual({ of: [4], upTo: 4 });
    expect(await revisions(4, 2)).toEqual({ of: [], upTo: 4 });
    expect((await given.store.changesAfter(3, 9)).changes).toEqual([
      { revision: 4, kind: 'person', ref: 'person-0', state: 'changed', organizationId: 'organization-1' },
    ]);
  });

  it('keep the last state when one change names a record twice', async () => {
    const hash = 'ab'.repeat(32);
    await invalidate(given.store, [
      { kind: 'key', ref: hash, state: 'changed' },
      { kind: 'key', ref: hash, state: 'gone' },
    ]);
    expect((await given.store.changesAfter(0, 9)).changes).toMatchObject([{ ref: hash, state: 'gone' }]);
  });

  it('are recorded by the thousand in one change', async () => {
    const many = Array.from({ length: 3500 }, (_, i) => ({ kind: 'key', ref: `${i}`, state: 'gone' }) as const);
    await invalidate(given.store, many);
    expect((await given.store.changesAfter(0, 1)).changes).toHaveLength(3500);
  });
});

describeStores('the feed in time', (given) => {
  it('returns its position at a given time in the past', async () => {
    const person = [{ kind: 'person', ref: 'person-1', state: 'changed' }] as const;
    for (let i = 0; i < 3; i++) await invalidate(given.store, person);
    await given.database.raw(`update changes set at = at - ${2 * hour} where revision <= 2`);
    const { epoch } = await given.store.position();
    expect(await given.store.positionAgo(0)).toEqual({ epoch, revision: 3 });
    expect(await given.store.positionAgo(hour)).toEqual({ epoch, revision: 2 });
    expect(await given.store.positionAgo(3 * hour)).toEqual({ epoch, revision: 0 });
  });

  it('deletes changes after their time, and reports up to which revision', async () => {
    const person = [{ kind: 'person', ref: 'person-1', state: 'changed' }] as const;
    for (let i = 0; i < 4; i++) await invalidate(given.store, person);
    await given.database.raw(`update changes set at = at - ${2 * hour} where revision <= 2`);
    expect((await given.store.changesAfter(0, 9)).prunedRevision).toBe(0);
    const pruning = await given.database.open({ changesKeptMs: hour });
    const page = await until(async () => {
      const read = await pruning.changesAfter(0, 9);
      return read.prunedRevision > 0 && read;
    });
    expect(page.prunedRevision).toBe(2);
    expect(page.changes.map((row) => row.revision)).toEqual([3, 4]);
    expect(await pruning.positionAgo(3 * hour)).toMatchObject({ revision: 2 });
  });

  it('starts one new epoch for several concurrent requests', async () => {
    const { epoch } = await given.store.position();
    await Promise.all([given.store.startNewEpoch(epoch), given.store.startNewEpoch(epoch)]);
    const after = await given.store.position();
    expect(after.epoch).not.toBe(epoch);
    expect(after.revision).toBe(1);
    await given.store.startNewEpoch(epoch);
    expect(await given.store.position()).toEqual(after);
  });
});
