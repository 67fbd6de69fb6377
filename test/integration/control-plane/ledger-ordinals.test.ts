// Events with an ordinal of their session: each is recorded once, by its ordinal as well as by its day and id.
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetOrdinals } from '../../../control-plane/ledger/ordinals.ts';
import { describeStores } from '../../support/databases.ts';
import { type ChargedEvent, LedgerFixture } from '../../support/ledger.ts';
import { usageEvent } from '../../support/usage-events.ts';
import { boundProxy } from '../../support/watching.ts';

describeStores('numbered events', (given) => {
  let fixture: LedgerFixture;
  let budgetId: string;
  let session: string;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    await fixture.organization('organization-2');
    budgetId = await fixture.budget({ amount: 1000 });
    session = await fixture.session();
  });

  const numbered = (ordinal: number, fields: Parameters<typeof usageEvent>[0] = {}): ChargedEvent => ({
    row: usageEvent({ session_id: session, cost: 10, ...fields }),
    ordinal,
  });
  const spent = async () => (await fixture.ledger(budgetId))?.spent;
  const ranges = () =>
    given.store.snapshot(async (db) => {
      const rows = await db.selectFrom('booked_ordinals').selectAll().execute();
      return rows.map((row) => [row.session_id, JSON.parse(row.ranges)]);
    });

  it('are stored as ranges of their session', async () => {
    await fixture.report([numbered(1), numbered(2), numbered(4)]);
    expect(await ranges()).toEqual([
      [
        session,
        [
          [1, 2],
          [4, 4],
        ],
      ],
    ]);
    await fixture.report([numbered(3)]);
    expect(await ranges()).toEqual([[session, [[1, 4]]]]);
  });

  it('count once, however reports are grouped', async () => {
    const events = Array.from({ length: 20 }, (_, index) => numbered(index + 1));
    await fixture.report(events.slice(0, 12));
    expect(await fixture.report(events.slice(5))).toMatchObject({ recorded: 8, duplicate: 7 });
    expect(await fixture.report(events)).toMatchObject({ recorded: 0, duplicate: 20 });
    expect(await fixture.report([...events, ...events])).toMatchObject({ recorded: 0, duplicate: 40 });
    expect(await spent()).toBe(200);
  });

  it('count once within one report', async () => {
    const event = numbered(1);
    expect(await fixture.report([event, event])).toMatchObject({ recorded: 1, duplicate: 1 });
    expect(await spent()).toBe(10);
  });

  it('count once even when their rows are deleted', async () => {
    const event = numbered(1);
    await fixture.report([event]);
    await given.database.raw('delete from usage_events');
    expect(await fixture.report([event])).toMatchObject({ recorded: 0, duplicate: 1 });
    expect(await spent()).toBe(10);
  });

  it('count once by day and id when their session is forgotten', async () => {
    const event = numbered(1);
    await fixture.report([event]);
    await given.store.ledger(({ db, now }) => forgetOrdinals(db, now + 1));
    expect(await ranges()).toEqual([]);
    expect(await fixture.report([event])).toMatchObject({ recorded: 0, duplicate: 1 });
    expect(await ranges()).toEqual([[session, [[1, 1]]]]);
  });

  it('count per session: the same ordinal of another session counts again', async () => {
    await fixture.report([numbered(1)]);
    const other = await fixture.session();
    expect(await fixture.report([numbered(1, { session_id: other })])).toMatchObject({ recorded: 1 });
  });

  it('of a session that is unknown to the ledger count too', async () => {
    const event = numbered(7, { session_id: '00000000-0000-7000-8000-000000000001' });
    expect(await fixture.report([event])).toMatchObject({ recorded: 1 });
    expect(await fixture.report([event])).toMatchObject({ duplicate: 1 });
  });

  describe('by a proxy that is bound to one organization', () => {
    it('are accepted for its own sessions', async () => {
      session = await fixture.session(boundProxy);
      await fixture.report([numbered(1)], 'organization-1');
      expect(await ranges()).toEqual([[session, [[1, 1]]]]);
    });

    it('are ignored for sessions of others, whose events would otherwise be skipped', async () => {
      await fixture.report([numbered(1), numbered(2)], 'organization-1');
      expect(await ranges()).toEqual([]);
      const event = numbered(1, { organization_id: 'organization-2' });
      expect(await fixture.report([event])).toMatchObject({ recorded: 1 });
    });
  });

  it('that lack an ordinal are recorded by day and id alone', async () => {
    const { row } = numbered(1);
    expect(await fixture.report([{ row }])).toMatchObject({ recorded: 1 });
    expect(await fixture.report([{ row }])).toMatchObject({ duplicate: 1 });
    expect(await ranges()).toEqual([]);
  });
});
