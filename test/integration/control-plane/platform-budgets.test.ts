// The platform's budgets through the real server and in its ledger: platform operators alone set and see them, and they
// count what all organizations spend.
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { windowOf } from '../../../common/budget-window.ts';
import { readPlatform } from '../../../control-plane/services/stop-rows.ts';
import { describeBudgets, limitSubject, testBudget } from '../../support/budget-fixture.ts';
import { freshSqlite } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { violated } from '../../support/operators.ts';
import { change, insertLimit, insertOrganization } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';
import { anyProxy } from '../../support/watching.ts';

const dollar = 1_000_000_000;
const ofPlatform = 'LIMIT_SUBJECT_KIND_PLATFORM';

describeBudgets('the platform’s budgets', (fixture) => {
  const asPlatform = (method: string, request: object) => fixture.plane.expect(method, fixture.platform.token, request);
  const create = (fields: object = {}) =>
    fixture.plane.call('Limits.Create', fixture.platform.token, { ...testBudget, ...fields });

  it('are set and seen by platform operators alone', async () => {
    const budget = await asPlatform('Limits.Create', { ...testBudget, amountUsd: '500' });
    expect(budget).toMatchObject({ organizationId: '', subject: { kind: ofPlatform, id: '' }, amountUsd: '500' });
    const { id } = budget;
    expect(await asPlatform('Limits.List', {})).toMatchObject({ limits: [{ id }] });
    expect(await asPlatform('Limits.Get', { id })).toMatchObject({ id });
    await asPlatform('Limits.Update', { id, amountUsd: '400', thresholds: { percents: [90] } });
    expect(await asPlatform('Limits.Raise', { id, amountUsd: '10' })).toMatchObject({ raises: [{ amountUsd: '10' }] });
    expect((await asPlatform('Budgets.ListWindows', { forecast: true })).windows).toMatchObject([
      { limitId: id, amountUsd: '410', limitName: 'budget of $400 a day of the platform' },
    ]);
    const { limits = [] } = await fixture.store.snapshot((db) => readPlatform(db, Date.now()));
    expect(limits).toMatchObject([{ id, amountUsd: '400' }]);
    for (const { owner } of [fixture.acme, fixture.other]) {
      const call = (method: string, request: object) => fixture.plane.call(method, owner.token, request);
      for (const [method, request] of [
        ['Limits.Get', { id }],
        ['Limits.Update', { id, amountUsd: '1' }],
        ['Limits.Raise', { id, amountUsd: '1' }],
        ['Limits.Delete', { id }],
        ['Budgets.Reset', { limitId: id, reason: 'mine' }],
      ] as const)
        expect(await call(method, request), method).toMatchObject({ code: 'NOT_FOUND' });
      for (const method of ['Limits.List', 'Limits.Create', 'Budgets.ListWindows', 'Budgets.ListUnsettled'])
        expect(await call(method, { ...testBudget }), method).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    const listed = await fixture.as(fixture.acme, 'Limits.List', { organizationId: fixture.acme.id });
    expect(listed.limits).toEqual([]);
    await asPlatform('Limits.Delete', { id });
    expect(await asPlatform('Limits.List', {})).toMatchObject({ limits: [] });
    const trail = (await asPlatform('Audit.List', { targetId: id })).events;
    expect(trail.map(({ action }: { action: string }) => action)).toEqual([
      ...['Limits.Delete', 'Limits.Raise', 'Limits.Update', 'Limits.Create'],
    ]);
  });

  it('are budgets of the platform itself, and of no organization', async () => {
    const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '5', amountUsd: undefined, period: undefined };
    expect(await violated(create(rate))).toEqual(['kind']);
    expect(await violated(create({ each: 'key', tag: { name: 'user', value: 'ann' } }))).toEqual(['tag', 'each']);
    expect(await violated(create({ model: 'shadow/fast' }))).toEqual(['model']);
    const others = limitSubject('ORGANIZATION', fixture.acme.id);
    expect(await violated(create({ subject: others }))).toEqual(['subject.kind']);
    const asTenant = fixture.ask(fixture.acme, { subject: { kind: ofPlatform, id: fixture.acme.id } });
    expect(await violated(asTenant)).toEqual(['subject.kind']);
    const inTenant = fixture.plane.call('Limits.Create', fixture.platform.token, {
      ...{ ...testBudget, organizationId: fixture.acme.id, subject: others },
    });
    expect(await inTenant).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('count what all organizations spend, copies too, and grant no more than their amount', async () => {
    const { id } = await asPlatform('Limits.Create', testBudget);
    const soft = await asPlatform('Limits.Create', { ...testBudget, soft: true, model: 'gpt-provider/*' });
    const ledger = new LedgerFixture(fixture.store);
    const at = Date.now() + 1_000;
    const window = windowOf('day', at);
    const lease = { budgetId: id, window, seq: 1, need: 2 * dollar, want: 2 * dollar };
    const bound = { ...anyProxy, organizationId: fixture.acme.id };
    const sessions = [await ledger.session(), await ledger.session(bound)];
    expect(await ledger.acquire({ ...lease, session: sessions[0] ?? '' })).toMatchObject({ outcome: 'granted' });
    expect(await ledger.acquire({ ...lease, session: sessions[1] ?? '' }, bound)).toMatchObject({ outcome: 'granted' });
    const event = (organizationId: string, fields: object = {}) =>
      usageEvent({ at, organization_id: organizationId, session_id: '', cost: dollar, ...fields });
    const charges = [{ budgetId: id, window, escrow: dollar }];
    await ledger.report([
      { row: event(fixture.acme.id, { session_id: sessions[0] }), charges },
      { row: event(fixture.other.id, { shadow: 1, model_asked: 'assistant-provider/x' }) },
      { row: event(fixture.other.id, { direct_key: 1 }) },
    ]);
    expect((await asPlatform('Budgets.ListWindows', {})).windows).toMatchObject([
      { limitId: soft.id, spentUsd: '2' },
      { limitId: id, spentUsd: '3', leasedUsd: '3', freeUsd: '-1' },
    ]);
    const more = { ...lease, session: sessions[0] ?? '', seq: 2, need: dollar, want: dollar };
    expect(await ledger.acquire(more)).toMatchObject({ outcome: 'busy', reclaimOf: expect.any(String) });
    await asPlatform('Budgets.Reset', { limitId: id, reason: 'a new contract' });
    await ledger.closeSession(sessions[0] ?? '');
    expect((await asPlatform('Budgets.ListWindows', { limitId: id })).windows).toMatchObject([
      { spentUsd: '0', leasedUsd: '2' },
    ]);
    for (const limit of [id, soft.id]) await asPlatform('Limits.Delete', { id: limit });
  });
});

it('the upgrade of a SQLite file keeps its limits and their indexes', async () => {
  const database = await freshSqlite();
  const store = await database.open();
  await change(store, async (tx) => void (await insertOrganization(tx)));
  await change(store, async (tx) => void (await insertLimit(tx)));
  await store.close();
  const file = new DatabaseSync(database.url.replace('sqlite:', ''));
  const schema = () =>
    file
      .prepare("select name, sql from sqlite_master where tbl_name = 'limits' and sql is not null order by name")
      .all()
      .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
  const before = schema();
  // As the step before made it.
  const table = before.find(({ name }) => name === 'limits')?.sql ?? '';
  const owned = '"organization_id" text not null';
  file.exec(table.replace(owned, `${owned} references "organizations" ("id")`).replace('"limits"', '"former"'));
  file.exec('insert into former select * from limits; drop table limits; alter table former rename to limits');
  for (const { name, sql } of before) if (name !== 'limits') file.exec(sql);
  const rows = file.prepare('select * from limits').all();
  file.exec("delete from kysely_migration where name = '046_platform_limits'");
  expect(schema().find(({ name }) => name === 'limits')?.sql).toContain('references');
  await (await database.open()).close();
  expect(schema()).toEqual(before);
  expect(file.prepare('select * from limits').all()).toEqual(rows);
  expect(rows).toHaveLength(1);
  file.close();
  await database.drop();
});
