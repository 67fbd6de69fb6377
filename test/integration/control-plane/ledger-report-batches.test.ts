// Reports that arrive together share a transaction: each gets the same response as if it were alone, in the order of
// arrival.
import { beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import type { Reported, ReportedEvent } from '../../../control-plane/ledger/report.ts';
import { createReportBatches, eventsMax, type ReportWork } from '../../../control-plane/ledger/report-batches.ts';
import { CallError } from '../../../control-plane/rpc/errors.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { usageEvent } from '../../support/usage-events.ts';

describeStores('reports that come together', (given) => {
  let fixture: LedgerFixture;
  let budgetId: string;
  let transactions: number;
  let report: (events: readonly ReportedEvent[], accept?: ReportWork['accept']) => Promise<Reported>;

  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    budgetId = await fixture.budget({ amount: 1_000_000 });
    await createUsageDays({ store: given.store, clock: systemClock }).ensureDays([usageEvent().day]);
    transactions = 0;
    const store: Pick<Store, 'ledger'> = {
      ledger: (work) => {
        transactions++;
        return given.store.ledger(work);
      },
    };
    const batches = createReportBatches(store);
    report = async (events, accept = () => undefined) =>
      (await batches.run({ events, accept, boundTo: undefined })).response;
  });

  const events = (count: number, fields: Parameters<typeof usageEvent>[0] = {}) =>
    Array.from({ length: count }, () => ({ row: usageEvent({ cost: 1, ...fields }), charges: [] }));
  /** Two reports that run while others arrive. */
  const twoAlone = () => [report(events(1)), report(events(1))];

  it('share transactions, and each response counts its own events', async () => {
    const sizes = Array.from({ length: 30 }, (_, nth) => nth);
    const all = await Promise.all([...twoAlone(), ...sizes.map((size) => report(events(size)))]);
    expect(all.slice(2).map(({ recorded }) => recorded)).toEqual(sizes);
    expect(transactions).toBe(3);
    expect(await fixture.ledger(budgetId)).toEqual({ spent: 2 + (29 * 30) / 2, leased: 0, unconfirmed: 0 });
  });

  it('record an event of two reports once, and drop events of unknown organizations', async () => {
    const shared = events(3);
    const foreign = events(2, { organization_id: 'organization-none' });
    const [, , first, second] = await Promise.all([
      ...twoAlone(),
      report([...shared, ...foreign]),
      report([...structuredClone(shared), ...events(1)]),
    ]);
    expect(first).toEqual({ recorded: 3, duplicate: 0, unknown: 2, over: 0 });
    expect(second).toEqual({ recorded: 1, duplicate: 3, unknown: 0, over: 0 });
    expect((await fixture.ledger(budgetId))?.spent).toBe(6);
  });

  it('are refused one by one', async () => {
    const refuse = () => {
      throw new CallError('invalid_request', 'not of this time');
    };
    const [, , refused, recorded] = await Promise.allSettled([
      ...twoAlone(),
      report(events(2), refuse),
      report(events(3)),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { reason: 'invalid_request' } });
    expect(recorded).toMatchObject({ status: 'fulfilled', value: { recorded: 3 } });
    expect((await fixture.ledger(budgetId))?.spent).toBe(5);
  });

  it('are split at the largest number of events of one report', async () => {
    const full = await Promise.all([
      ...twoAlone(),
      report(events(eventsMax)),
      report(events(eventsMax - 1)),
      report(events(1)),
    ]);
    expect(full.map(({ recorded }) => recorded)).toEqual([1, 1, eventsMax, eventsMax - 1, 1]);
    expect(transactions).toBe(4);
  });
});
