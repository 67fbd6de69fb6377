// Selectors that older versions stored without checks, over both databases: they count by canonical names wherever they
// are read, and the log, the metrics and Status.Get report those that an operator should correct.
import { sql } from 'kysely';
import { request } from 'undici';
import { beforeAll, expect, it } from 'vitest';
import { createCredential, hashCredential } from '../../../common/credential.ts';
import { type BudgetFixture, describeBudgets, limitSubject, testBudget } from '../../support/budget-fixture.ts';
import {
  createKey,
  freshName,
  type JsonResponse,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

const usd = { input: '1', output: '2' };

/** Stores rows as an older control plane did. */
async function leave(
  fixture: BudgetFixture,
  table: 'limits' | 'prices' | 'organizations' | 'ai_systems' | 'people' | 'virtual_keys',
  id: string | undefined,
  selector: string,
): Promise<void> {
  await fixture.store.ledger(async ({ db }) => {
    const [column, stored] =
      table === 'limits' || table === 'prices' ? ['model', selector] : ['allowed_models', JSON.stringify([selector])];
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${stored} where id = ${id}`.execute(db);
  });
}

describeBudgets('selectors stored from before', (fixture) => {
  let tenant: TestTenant;
  let proxy: string;
  let key: JsonResponse;
  let system: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    tenant = await fixture.tenant();
    const name = freshName('proxy');
    proxy = (await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, { name })).value;
    system = await fixture.system(tenant);
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system };
    key = await createKey(fixture.plane, tenant, { scope });
    const limit = async (model: string, fields: object = testBudget) => {
      const request = {
        ...{ organizationId: tenant.id, subject: limitSubject('AI_SYSTEM', system), ...fields },
        model: 'gpt-provider/*',
      };
      const { id } = await fixture.as(tenant, 'Limits.Create', request);
      await leave(fixture, 'limits', id, model);
      return id;
    };
    const price = async (model: string) => {
      const request = { organizationId: tenant.id, model, prices: usd };
      return (await fixture.as(tenant, 'Prices.Create', request)).id;
    };
    ids.budget = await limit('openai/gpt-4o');
    ids.rate = await limit('anthropic/*', { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '7' });
    ids.typo = await limit('gpt-provider/gpt-4o-minni');
    ids.bare = await limit('gpt-4o');
    ids.good = await limit('gpt-provider/gpt-4o-2024-08-06');
    ids.price = await price('gpt-provider/o3');
    ids.older = await price('gpt-provider/o4-mini');
    ids.newer = await price('gpt-provider/gpt-4.1');
    await leave(fixture, 'prices', ids.price, 'openai/gpt-4o-mini');
    await leave(fixture, 'prices', ids.older, 'openai/gpt-4.1');
    await leave(fixture, 'organizations', tenant.id, 'openai/*');
    await leave(fixture, 'ai_systems', system, 'google/gemini-*');
    await leave(fixture, 'people', tenant.member.id, 'nowhere/*');
    await leave(fixture, 'virtual_keys', key.virtualKey.id, createCredential('virtualKey'));
  });

  it('are in the records of proxies with the canonical name of their provider', async () => {
    const keyHash = Buffer.from(hashCredential(key.value), 'hex');
    const records = await fixture.plane.expect('Access.Resolve', proxy, { keyHash });
    expect(records.scope.limits.map(({ model }: JsonResponse) => model)).toEqual([
      'gpt-provider/gpt-4o',
      'assistant-provider/*',
      'gpt-provider/gpt-4o-minni',
      'gpt-4o',
      // Newer proxies replace it by the canonical name; older ones compare it with the name of the request.
      'gpt-provider/gpt-4o-2024-08-06',
    ]);
    expect(records.organization.allowedModels).toEqual(['gpt-provider/*']);
    expect(records.scope.allowedModels).toEqual(['search-provider/gemini-*']);
    // Of two prices of one model, the one that applied before.
    expect(records.organization.prices.map(({ id, model }: JsonResponse) => [id, model])).toEqual([
      [ids.price, 'gpt-provider/gpt-4o-mini'],
      [ids.newer, 'gpt-provider/gpt-4.1'],
    ]);
  });

  it('are shown in canonical form', async () => {
    expect((await fixture.as(tenant, 'Limits.Get', { id: ids.budget })).model).toBe('gpt-provider/gpt-4o');
    expect((await fixture.as(tenant, 'Prices.Get', { id: ids.price })).model).toBe('gpt-provider/gpt-4o-mini');
    expect((await fixture.as(tenant, 'Organizations.Get', { id: tenant.id })).allowedModels).toEqual([
      'gpt-provider/*',
    ]);
  });

  it('count in totals, under any name under which usage was recorded', async () => {
    const of = { organization_id: tenant.id, key_id: key.virtualKey.id, ai_system_id: system };
    const at = Date.now();
    await recordEvents(fixture.store, [
      usageEvent({ ...of, at, cost: 1_000_000_000, model_asked: 'gpt-provider/gpt-4o-2024-08-06' }),
    ]);
    const totals = async (model: string) =>
      (await fixture.as(tenant, 'Usage.Totals', { organizationId: tenant.id, model })).totals[0].requests;
    for (const name of ['openai/gpt-4o', 'gpt-provider/gpt-4o-2024-08-06', 'openai/gpt-4o*', '*-2024-08-06']) {
      expect(await totals(name), name).toBe('1');
    }
    expect(await totals('openai/gpt-4.1')).toBe('0');
  });

  it('are reported to owners and admins with their canonical form and the nearest names', async () => {
    for (const who of [tenant.owner, tenant.admin]) {
      const { selectors } = await fixture.plane.expect('Status.Get', who.token, { checkSelectors: true });
      expect(selectors).toMatchObject({ checked: 12, found: 10 });
      const found = Object.fromEntries(
        selectors.selectors.map((one: JsonResponse) => [`${one.holder.slice(16)} ${one.id}`, one]),
      );
      const alias = (selector: string, countsAs: string) => ({
        ...{ problem: 'SELECTOR_PROBLEM_ALIAS', selector, countsAs, nearest: [] },
        organizationId: tenant.id,
      });
      expect(found).toMatchObject({
        [`LIMIT ${ids.budget}`]: alias('openai/gpt-4o', 'gpt-provider/gpt-4o'),
        [`LIMIT ${ids.rate}`]: alias('anthropic/*', 'assistant-provider/*'),
        [`LIMIT ${ids.typo}`]: {
          problem: 'SELECTOR_PROBLEM_UNMATCHED',
          nearest: expect.arrayContaining(['gpt-provider/gpt-4o-mini']),
        },
        [`LIMIT ${ids.bare}`]: {
          problem: 'SELECTOR_PROBLEM_NO_PROVIDER',
          nearest: expect.arrayContaining(['gpt-provider/gpt-4o']),
        },
        [`PRICE ${ids.price}`]: alias('openai/gpt-4o-mini', 'gpt-provider/gpt-4o-mini'),
        [`PRICE ${ids.older}`]: { problem: 'SELECTOR_PROBLEM_SHADOWED', countsAs: 'gpt-provider/gpt-4.1' },
        [`ORGANIZATION ${tenant.id}`]: alias('openai/*', 'gpt-provider/*'),
        [`AI_SYSTEM ${system}`]: alias('google/gemini-*', 'search-provider/gemini-*'),
        [`PERSON ${tenant.member.id}`]: { problem: 'SELECTOR_PROBLEM_UNMATCHED' },
        [`VIRTUAL_KEY ${key.virtualKey.id}`]: { problem: 'SELECTOR_PROBLEM_NO_PROVIDER' },
      });
    }
  });

  it('are not reported to members, and to platform operators only as counts', async () => {
    const ask = async (token: string, plane = fixture.plane) =>
      (await plane.expect('Status.Get', token, { checkSelectors: true })).selectors;
    expect(await ask(tenant.member.token)).toBeUndefined();
    expect((await fixture.plane.expect('Status.Get', tenant.owner.token)).selectors).toBeUndefined();
    const { masterKey, bootstrapToken, database } = { ...fixture.plane, database: fixture.database };
    const env = { GATEWAY_DATABASE_URL: database.url };
    const restarted = await startOperatorsPlane({ env, masterKey, bootstrapToken });
    const reported = await until(() => ask(fixture.platform.token, restarted), {
      what: 'all selectors to be checked',
    });
    expect(reported.found).toBeGreaterThanOrEqual(10);
    const budget = reported.selectors.find(({ id }: JsonResponse) => id === ids.budget);
    expect(budget).toMatchObject({ organizationId: tenant.id, problem: 'SELECTOR_PROBLEM_ALIAS' });
    expect(budget.selector).toBeUndefined();
    expect(JSON.stringify(reported)).not.toMatch(/openai|gpt-4o|nowhere|sk-svc/);

    const warning = () => restarted.logs.find((line) => line.includes('stored selectors of models'));
    const line = JSON.parse((await until(async () => warning())) ?? '');
    expect(line).toMatchObject({ level: 'warn', counts: { alias: 5, no_provider: 2, shadowed: 1 } });
    expect(line.selectors.map(({ id }: JsonResponse) => id)).toEqual(
      expect.arrayContaining([ids.budget, ids.rate, ids.typo, ids.bare]),
    );
    expect(JSON.stringify(line)).not.toMatch(/openai|gpt-4o|nowhere|sk-svc/);
    const metrics = await request(`http://127.0.0.1:${restarted.plane.adminPort}/metrics`);
    expect(await metrics.body.text()).toMatch(/gateway_control_plane_stored_selectors_found\{problem="alias"\} 5\n/);
    await restarted.close();
  });

  it('are stored with the canonical name by an update', async () => {
    await fixture.as(tenant, 'Limits.Update', { id: ids.budget, amountUsd: '5' });
    await fixture.as(tenant, 'Prices.Update', { id: ids.price, prices: usd });
    const globs = { allowedModels: { globs: ['openai/*'] } };
    await fixture.as(tenant, 'Organizations.UpdateSettings', { id: tenant.id, ...globs });
    await fixture.as(tenant, 'AiSystems.Update', { id: system, allowedModels: { globs: [] } });
    // The update does not change a price that another one overrides.
    await fixture.as(tenant, 'Prices.Update', { id: ids.older, prices: { ...usd, output: '3' } });
    const { selectors } = await fixture.plane.expect('Status.Get', tenant.owner.token, {
      checkSelectors: true,
    });
    const left = selectors.selectors.map(({ id }: JsonResponse) => id);
    expect(left.toSorted()).toEqual(
      [ids.rate, ids.typo, ids.bare, ids.older, tenant.member.id, key.virtualKey.id].toSorted(),
    );
  });
});
