// While proxies acquire or report, which share a lock on their organization's ledger, a budget is neither created,
// changed nor ended (PostgreSQL; SQLite runs one transaction at a time). Changes without budgets never wait for them.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerTransaction } from '../../../control-plane/store/store.ts';
import { BudgetFixture, limitSubject } from '../../support/budget-fixture.ts';
import { freshPostgres } from '../../support/databases.ts';
import { type Called, createPerson, type TestTenant } from '../../support/operators.ts';

const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '60', amountUsd: undefined, period: undefined };

describe('while the ledger of an organization is in use', () => {
  const fixture = new BudgetFixture();
  beforeAll(() => fixture.open(freshPostgres));
  afterAll(() => fixture.close());

  const whileUsed = (tenant: TestTenant, work: (tx: LedgerTransaction) => Promise<void>) =>
    fixture.store.ledger(async (tx) => {
      await tx.locks.organizations(tx.db, [tenant.id], 'shared');
      await work(tx);
    });
  const somebodyWaits = async (): Promise<void> => {
    for (;;) {
      const { rows } = await fixture.store.snapshot((db) =>
        sql`select 1 from pg_locks where not granted and database = (
          select oid from pg_database where datname = current_database())`.execute(db),
      );
      if (rows.length > 0) return;
    }
  };
  const call = (tenant: TestTenant, method: string, request: object): Promise<Called> =>
    fixture.plane.call(method, tenant.owner.token, request);
  const budgetOn = async (tenant: TestTenant, on?: object): Promise<string> =>
    (await fixture.budget(tenant, on === undefined ? {} : { subject: on })).id;

  type Prepare = (tenant: TestTenant) => Promise<() => Promise<Called>>;
  const changes: readonly (readonly [string, Prepare])[] = [
    ['made', async (tenant) => () => fixture.ask(tenant)],
    [
      'changed',
      async (tenant) => {
        const id = await budgetOn(tenant);
        return () => call(tenant, 'Limits.Update', { id, amountUsd: '1' });
      },
    ],
    [
      'deleted',
      async (tenant) => {
        const id = await budgetOn(tenant);
        return () => call(tenant, 'Limits.Delete', { id });
      },
    ],
    [
      'deleted with its key',
      async (tenant) => {
        const id = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
        await budgetOn(tenant, limitSubject('VIRTUAL_KEY', id));
        return () => call(tenant, 'VirtualKeys.Revoke', { id });
      },
    ],
    [
      'deleted with its AI system',
      async (tenant) => {
        const id = await fixture.system(tenant);
        await budgetOn(tenant, limitSubject('VIRTUAL_KEY', await fixture.key(tenant, 'AI_SYSTEM', id)));
        return () => call(tenant, 'AiSystems.Delete', { id });
      },
    ],
    [
      'deleted with its person',
      async (tenant) => {
        const { id } = await createPerson(fixture.plane, tenant, 'ROLE_MEMBER');
        await budgetOn(tenant, limitSubject('PERSON', id));
        return () => call(tenant, 'People.Delete', { id });
      },
    ],
  ];

  it.each(changes)('no budget is %s', async (_what, prepare) => {
    const tenant = await fixture.tenant();
    const change = await prepare(tenant);
    const done: string[] = [];
    let changing: Promise<number> | undefined;
    await whileUsed(tenant, async ({ db }) => {
      changing = change().then(({ code }) => done.push(code));
      await somebodyWaits();
      // A report writes to the keys that were used, so a transaction that waits for it must not lock them.
      await db.updateTable('virtual_keys').set({ last_used_at: 1 }).where('organization_id', '=', tenant.id).execute();
      done.push('ledger');
    });
    await changing;
    expect(done).toEqual(['ledger', 'OK']);
  });

  it('rates, keys without budgets and everything else change at once', async () => {
    const tenant = await fixture.tenant();
    const key = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
    const { id } = await fixture.budget(tenant, { ...rate, subject: limitSubject('VIRTUAL_KEY', key) });
    const system = await fixture.system(tenant);
    const subject = limitSubject('ORGANIZATION', tenant.id);
    await whileUsed(tenant, async () => {
      for (const [method, request] of [
        ['Limits.Update', { id, count: '61' }],
        ['Limits.Create', { organizationId: tenant.id, subject, ...rate }],
        ['VirtualKeys.Revoke', { id: key }],
        ['AiSystems.Delete', { id: system }],
      ] as const) {
        expect([method, (await call(tenant, method, request)).code]).toEqual([method, 'OK']);
      }
    });
  });
});
