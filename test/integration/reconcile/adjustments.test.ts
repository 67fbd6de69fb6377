// Settling a difference between bill and ledger, over both databases: a recorded adjustment counts wherever that day's
// usage does, an accepted one counts nowhere, a counter entry undoes either, and a missing or changed difference cannot
// be settled.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf, windowOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { BillFixture } from '../../support/bills/fixture.ts';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { createKey, createPerson, createTenant, type JsonResponse, refusal } from '../../support/operators.ts';
import { usageEvent } from '../../support/usage-events.ts';

/** Days that are final at the vendor; each test uses its own. */
const ago = (days: number) => dayOf(Date.now() - days * dayMs);

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('an adjustment over %s', (_name, fresh) => {
  let fixture: BillFixture;

  beforeAll(async () => {
    fixture = await BillFixture.open(fresh);
  });
  afterAll(() => fixture.close());

  const settle = (drift: JsonResponse, more: object = {}): Promise<JsonResponse> =>
    fixture.expect('Settle', { id: drift.id, reason: 'as billed', ...more });
  const refused = (drift: JsonResponse, more: object = {}) =>
    refusal(fixture.call('Settle', { id: drift.id, reason: 'as billed', ...more }));

  /** Makes ledger and bill of a day differ. @returns the difference */
  async function apart(day: string, ledger: string, billed: string): Promise<JsonResponse> {
    if (ledger !== '0') await fixture.record(day, ledger);
    await fixture.bill(day, [{ usd: billed }]);
    return await fixture.driftOf(day);
  }

  it('is part of totals, of the export and of the budget windows of its day, also of past ones', async () => {
    const day = ago(6);
    const [ofDay, ofMonth, inAll] = [
      await fixture.budget(),
      await fixture.budget({ period: 'BUDGET_PERIOD_MONTH' }),
      await fixture.budget({ period: 'BUDGET_PERIOD_TOTAL' }),
    ];
    const ofModel = await fixture.budget({ model: 'gpt-provider/gpt-4o' });
    const ofOther = await fixture.budget({ model: 'assistant-provider/*' });
    const drift = await apart(day, '10', '14.5');
    expect(drift).toMatchObject({ billedUsd: '14.5', ledgerUsd: '10', driftUsd: '4.5', adjustedUsd: '0' });
    const made = await settle(drift, { ifDriftUsd: '4.5' });
    const month = windowOf('month', Date.parse(day));
    const windows = [
      { limitId: ofDay, window: day },
      { limitId: ofModel, window: day },
      { limitId: ofMonth, window: month },
    ];
    expect(made).toMatchObject({
      ...{ driftId: drift.id, day, amountUsd: '4.5', booked: true, reason: 'as billed' },
      ...{
        authorId: fixture.acme.owner.id,
        providerKeyId: fixture.providerKeyId,
        model: 'gpt-provider/gpt-4o',
      },
      subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: fixture.acme.id },
    });
    expect(made.windows.toSorted(byLimit)).toEqual(windows.toSorted(byLimit));
    expect((await fixture.spent(ofDay))[day]).toBe('14.5');
    expect((await fixture.spent(ofModel))[day]).toBe('14.5');
    expect((await fixture.spent(ofMonth))[month]).toBe('14.5');
    expect(await fixture.spent(ofOther)).toEqual({});
    expect(await fixture.spent(inAll)).toEqual({});
    expect(await fixture.total(day)).toMatchObject({ costUsd: '14.5', requests: '1' });
    const model = { model: 'gpt-provider/gpt-4o' };
    expect(await fixture.total(day, model)).toMatchObject({ costUsd: '14.5' });
    const [entry, request] = await fixture.exported(day);
    expect(entry).toEqual({
      ...{ at: `${day}T00:00:00.000Z`, id: made.id, provider: 'gpt-provider', kind: 'adjustment' },
      ...{ modelAsked: 'gpt-provider/gpt-4o', costUsd: '4.5', providerKeyId: fixture.providerKeyId },
      ...{ authorId: fixture.acme.owner.id, reason: 'as billed' },
      ...{ authorName: expect.any(String), providerKeyName: 'main' },
    });
    expect(request).toMatchObject({ kind: 'request', costUsd: '10', providerKeyId: fixture.providerKeyId });
    expect(await fixture.drift(day)).toEqual([]);
    const [settled] = await fixture.drift(day, { states: ['DRIFT_STATE_SETTLED'] });
    expect(settled).toMatchObject({ id: drift.id, driftUsd: '0', adjustedUsd: '4.5', unexplainedUsd: '0' });
    const { days } = await fixture.expect('ListDays');
    expect(days.find((one: JsonResponse) => one.day === day)).toMatchObject({
      ...{ compared: 1, agreed: 1, billedUsd: '14.5', ledgerUsd: '10', adjustedUsd: '4.5', driftUsd: '0' },
    });
    // Late reports add to it.
    await report(fixture, [day]);
    expect((await fixture.spent(ofDay))[day]).toBe('15.5');
  });

  it('below zero deducts an excess', async () => {
    const day = ago(7);
    const budget = await fixture.budget();
    const drift = await apart(day, '10', '6');
    const made = await settle(drift);
    expect(made).toMatchObject({ amountUsd: '-4', booked: true });
    expect((await fixture.spent(budget))[day]).toBe('6');
    expect(await fixture.total(day)).toMatchObject({ costUsd: '6' });
  });

  it('may be of an AI system, a person or a key, and is then in their totals and budgets too', async () => {
    const day = ago(8);
    const { id, owner } = fixture.acme;
    const system = await fixture.plane.expect('AiSystems.Create', owner.token, {
      organizationId: id,
      name: 'bot',
    });
    const person = await createPerson(fixture.plane, fixture.acme, 'ROLE_MEMBER');
    const key = await createKey(fixture.plane, fixture.acme, {
      scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id },
    });
    const subjects = {
      system: { kind: 'LIMIT_SUBJECT_KIND_AI_SYSTEM', id: system.id },
      person: { kind: 'LIMIT_SUBJECT_KIND_PERSON', id: person.id },
      key: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.virtualKey.id },
    };
    const budgets = {
      system: await fixture.budget({ subject: subjects.system }),
      person: await fixture.budget({ subject: subjects.person }),
      key: await fixture.budget({ subject: subjects.key }),
    };
    const drift = await apart(day, '0', '7');
    await settle(drift, { amountUsd: '1', subject: subjects.system });
    await settle(drift, { amountUsd: '2', subject: subjects.person });
    // The key belongs to the system.
    await settle(drift, { amountUsd: '4', subject: subjects.key, ifDriftUsd: '4' });
    expect((await fixture.spent(budgets.system))[day]).toBe('5');
    expect((await fixture.spent(budgets.person))[day]).toBe('2');
    expect((await fixture.spent(budgets.key))[day]).toBe('4');
    expect(await fixture.total(day, { aiSystemId: system.id })).toMatchObject({ costUsd: '5' });
    expect(await fixture.total(day, { keyId: key.virtualKey.id })).toMatchObject({ costUsd: '4' });
    expect(await fixture.total(day)).toMatchObject({ costUsd: '7' });
    expect(await fixture.drift(day)).toEqual([]);
  });

  it('that only accepts records nothing', async () => {
    const day = ago(9);
    const budget = await fixture.budget();
    const drift = await apart(day, '3', '5');
    const made = await settle(drift, { accept: true, reason: 'credit of last week' });
    expect(made).toMatchObject({ amountUsd: '2', booked: false, windows: [] });
    expect(await fixture.spent(budget)).toEqual({});
    expect(await fixture.total(day)).toMatchObject({ costUsd: '3' });
    expect(await fixture.exported(day)).toHaveLength(1);
    expect(await fixture.drift(day)).toEqual([]);
  });

  it.each([
    ['booked', false],
    ['accepted', true],
  ])('that is %s is undone once, by a separate entry', async (_how, accept) => {
    const day = ago(accept ? 10 : 11);
    const budget = await fixture.budget();
    const drift = await apart(day, '3', '5');
    const made = await settle(drift, { accept });
    const undone = await fixture.expect('Undo', { id: made.id, reason: 'wrong day' });
    expect(undone).toMatchObject({
      undoes: made.id,
      amountUsd: '-2',
      booked: !accept,
      reason: 'wrong day',
    });
    expect(await fixture.total(day)).toMatchObject({ costUsd: '3' });
    if (!accept) expect((await fixture.spent(budget))[day]).toBe('3');
    expect(await fixture.driftOf(day)).toMatchObject({ id: drift.id, driftUsd: '2', adjustedUsd: '0' });
    for (const id of [made.id, undone.id]) {
      const again = await refusal(fixture.call('Undo', { id, reason: 'again' }));
      expect(again).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'adjustment_undone' });
    }
    const { adjustments } = await fixture.expect('ListAdjustments');
    const [newest, before] = adjustments;
    expect(newest).toEqual(undone);
    expect(before).toMatchObject({ ...made, undoneBy: undone.id });
    // The difference can be settled again.
    await settle(await fixture.driftOf(day));
    expect(await fixture.drift(day)).toEqual([]);
  });

  it('of a part leaves the rest', async () => {
    const day = ago(12);
    const drift = await apart(day, '3', '5');
    await settle(drift, { amountUsd: '0.5' });
    expect(await fixture.driftOf(day)).toMatchObject({ driftUsd: '1.5', adjustedUsd: '0.5' });
  });

  it('is refused when the difference has changed, does not exist, or is smaller', async () => {
    const day = ago(13);
    const drift = await apart(day, '3', '5');
    expect(await refused(drift, { ifDriftUsd: '1' })).toMatchObject({
      code: 'ABORTED',
      reason: 'drift_changed',
    });
    for (const amountUsd of ['-1', '2.000000001', '0', 'all'])
      expect(Object.keys((await refused(drift, { amountUsd })).violations)).toEqual(['amount_usd']);
    expect(Object.keys((await refused(drift, { reason: ' ' })).violations)).toEqual(['reason']);
    const nowhere = { kind: 'LIMIT_SUBJECT_KIND_AI_SYSTEM', id: crypto.randomUUID() };
    expect(Object.keys((await refused(drift, { subject: nowhere })).violations)).toEqual(['subject.id']);
    expect(await refused({ id: crypto.randomUUID() })).toMatchObject({ reason: 'not_found' });
    await settle(drift);
    expect(await refused(drift)).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'drift_settled' });
    expect(await fixture.total(day)).toMatchObject({ costUsd: '5' });
  });

  it('deducts no more than was used', async () => {
    const day = ago(14);
    const person = await createPerson(fixture.plane, fixture.acme, 'ROLE_MEMBER');
    await fixture.record(day, '1', { person_id: person.id });
    const drift = await apart(day, '9', '4');
    const subject = { kind: 'LIMIT_SUBJECT_KIND_PERSON', id: person.id };
    expect(await refused(drift, { subject })).toMatchObject({ reason: 'adjustment_too_large' });
    await settle(drift, { subject, amountUsd: '-1' });
    await settle(drift, { amountUsd: '-5' });
    expect(await fixture.total(day)).toMatchObject({ costUsd: '4' });
    expect(await fixture.total(day, { personId: person.id })).toMatchObject({ costUsd: '0' });
  });

  it('is visible to its organization only', async () => {
    const day = ago(15);
    const drift = await apart(day, '1', '2');
    const other = await createTenant(fixture.plane, fixture.platform, 'other');
    const requested = { id: drift.id, reason: 'mine' };
    expect(await refusal(fixture.call('Settle', requested, other.owner.token))).toMatchObject({
      reason: 'not_found',
    });
    const own = { organizationId: other.id, ...requested };
    expect(await refusal(fixture.call('Settle', own, other.owner.token))).toMatchObject({
      reason: 'not_found',
    });
    expect(
      await fixture.plane.expect('Reconciliation.ListDrift', other.owner.token, { organizationId: other.id }),
    ).toMatchObject({ drift: [] });
  });

  it('is an event of the audit log, with its fields', async () => {
    const day = ago(16);
    const made = await settle(await apart(day, '1', '2'), { reason: 'for the auditors' });
    const { events } = await fixture.plane.expect('Audit.List', fixture.acme.owner.token, {
      organizationId: fixture.acme.id,
    });
    const event = events.find((one: JsonResponse) => one.targetId === made.id);
    expect(event).toMatchObject({ action: 'Reconciliation.Settle', actorId: fixture.acme.owner.id });
    expect(JSON.parse(event.after)).toMatchObject({ reason: 'for the auditors', amountUsd: '1', day });
  });

  it('loses nothing beside concurrent reports in the same windows', async () => {
    const day = ago(17);
    const budget = await fixture.budget();
    const drift = await apart(day, '5', '25');
    await Promise.all([
      ...Array.from({ length: 10 }, () => report(fixture, [day])),
      ...Array.from({ length: 10 }, () => settle(drift, { amountUsd: '1' })),
    ]);
    const { costUsd } = await fixture.total(day);
    expect(costUsd).toBe('25');
    expect((await fixture.spent(budget))[day]).toBe('25');
    // The bill has 25, the requests come to 15 and the adjustments to 10.
    await fixture.bill(day, [{ usd: '25' }, { usd: '0' }]);
    expect(await fixture.drift(day)).toEqual([]);
  });
});

/** Requests of a dollar each, as proxies report them. */
async function report({ store, acme, providerKeyId }: BillFixture, days: readonly string[]): Promise<void> {
  const events = days.map((day) => ({
    row: usageEvent({
      ...{ organization_id: acme.id, at: Date.parse(day) + dayMs / 3, cost: 1_000_000_000 },
      ...{ model_asked: 'gpt-provider/gpt-4o', provider_key_id: providerKeyId },
    }),
  }));
  await new LedgerFixture(store).report(events);
}

function byLimit(a: JsonResponse, b: JsonResponse): number {
  return a.limitId < b.limitId ? -1 : 1;
}
