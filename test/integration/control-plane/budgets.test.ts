// Budgets as limits of money: their valid fields, that they change and end like other limits, and that their ledger
// entries remain.
import { expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { hashCredential } from '../../../common/credential.ts';
import { describeBudgets, limitSubject, testBudget } from '../../support/budget-fixture.ts';
import { writeLedger } from '../../support/ledger-state.ts';
import { createKey, createPerson, freshName, type JsonResponse, refusal, violated } from '../../support/operators.ts';

const periods = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const;

describeBudgets('budgets', (fixture) => {
  it('are created, read, changed and deleted, and each change is an event', async () => {
    // The call that writes the selector returns the models that it selects.
    const { match, _match, ...made } = await fixture.budget(fixture.acme, {
      amountUsd: '5.50',
      model: 'gpt-provider/*',
    });
    expect(match.matched).toBeGreaterThan(10);
    expect(made).toMatchObject({ ...testBudget, amountUsd: '5.5', model: 'gpt-provider/*' });
    expect(made.count).toBeUndefined();
    const { id } = made;
    expect(await fixture.as(fixture.acme, 'Limits.Get', { id })).toEqual({ ...made, subjectName: 'acme' });

    const update = { id, amountUsd: '0.25', period: testBudget.period, ifRevision: made.revision };
    const changed = await fixture.plane.expect('Limits.Update', fixture.acme.admin.token, update);
    expect(changed).toEqual({ ...made, amountUsd: '0.25', revision: expect.any(String) });
    expect(await refusal(fixture.plane.call('Limits.Update', fixture.acme.admin.token, update))).toMatchObject({
      ...{ code: 'ABORTED', reason: 'revision_mismatch' },
    });
    expect(await fixture.as(fixture.acme, 'Limits.Update', { id, amountUsd: '0.250' })).toEqual(changed);
    await fixture.as(fixture.acme, 'Limits.Delete', { id });
    for (const method of ['Limits.Get', 'Limits.Update', 'Limits.Delete']) {
      expect((await fixture.plane.call(method, fixture.acme.owner.token, { id })).code).toBe('NOT_FOUND');
    }
    const { limits } = await fixture.as(fixture.acme, 'Limits.List', { organizationId: fixture.acme.id });
    expect(limits.map((limit: JsonResponse) => limit.id)).not.toContain(id);

    const events = await fixture.trail(fixture.acme, id);
    expect(events.map((event) => event.action)).toEqual([...['Limits.Delete', 'Limits.Update', 'Limits.Create']]);
    expect(JSON.parse(events[1]?.before)).toMatchObject({ amountUsd: '5.5', period: testBudget.period });
    expect(JSON.parse(events[1]?.after)).toMatchObject({ amountUsd: '0.25' });
  });

  it.each(['0.000000001', '9000000', '8999999.999999999'])(
    'accept an amount of %s for every period',
    async (amountUsd) => {
      const tenant = await fixture.tenant();
      for (const period of periods) {
        const made = await fixture.budget(tenant, { amountUsd, period: `BUDGET_PERIOD_${period}` });
        expect(made).toMatchObject({ amountUsd, period: `BUDGET_PERIOD_${period}` });
        const read = await fixture.as(tenant, 'Limits.Get', { id: made.id });
        expect(read).toEqual({ ...made, subjectName: expect.stringMatching(/./) });
      }
    },
  );

  it.each([
    [{ amountUsd: undefined }, 'amount_usd'],
    [{ amountUsd: '' }, 'amount_usd'],
    [{ amountUsd: '0' }, 'amount_usd'],
    [{ amountUsd: '0.000000000' }, 'amount_usd'],
    [{ amountUsd: '0.0000000001' }, 'amount_usd'],
    [{ amountUsd: '-1' }, 'amount_usd'],
    [{ amountUsd: '1e3' }, 'amount_usd'],
    [{ amountUsd: '9000000.000000001' }, 'amount_usd'],
    [{ amountUsd: '9999999.999999999' }, 'amount_usd'],
    [{ amountUsd: '10000000' }, 'amount_usd'],
    [{ period: undefined }, 'period'],
    [{ period: 'BUDGET_PERIOD_UNSPECIFIED' }, 'period'],
    [{ count: '5' }, 'count'],
    [{ model: '' }, 'model'],
  ])('refuse %j', async (wrong, field) => {
    expect(await violated(fixture.ask(fixture.acme, wrong))).toEqual([field]);
  });

  it('report all invalid fields at once', async () => {
    const wrong = { subject: {}, count: '0', amountUsd: '1 USD', period: undefined, model: ' ' };
    expect(await violated(fixture.ask(fixture.acme, wrong))).toEqual([
      ...['subject.kind', 'count', 'amount_usd', 'period', 'model'],
    ]);
  });

  it('change their amount, never their other fields', async () => {
    const { id } = await fixture.budget(fixture.acme);
    const change = (more: object) => fixture.plane.call('Limits.Update', fixture.acme.owner.token, { id, ...more });
    const forEver = 'cannot be changed: delete the limit and create another';
    for (const [field, value] of [
      ['period', 'BUDGET_PERIOD_WEEK'],
      ['kind', 'LIMIT_KIND_REQUESTS_PER_MINUTE'],
      ['model', '*'],
      ['subject', limitSubject('PERSON', fixture.acme.member.id)],
    ] as const) {
      const refused = await refusal(change({ amountUsd: '1', [field]: value }));
      expect(refused.violations).toEqual({ [field]: forEver });
    }
    expect(await violated(change({ amountUsd: '0' }))).toEqual(['amount_usd']);
    expect(await violated(change({ count: '7' }))).toEqual(['count']);
    expect(await fixture.as(fixture.acme, 'Limits.Get', { id })).toMatchObject(testBudget);
  });

  it('free their slot among the 32 limits of a subject when deleted', async () => {
    const on = { subject: limitSubject('AI_SYSTEM', await fixture.system(fixture.acme)) };
    const ids: string[] = [];
    for (let i = 0; i < 32; i++) ids.push((await fixture.budget(fixture.acme, on)).id);
    expect(await refusal(fixture.ask(fixture.acme, on))).toMatchObject({ reason: 'too_many_limits' });
    await fixture.as(fixture.acme, 'Limits.Delete', { id: ids[0] });
    expect((await fixture.ask(fixture.acme, on)).code).toBe('OK');
    expect(await refusal(fixture.ask(fixture.acme, on))).toMatchObject({ reason: 'too_many_limits' });
  });

  it('of an owner can be changed by owners only', async () => {
    const { id } = await fixture.budget(fixture.acme, {
      subject: limitSubject('PERSON', fixture.acme.owner.id),
    });
    for (const method of ['Limits.Update', 'Limits.Delete']) {
      const calling = fixture.plane.call(method, fixture.acme.admin.token, { id, amountUsd: '1000' });
      expect((await refusal(calling)).message).toBe('only an owner limits owners, or lifts their limits');
    }
  });

  it('are in the record of their subject until they are deleted', async () => {
    const tenant = await fixture.tenant();
    const proxy = (
      await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, {
        name: freshName('proxy'),
      })
    ).value;
    const { value } = await createKey(fixture.plane, tenant);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    const made = await fixture.budget(tenant, { model: '*/gpt-4o*', period: 'BUDGET_PERIOD_TOTAL' });
    const limits = async (): Promise<JsonResponse[]> =>
      (await fixture.plane.expect('Access.Resolve', proxy, { keyHash })).organization.limits;
    const { id, kind, amountUsd, period, model } = made;
    const [record, ...more] = await limits();
    expect(record).toMatchObject({ id, kind, amountUsd, period, model });
    expect(record?.count).toBeUndefined();
    expect(more).toEqual([]);
    await fixture.as(tenant, 'Limits.Delete', { id });
    expect(await limits()).toEqual([]);
  });

  it('are deleted with their subject, and leave their ledger entries', async () => {
    const tenant = await fixture.tenant();
    const system = await fixture.system(tenant);
    const person = await createPerson(fixture.plane, tenant, 'ROLE_MEMBER');
    const subjects = [
      limitSubject('AI_SYSTEM', system),
      limitSubject('VIRTUAL_KEY', await fixture.key(tenant, 'AI_SYSTEM', system)),
      limitSubject('PERSON', person.id),
      limitSubject('VIRTUAL_KEY', await fixture.key(tenant, 'PERSON', person.id)),
    ];
    const key = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
    const ids: string[] = [];
    for (const on of [...subjects, limitSubject('VIRTUAL_KEY', key)]) {
      const { id } = await fixture.budget(tenant, { subject: on });
      await writeLedger(fixture.database, {
        budgetId: id,
        organizationId: tenant.id,
        window: '2026-11-20',
        spent: 7,
      });
      ids.push(id);
    }
    await fixture.as(tenant, 'AiSystems.Delete', { id: system });
    await fixture.as(tenant, 'People.Delete', { id: person.id });
    await fixture.as(tenant, 'VirtualKeys.Revoke', { id: key });
    const deleted = await Promise.all([system, person.id, key].map((id) => fixture.trail(tenant, id)));
    expect(deleted.map(([event]) => JSON.parse(event?.after).limitsDeleted)).toEqual([2, 2, 1]);
    expect((await fixture.as(tenant, 'Limits.List', { organizationId: tenant.id })).limits).toEqual([]);
    expect(await fixture.windows(tenant, { includePast: true })).toEqual([]);
    for (const limitId of ids) {
      expect(await fixture.windows(tenant, { includePast: true, limitId })).toMatchObject([
        { limitId, window: '2026-11-20', spentUsd: '0.000000007' },
      ]);
    }
  });

  it('note the thresholds that a lower amount has reached, in the current window only', async () => {
    const { id } = await fixture.budget(fixture.acme);
    const today = dayOf(Date.now());
    const ledger = { budgetId: id, organizationId: fixture.acme.id };
    await writeLedger(fixture.database, { ...ledger, window: today, spent: 1_000_000_000 });
    await writeLedger(fixture.database, { ...ledger, window: '2026-11-20', spent: 5_000_000_000 });
    const noted = () =>
      fixture.store.snapshot((db) =>
        db
          .selectFrom('budget_notices')
          .select(['window_start', 'percent'])
          .where('budget_id', '=', id)
          .orderBy('amount', 'desc')
          .orderBy('percent')
          .execute(),
      );
    await fixture.as(fixture.acme, 'Limits.Update', { id, amountUsd: '2.000000001' });
    expect(await noted()).toEqual([]);
    await fixture.as(fixture.acme, 'Limits.Update', { id, amountUsd: '1.25' });
    expect(await noted()).toEqual([50, 80].map((percent) => ({ window_start: today, percent })));
    await fixture.as(fixture.acme, 'Limits.Update', { id, amountUsd: '1' });
    // For recipients of alerts, a budget with another amount is a new budget.
    expect((await noted()).map(({ percent }) => percent)).toEqual([50, 80, 50, 80, 100]);
  });
});
