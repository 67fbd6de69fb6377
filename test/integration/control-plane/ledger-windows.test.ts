// The first reports of a window create its rows, many reports at the same time: at midnight, all proxies' reports of
// all budgets.
import { randomInt } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { reportTogether } from '../../../control-plane/ledger/report.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { usageEvent } from '../../support/usage-events.ts';

const keys = Array.from({ length: 24 }, (_, nth) => `key-${nth}`);
const reports = 18;
const eventsOfEach = 12;

describeStores('beginnings of windows', (opened) => {
  let store: Store;
  let fixture: LedgerFixture;

  beforeEach(async () => {
    store = opened.store;
    fixture = new LedgerFixture(store);
    await fixture.organization();
  });

  it('reports that create the same windows wait for each other without a deadlock', async () => {
    const seed = randomInt(2 ** 31);
    const random = new Random(seed);
    const budgets: string[] = [];
    for (const subjectId of keys) budgets.push(await fixture.budget({ amount: 1e12, period: 'day', subjectId }));
    const at = Date.now();
    await createUsageDays({ store, clock: systemClock }).ensureDays([usageEvent({ at }).day]);
    let runs = 0;
    const sent = Array.from({ length: reports }, () => {
      const events = Array.from({ length: eventsOfEach }, () => ({
        row: usageEvent({ at, key_id: random.pick(keys), cost: 1 }),
        charges: [],
      }));
      return store.ledger((tx) => {
        runs++;
        return reportTogether(tx, [{ events }]);
      });
    });
    await Promise.all(sent);
    const spent = await store.snapshot((db) => db.selectFrom('budget_windows').select('spent').execute());
    expect(spent.reduce((sum, row) => sum + row.spent, 0)).toBe(reports * eventsOfEach);
    expect(spent.length).toBeLessThanOrEqual(budgets.length);
    // A transaction that the database aborted would have been run again, after a second in which all others waited.
    expect(runs, `seed ${seed}`).toBe(reports);
  });
});
