// Imported bills: corrected by their vendor, refused for invalid content, mapped again, and reported to webhooks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { BillFixture, project } from '../../support/bills/fixture.ts';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import { createPerson, createTenant, type JsonResponse, refusal } from '../../support/operators.ts';
import { until } from '../../support/process.ts';

/** Days that are final at the vendor; each test uses its own. */
const ago = (days: number) => dayOf(Date.now() - days * dayMs);

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('a bill over %s', (_name, fresh) => {
  let fixture: BillFixture;

  beforeAll(async () => {
    fixture = await BillFixture.open(fresh);
  });
  afterAll(() => fixture.close());

  it('that its vendor corrects reopens a settled day, by the change', async () => {
    const day = ago(6);
    await fixture.record(day, '10');
    await fixture.bill(day, [{ usd: '12' }]);
    const { id } = await fixture.driftOf(day);
    await fixture.expect('Settle', { id, reason: 'as billed' });
    expect(await fixture.drift(day)).toEqual([]);
    const corrected = await fixture.bill(day, [{ usd: '11.5' }]);
    expect(corrected.days).toMatchObject([{ day, rows: 1, costUsd: '11.5', replaced: true, unchanged: false }]);
    expect(await fixture.driftOf(day)).toMatchObject({
      ...{ id, billedUsd: '11.5', ledgerUsd: '10', adjustedUsd: '2', driftUsd: '-0.5' },
      state: 'DRIFT_STATE_UNEXPLAINED',
    });
    await fixture.bill(day, [{ usd: '12' }]);
    expect(await fixture.drift(day)).toEqual([]);
  });

  it('is not compared with what cached responses were charged', async () => {
    const day = ago(9);
    await fixture.record(day, '4');
    await fixture.record(day, '1', { attempts: 0, provider_key_id: null, prompt_tokens: 0, completion_tokens: 0 });
    await fixture.bill(day, [{ usd: '4' }]);
    expect(await fixture.drift(day)).toEqual([]);
    expect(await fixture.total(day)).toMatchObject({ costUsd: '5', requests: '2' });
  });

  it('is compared with the keys to which its references are mapped now', async () => {
    const day = ago(7);
    await fixture.record(day, '4');
    await fixture.bill(day, [{ usd: '4', project: 'proj_new' }]);
    const before = await fixture.drift(day);
    expect(before.map(({ codes }) => codes.join()).toSorted()).toEqual([
      'DRIFT_REASON_CODE_NOT_BILLED',
      'DRIFT_REASON_CODE_UNMAPPED',
    ]);
    const reference = { kind: 'BILL_REFERENCE_KIND_PROJECT', value: 'proj_new' };
    const mapping = { vendor: 'BILL_VENDOR_OPENAI', reference };
    await fixture.expect('SetMapping', { ...mapping, providerKeyIds: [fixture.providerKeyId] });
    expect(await fixture.drift(day)).toEqual([]);
    await fixture.expect('SetMapping', { ...mapping, ignored: true });
    expect((await fixture.drift(day)).map(({ codes }) => codes)).toEqual([['DRIFT_REASON_CODE_NOT_BILLED']]);
    await fixture.expect('DeleteMapping', mapping);
  });

  it('is mapped to keys of its organization only, and to one target', async () => {
    const other = await createTenant(fixture.plane, fixture.platform, `other-${Date.now()}`);
    const foreign = await fixture.plane.expect('ProviderKeys.Create', other.owner.token, {
      ...{ organizationId: other.id, provider: 'gpt-provider', name: 'theirs' },
      secret: { apiKey: 'made-up-secret' },
    });
    const reference = { kind: 'BILL_REFERENCE_KIND_PROJECT', value: project };
    const mapping = { vendor: 'BILL_VENDOR_OPENAI', reference };
    const refused = async (fields: object) =>
      Object.keys((await refusal(fixture.call('SetMapping', { ...mapping, ...fields }))).violations);
    expect(await refused({ providerKeyIds: [foreign.id] })).toEqual(['provider_key_ids[0]']);
    expect(await refused({})).toEqual(['provider_key_ids']);
    expect(await refused({ providerKeyIds: [fixture.providerKeyId], ignored: true })).toEqual(['provider_key_ids']);
    expect(await refused({ model: 'gpt-provider/gpt-4o' })).toEqual(['model']);
  });

  const row = (fields: object = {}) => ({
    references: [{ kind: 'BILL_REFERENCE_KIND_PROJECT', value: project }],
    ...{ model: 'gpt-4o', kind: 'BILL_ROW_KIND_USAGE', costUsd: '1', ...fields },
  });
  const day = ago(8);
  const reference = (value: string, kind = 'PROJECT') => ({
    references: [{ kind: `BILL_REFERENCE_KIND_${kind}`, value }],
  });
  const million = { costUsd: '9000000' };

  it.each<[what: string, days: object[], field: string]>([
    ['a day twice', [{ day }, { day }], 'days'],
    ['no days', [], 'days'],
    ['more rows than fit', [{ day, rows: Array.from({ length: 5001 }, () => row()) }], 'days'],
    ['a day in the future', [{ day: ago(-2), rows: [row()] }], 'days[0].day'],
    ['a day before the kept usage', [{ day: '2019-01-01', rows: [row()] }], 'days[0].day'],
    ['an invalid day', [{ day: '2026-02-30', rows: [row()] }], 'days[0].day'],
    ['ten decimals', [{ day, rows: [row({ costUsd: '0.0000000001' })] }], 'days[0].rows[0].cost_usd'],
    ['a float', [{ day, rows: [row({ costUsd: '1e-3' })] }], 'days[0].rows[0].cost_usd'],
    ['a cost above the maximum', [{ day, rows: [row({ costUsd: '9000000.1' })] }], 'days[0].rows[0].cost_usd'],
    ['costs whose sum is above the maximum', [{ day, rows: [row(million), row(million)] }], 'days[0].rows'],
    [
      'costs whose amounts without signs add up to more than the maximum',
      [{ day, rows: [row(million), row({ costUsd: '-9000000' })] }],
      'days[0].rows',
    ],
    [
      'tokens above the maximum',
      [{ day, rows: [row({ tokens: { prompt: '100000000000001' } })] }],
      'days[0].rows[0].tokens',
    ],
    ['a control character', [{ day, rows: [row(reference('a\u0007b'))] }], 'days[0].rows[0].references[0].value'],
    [
      'a reference that is too long',
      [{ day, rows: [row(reference('x'.repeat(513)))] }],
      'days[0].rows[0].references[0].value',
    ],
    ['a model as a reference', [{ day, rows: [row(reference('gpt-4o', 'MODEL'))] }], 'days[0].rows[0].references'],
    ['an unspecified kind', [{ day, rows: [row({ kind: 'BILL_ROW_KIND_UNSPECIFIED' })] }], 'days[0].rows[0].kind'],
  ])('is refused for %s, and nothing of it is stored', async (_what, days, field) => {
    const request = { document: 'BILL_DOCUMENT_OPENAI_COSTS', account: 'refused', days };
    expect(Object.keys((await refusal(fixture.call('ImportBill', request))).violations)).toEqual([field]);
    const { days: kept } = await fixture.expect('ListBillDays', { pageSize: 500 });
    expect(kept.filter(({ account }: JsonResponse) => account === 'refused')).toEqual([]);
  });

  it('may replace any number of rows, and adds only as many as fit', async () => {
    const full = ago(13);
    const rows = (count: number) => Array.from({ length: count }, () => ({ usd: '0' }));
    await fixture.store.ledger(async ({ db }) => {
      await db
        .insertInto('bill_days')
        .values({
          ...{
            organization_id: fixture.acme.id,
            vendor: 'other',
            day: full,
            document: 'other',
            account: 'full',
          },
          ...{ import_id: 'i', imported_at: 0, imported_by: fixture.acme.owner.id, rows: 499_990, final: 1 },
          ...{ cost: null, digest: 'd' },
        })
        .execute();
    });
    const { days } = await fixture.expect('ListBillDays', { pageSize: 500 });
    const room = 500_000 - days.reduce((all: number, day: JsonResponse) => all + day.rows, 0);
    await fixture.bill(full, rows(room));
    const again = await fixture.bill(full, [...rows(room - 1), { usd: '1' }]);
    expect(again.days).toMatchObject([{ rows: room, replaced: true, unchanged: false }]);
    const costs = { document: 'BILL_DOCUMENT_OPENAI_COSTS', days: [{ day: full, rows: [] as object[] }] };
    costs.days[0]?.rows.push(...Array.from({ length: room + 1 }, () => row({ costUsd: '0' })));
    const { reason } = await refusal(fixture.call('ImportBill', costs));
    expect(reason).toBe('too_many_bill_rows');
    for (const location of [{ document: 'BILL_DOCUMENT_OTHER', account: 'full' }, { document: costs.document }])
      await fixture.expect('DeleteBill', { ...location, from: full, to: full });
  });

  it('of many days is one import: each day and its rows are replaced, and no others', async () => {
    const document = 'BILL_DOCUMENT_ANTHROPIC_COSTS';
    const days = Array.from({ length: 40 }, (_, n) => ago(14 + n));
    const costs = (usd: string) =>
      days.map((one) => ({ day: one, rows: [row({ costUsd: usd }), row({ costUsd: '0.001' })] }));
    const location = { document, account: 'many' };
    await fixture.expect('ImportBill', { ...location, days: costs('0.002') });
    await fixture.expect('ImportBill', { document, account: 'twin', days: costs('0.002').slice(0, 2) });
    const [first, ...others] = costs('0.002');
    const changed = { ...first, rows: [row({ costUsd: '0.004' })] };
    const { days: replaced } = await fixture.expect('ImportBill', {
      ...location,
      days: [changed, ...others],
    });
    const [newest, next, ...older] = replaced.toReversed();
    expect(newest).toMatchObject({ rows: 1, costUsd: '0.004', replaced: true, unchanged: false });
    expect(next).toMatchObject({ rows: 2, replaced: true, unchanged: true, sameAsAccount: 'twin' });
    expect(older.every((one: JsonResponse) => one.unchanged && one.sameAsAccount === undefined)).toBe(true);
    const stored = await fixture.store.snapshot((db) =>
      db
        .selectFrom('bill_rows')
        .select(({ fn }) => ['account', fn.countAll<number>().as('count')])
        .where('document', '=', 'anthropic_costs')
        .groupBy('account')
        .orderBy('account')
        .execute(),
    );
    expect(stored.map(({ account, count }) => [account, Number(count)])).toEqual([
      ['many', 79],
      ['twin', 4],
    ]);
    const compared = await fixture.expect('ListDays', {
      ...{ vendor: 'BILL_VENDOR_ANTHROPIC', pageSize: 500 },
    });
    expect(compared.days.map((one: JsonResponse) => one.day)).toEqual(days);
    for (const account of ['many', 'twin'])
      await fixture.expect('DeleteBill', { document, account, from: ago(200), to: ago(0) });
  });

  it('and everything about it is for owners and admins only', async () => {
    const member = await createPerson(fixture.plane, fixture.acme, 'ROLE_MEMBER');
    for (const method of ['ListDrift', 'ListBillDays', 'ListMappings', 'ListAdjustments', 'GetSettings']) {
      const { code } = await refusal(fixture.call(method, {}, member.token));
      expect([method, code]).toEqual([method, 'PERMISSION_DENIED']);
    }
  });

  it('that differs is reported to webhooks once, and again when the difference changes', async () => {
    const { id: organizationId, owner } = fixture.acme;
    const { webhook } = await fixture.plane.expect('Webhooks.Create', owner.token, {
      ...{ organizationId, name: 'bills', url: 'https://hooks.invalid/bills' },
    });
    const reportedOf = async (about: string): Promise<number> => {
      const rows = await fixture.store.snapshot((db) =>
        db.selectFrom('webhook_deliveries').select('payload').where('type', '=', 'reconcile.drift').execute(),
      );
      const reported = rows.map(({ payload }) => JSON.parse(payload).data);
      return reported.filter((data) => data.day === about).length;
    };
    const reported = (count: number) =>
      until(async () => (await reportedOf(about)) >= count, { what: 'a delivery', timeoutMs: 60_000 });
    const about = ago(9);
    await fixture.bill(about, [{ usd: '3' }]);
    await fixture.quiet();
    await reported(1);
    // A cent more counts as the same difference.
    await fixture.bill(about, [{ usd: '3.005' }]);
    await fixture.compared();
    await fixture.bill(about, [{ usd: '8' }]);
    await fixture.quiet();
    await reported(2);
    expect(await reportedOf(about)).toBe(2);
    await fixture.plane.expect('Webhooks.Delete', owner.token, { id: webhook.id });
  });

  it('is reported without waiting for an organization that imports all the time', async () => {
    const about = ago(11);
    const busy = '00000000-0000-7000-8000-000000000000';
    const never = Date.now() + 10 * dayMs;
    // More days than one run reports, of an organization that comes first and imports all the time.
    const days = Array.from({ length: 30 }, (_, n) => ago(20 + n));
    await fixture.store.ledger(async ({ db }) => {
      const template = { vendor: 'aws' as const, model: 'm', name: 'm', kind: 'usage' as const };
      for (const day of days)
        await db
          .insertInto('reconcile_rows')
          .values({
            ...{ organization_id: busy, id: day, day, ...template, provider_key_ids: '[]', refs: '[]' },
            ...{ billed: 1, ledger: 0, drift: 1, adjusted: 0, billed_tokens: null, ledger_tokens: '{}' },
            ...{ billed_requests: null, ledger_requests: 0, reasons: '[]', unexplained: 1 },
            ...{ state: 'unexplained', first_seen_at: 1, compared_at: 1, told_drift: null },
          })
          .execute();
      await db
        .insertInto('reconcile_days')
        .values({
          ...{ organization_id: busy, vendor: 'aws', day: about, version: 1, compared_version: 1 },
          ...{ due_at: null, compared_at: never, preliminary: 0, compared: 0, agreed: 0, billed: null },
          ...{ ledger: 0, adjusted: 0, ignored: 0, drift: 0, unexplained: 0 },
        })
        .execute();
    });
    await fixture.bill(about, [{ usd: '3' }]);
    await fixture.quiet();
    const isReported = async () => {
      const rows = await fixture.store.snapshot((db) =>
        db.selectFrom('reconcile_rows').select('told_drift').where('day', '=', about).execute(),
      );
      return rows.some(({ told_drift }) => told_drift !== null);
    };
    await until(isReported, { what: 'the other organization to be notified', timeoutMs: 60_000 });
  });

  it('is compared with the threshold that the organization has set', async () => {
    const about = ago(10);
    await fixture.record(about, '100');
    await fixture.bill(about, [{ usd: '100.9' }]);
    expect(await fixture.drift(about)).toEqual([]);
    await fixture.expect('UpdateSettings', { boundPercent: '0.5', boundUsd: '0.5' });
    expect(await fixture.driftOf(about)).toMatchObject({ driftUsd: '0.9' });
    await fixture.expect('UpdateSettings', { boundUsd: '1' });
    expect(await fixture.drift(about)).toEqual([]);
    await fixture.expect('UpdateSettings', { boundPercent: '1', boundUsd: '0.01' });
  });
});
