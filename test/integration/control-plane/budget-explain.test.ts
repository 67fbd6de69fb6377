// Which budgets bind the requests of a subject, and what is left of each, over both databases.
import { describe, expect, it } from 'vitest';
import { windowOf } from '../../../common/budget-window.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { writeLedger } from '../../support/ledger-state.ts';
import type { JsonResponse, Someone, TestTenant } from '../../support/operators.ts';

const dollar = 1_000_000_000;

describeBudgets('explained budgets', (fixture) => {
  const explain = async (tenant: TestTenant, subject: object, more: object = {}, by: Someone = tenant.owner) =>
    (
      await fixture.plane.expect('Budgets.Explain', by.token, {
        ...{ organizationId: tenant.id, subject },
        ...more,
      })
    ).budgets as JsonResponse[];

  /** A system with a key; each of the three levels has a budget, and the organization one of another model too. */
  const withBudgets = async () => {
    const tenant = await fixture.tenant();
    const system = await fixture.system(tenant);
    const key = await fixture.key(tenant, 'AI_SYSTEM', system);
    const budgetOn = async (subject: object, fields: object): Promise<string> =>
      (await fixture.budget(tenant, { subject, ...fields })).id;
    const ids = {
      organization: await budgetOn(limitSubject('ORGANIZATION', tenant.id), { amountUsd: '100' }),
      system: await budgetOn(limitSubject('AI_SYSTEM', system), { amountUsd: '20', period: 'BUDGET_PERIOD_MONTH' }),
      key: await budgetOn(limitSubject('VIRTUAL_KEY', key), { amountUsd: '30', period: 'BUDGET_PERIOD_TOTAL' }),
      claude: await budgetOn(limitSubject('ORGANIZATION', tenant.id), {
        ...{ amountUsd: '1', model: 'assistant-provider/*' },
      }),
    };
    await budgetOn(limitSubject('AI_SYSTEM', await fixture.system(tenant)), { amountUsd: '0.5' });
    await fixture.as(tenant, 'Limits.Create', {
      ...{ organizationId: tenant.id, subject: limitSubject('VIRTUAL_KEY', key) },
      ...{ kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '5' },
    });
    return { tenant, system, key, ids };
  };

  let scene: ReturnType<typeof withBudgets> | undefined;
  /** One scene for tests that change nothing in it. */
  const shared = () => {
    scene ??= withBudgets();
    return scene;
  };

  it('are those of key, scope and organization with their windows, the tightest first', async () => {
    const { tenant, key, ids } = await withBudgets();
    const organizationId = tenant.id;
    const ledger = { budgetId: ids.key, organizationId, window: 'total' };
    await writeLedger(fixture.database, { ...ledger, spent: 15 * dollar, leased: 3 * dollar, unconfirmed: dollar });
    const past = { budgetId: ids.organization, organizationId, window: '2026-01-01', spent: 99 * dollar };
    await writeLedger(fixture.database, past);
    const shown = await explain(tenant, limitSubject('VIRTUAL_KEY', key));
    expect(shown.map(({ limit, leftUsd, tightest }) => [limit.id, leftUsd, tightest])).toEqual([
      [ids.claude, '1', true],
      [ids.key, '14', false],
      [ids.system, '20', false],
      [ids.organization, '100', false],
    ]);
    const { limit, window } = shown[1] as JsonResponse;
    expect(limit).toMatchObject({ subject: limitSubject('VIRTUAL_KEY', key), period: 'BUDGET_PERIOD_TOTAL' });
    expect(window).toMatchObject({ limitId: ids.key, window: 'total', spentUsd: '15', leasedUsd: '3' });
    expect(window).toMatchObject({ unsettledUsd: '1', freeUsd: '11' });
    expect(shown[2]?.window).toMatchObject({ window: windowOf('month', Date.now()), spentUsd: '0' });
  });

  it('are only those that count the model, by any of its names', async () => {
    const { tenant, key, ids } = await shared();
    const idsFor = async (model: string) =>
      (await explain(tenant, limitSubject('VIRTUAL_KEY', key), { model })).map(({ limit }) => limit.id);
    expect(await idsFor('gpt-provider/gpt-4o')).toEqual([ids.system, ids.key, ids.organization]);
    expect(await idsFor('assistant-provider/claude-haiku-4-5')).toContain(ids.claude);
  });

  it('of an AI system and of the organization leave out those of keys', async () => {
    const { tenant, system, ids } = await shared();
    const idsOf = async (subject: object) => (await explain(tenant, subject)).map(({ limit }) => limit.id);
    expect(await idsOf(limitSubject('AI_SYSTEM', system))).toEqual([ids.claude, ids.system, ids.organization]);
    expect(await idsOf(limitSubject('ORGANIZATION', tenant.id))).toEqual([ids.claude, ids.organization]);
  });

  it('shows nothing below zero left after an amount was lowered, and deleted budgets not at all', async () => {
    const tenant = await fixture.tenant();
    const { id } = await fixture.budget(tenant, { period: 'BUDGET_PERIOD_TOTAL' });
    const { id: deleted } = await fixture.budget(tenant);
    await fixture.as(tenant, 'Limits.Delete', { id: deleted });
    await writeLedger(fixture.database, {
      ...{ budgetId: id, organizationId: tenant.id, window: 'total', spent: 4 * dollar },
    });
    await fixture.as(tenant, 'Limits.Update', { id, amountUsd: '3' });
    const shown = await explain(tenant, limitSubject('ORGANIZATION', tenant.id));
    expect(shown).toMatchObject([{ leftUsd: '0', tightest: true, window: { limitId: id, freeUsd: '-1' } }]);
  });

  describe('to a member', () => {
    it('are those of their own keys, of themself and of the organization', async () => {
      const tenant = await fixture.tenant();
      const { member } = tenant;
      const own = await fixture.key(tenant, 'PERSON', member.id);
      for (const subject of [
        limitSubject('VIRTUAL_KEY', own),
        limitSubject('PERSON', member.id),
        limitSubject('ORGANIZATION', tenant.id),
      ])
        expect(await explain(tenant, subject, {}, member)).toEqual([]);
    });

    it('are refused for other keys, persons and systems', async () => {
      const { tenant, system, key } = await shared();
      for (const subject of [
        limitSubject('VIRTUAL_KEY', key),
        limitSubject('PERSON', tenant.admin.id),
        limitSubject('AI_SYSTEM', system),
      ]) {
        const request = { organizationId: tenant.id, subject };
        expect((await fixture.plane.call('Budgets.Explain', tenant.member.token, request)).code).toBe(
          'PERMISSION_DENIED',
        );
      }
    });
  });

  it('name no subject of another organization', async () => {
    const key = await fixture.key(fixture.other, 'ORGANIZATION', fixture.other.id);
    const request = { organizationId: fixture.acme.id, subject: limitSubject('VIRTUAL_KEY', key) };
    expect((await fixture.plane.call('Budgets.Explain', fixture.acme.owner.token, request)).code).toBe(
      'INVALID_ARGUMENT',
    );
  });
});
