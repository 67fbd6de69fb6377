// Overview.Get, Usage.Series and Models.List as operators call them, over both databases; members get their own part.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs, hourMs } from '../../../common/durations.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { isMethodName } from '../../../control-plane/api/methods.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { sumRowsMax as rowsMax } from '../../../control-plane/usage/summed-rows.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { spend } from '../../support/notice-rows.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

const start = Date.parse(dayOf(Date.now())) - 3 * dayMs;
const iso = (after: number) => new Date(start + after).toISOString();
const dollar = 1_000_000_000;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('pages of operators over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const call = (method: Parameters<OperatorsPlane['expect']>[0], fields: object = {}, token = acme.owner.token) =>
    plane.expect(method, token, { organizationId: acme.id, ...fields });

  describe('Usage.Series', () => {
    const range = { from: iso(0), to: iso(2 * dayMs) };
    const mini = 'gpt-provider/gpt-4o-mini';

    beforeAll(async () => {
      await recordEvents(store, [
        usageEvent({ organization_id: acme.id, at: start + hourMs, cost: 4 * dollar, person_id: acme.member.id }),
        usageEvent({ organization_id: acme.id, at: start + dayMs, cost: dollar, model_asked: mini, status: 500 }),
        usageEvent({ organization_id: acme.id, at: start + dayMs + hourMs, cost: 2 * dollar, model_asked: 'a/b' }),
        usageEvent({ organization_id: other.id, at: start + hourMs, cost: 77 * dollar }),
      ]);
    });

    it('has a sum for each bucket, and zeros where nothing was used', async () => {
      const { at, lines } = await call('Usage.Series', { from: iso(-dayMs), to: iso(3 * dayMs) });
      expect(at).toEqual([-1, 0, 1, 2].map((days) => iso(days * dayMs)));
      expect(lines).toEqual([
        {
          others: false,
          costUsd: ['0', '4', '3', '0'],
          requests: ['0', '1', '2', '0'],
          failedRequests: ['0', '0', '1', '0'],
          tokens: ['0', '120', '240', '0'],
        },
      ]);
      const hours = await call('Usage.Series', { ...range, bucket: 'USAGE_BUCKET_HOUR' });
      expect(hours.at).toHaveLength(48);
      const months = await call('Usage.Series', { ...range, bucket: 'USAGE_BUCKET_MONTH' });
      expect(months.lines[0].costUsd.map(Number).reduce((a: number, b: number) => a + b)).toBe(7);
      expect(months.at[0]).toMatch(/-01T00:00:00.000Z$/);
    });

    it('has a line for each of the highest values, and one for all others', async () => {
      const { lines } = await call('Usage.Series', { ...range, dimension: 'USAGE_DIMENSION_MODEL', top: 1 });
      expect(lines.map(({ value, others, costUsd }: JsonResponse) => [value, others, costUsd])).toEqual([
        ['gpt-provider/gpt-4o', false, ['4', '0']],
        [undefined, true, ['0', '3']],
      ]);
      const all = await call('Usage.Series', { ...range, dimension: 'USAGE_DIMENSION_PERSON' });
      expect(all.lines.map(({ value, name }: JsonResponse) => [value, name !== undefined])).toEqual([
        [acme.member.id, true],
        [undefined, false],
      ]);
      const filter = { models: [mini], providers: [], aiSystemIds: [], personIds: [], keyIds: [] };
      const one = await call('Usage.Series', { ...range, dimension: 'USAGE_DIMENSION_MODEL', filter });
      expect(one.lines.map(({ value }: JsonResponse) => value)).toEqual([mini]);
    });

    it('of a member is that of their own keys', async () => {
      const { lines } = await call('Usage.Series', range, acme.member.token);
      expect(lines[0].costUsd).toEqual(['4', '0']);
      const filter = { models: [], providers: [], aiSystemIds: [], personIds: [acme.owner.id], keyIds: [] };
      const others = await call('Usage.Series', { ...range, filter }, acme.member.token);
      expect(others.lines[0].costUsd).toEqual(['0', '0']);
    });

    it('refuses what is too wide or not a dimension', async () => {
      const hours = { organizationId: acme.id, bucket: 'USAGE_BUCKET_HOUR', from: iso(-100 * dayMs) };
      const refused = await refusal(plane.call('Usage.Series', acme.owner.token, hours));
      expect(refused).toMatchObject({ reason: 'too_wide' });
      const byDay = { organizationId: acme.id, dimension: 'USAGE_DIMENSION_DAY', top: 21 };
      expect(await violated(plane.call('Usage.Series', acme.owner.token, byDay))).toEqual(['dimension', 'top']);
    });

    it('reads no more than its rows of sums', async () => {
      const wide = await createTenant(plane, platform, 'wide');
      const wideRange = { organizationId: wide.id, from: iso(0), to: iso(hourMs) };
      await database.raw(manyHours(wide.id, start, rowsMax));
      await plane.expect('Usage.Series', wide.owner.token, wideRange);
      await database.raw(manyHours(wide.id, start, 1, 'more'));
      const refused = await refusal(plane.call('Usage.Series', wide.owner.token, wideRange));
      expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'too_wide' });
    });
  });

  describe('Overview.Get', () => {
    it('sums today and the month, and reports latency of requests that a provider got', async () => {
      const tenant = await createTenant(plane, platform, 'sums');
      const at = Date.now();
      await recordEvents(store, [
        usageEvent({ organization_id: tenant.id, at, cost: 2 * dollar, status: 500 }),
        usageEvent({ organization_id: tenant.id, at, cost: dollar, unpriced: 1, person_id: tenant.member.id }),
      ]);
      for (const duration of [10, 20, 400]) await writeFacts(database, tenant, { attempts: 1, durationMs: duration });
      await writeFacts(database, tenant, { attempts: 0, durationMs: 1 });
      const own = await plane.expect('Overview.Get', tenant.owner.token, { organizationId: tenant.id });
      const sums = { requests: '2', failedRequests: '1', unpricedRequests: '1', costUsd: '3' };
      expect(own).toMatchObject({ today: sums, month: sums, latency: { p50Ms: 20, p95Ms: 400, requests: 3 } });
      const ofMember = await plane.expect('Overview.Get', tenant.member.token, { organizationId: tenant.id });
      expect(ofMember.today).toEqual({ requests: '1', failedRequests: '0', unpricedRequests: '1', costUsd: '1' });
      expect(ofMember.latency).toBeUndefined();
    });

    it('has the most used budgets first, and what needs attention by its urgency', async () => {
      const tenant = await createTenant(plane, platform, 'attention');
      const { token } = tenant.owner;
      const budgets = await Promise.all(
        [10, 10, 10].map((amountUsd, index) =>
          plane.expect('Limits.Create', token, {
            organizationId: tenant.id,
            subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: tenant.id },
            kind: 'LIMIT_KIND_BUDGET',
            amountUsd: String(amountUsd + index),
            period: 'BUDGET_PERIOD_TOTAL',
          }),
        ),
      );
      const [spent, near, calm] = budgets.map(({ id }) => id);
      const windows = [
        [spent, 10],
        [near, 9],
        [calm, 1],
      ] as const;
      await spend(
        store,
        ...windows.map(([budgetId, usd]) => ({
          ...{ budgetId, organizationId: tenant.id, window: 'total', spent: usd * dollar },
        })),
      );
      const soon = new Date(Date.now() + dayMs).toISOString();
      const key = await createKey(plane, tenant, { name: 'ends soon', endsAt: soon });
      await createKey(plane, tenant, { endsAt: new Date(Date.now() + 30 * dayMs).toISOString() });
      const stop = { organizationId: tenant.id, target: { provider: 'gpt-provider' }, reason: 'a leak' };
      await plane.expect('Stops.Create', token, stop);
      const { budgets: used, attention } = await plane.expect('Overview.Get', token, { organizationId: tenant.id });
      expect(used.map(({ limitId }: JsonResponse) => limitId)).toEqual([spent, near, calm]);
      expect(attention.map(({ kind, targetId }: JsonResponse) => [kind, targetId])).toEqual([
        ['ATTENTION_KIND_BUDGET_SPENT', spent],
        ['ATTENTION_KIND_STOP', expect.any(String)],
        ['ATTENTION_KIND_BUDGET_NEAR_END', near],
        ['ATTENTION_KIND_KEY_ENDS', key.virtualKey.id],
      ]);
      expect(attention[1]).toMatchObject({ targetName: 'gpt-provider', detail: 'a leak', since: expect.any(String) });
      expect(attention[3]).toMatchObject({ targetName: 'ends soon', endsAt: soon });
      expect(attention.every(({ method }: JsonResponse) => isMethodName(method))).toBe(true);
      const ofMember = await plane.expect('Overview.Get', tenant.member.token, { organizationId: tenant.id });
      const kinds = ofMember.attention.map(({ kind }: JsonResponse) => kind);
      expect(kinds).toEqual(['ATTENTION_KIND_BUDGET_SPENT', 'ATTENTION_KIND_BUDGET_NEAR_END']);
    });

    it('names guardrails whose checks fail, and provider keys that a vendor refuses', async () => {
      const tenant = await createTenant(plane, platform, 'failing');
      const { token } = tenant.owner;
      const { guardrail } = await plane.expect('Guardrails.Create', token, {
        ...{ organizationId: tenant.id, name: 'words', stage: 'GUARDRAIL_STAGE_INPUT' },
        ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { words: { phrases: ['x'] } } },
      });
      const { value } = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy of samples' });
      const key = await createKey(plane, tenant);
      const sample = {
        ...{ id: uuidv7(), guardrailId: guardrail.id, organizationId: tenant.id, keyId: key.virtualKey.id },
        ...{ requestId: 'one', stage: 'GUARDRAIL_STAGE_INPUT', decision: 'GUARDRAIL_DECISION_UNAVAILABLE' },
        ...{ at: new Date().toISOString(), decisions: 3 },
      };
      await plane.expect('Guardrails.ReportDecisions', value, { samples: [sample] });
      const providerKey = await plane.expect('ProviderKeys.Create', token, {
        ...{
          organizationId: tenant.id,
          provider: 'gpt-provider',
          name: 'main',
          secret: { apiKey: 'sk-1234567890abcd' },
        },
      });
      await database.raw(
        `insert into provider_key_states (provider_key_id, state, at, detail) values ('${providerKey.id}', 'refused', ${Date.now()}, '401')`,
      );
      const { attention } = await plane.expect('Overview.Get', token, { organizationId: tenant.id });
      expect(attention.map(({ kind, targetName }: JsonResponse) => [kind, targetName])).toEqual([
        ['ATTENTION_KIND_PROVIDER_KEY_REFUSED', 'gpt-provider: main'],
        ['ATTENTION_KIND_GUARDRAIL_FAILS', 'words'],
      ]);
    });
  });

  describe('Models.List', () => {
    it('joins the catalog with keys, allow-lists, stops, routes and prices', async () => {
      const tenant = await createTenant(plane, platform, 'models');
      const { token } = tenant.owner;
      const listed = async (fields: object = {}) =>
        plane.expect('Models.List', token, { organizationId: tenant.id, pageSize: 500, ...fields });
      const all = await listed();
      expect(all.count).toBeGreaterThan(100);
      expect(all.models.map(({ name }: JsonResponse) => name)).toEqual(
        all.models.map(({ name }: JsonResponse) => name).toSorted(),
      );
      expect((await listed({ callable: true })).count).toBe(0);
      await plane.expect('ProviderKeys.Create', token, {
        ...{
          organizationId: tenant.id,
          provider: 'gpt-provider',
          name: 'main',
          secret: { apiKey: 'sk-1234567890abcd' },
        },
      });
      await plane.expect('Routes.Create', token, {
        ...{ organizationId: tenant.id, name: 'small' },
        groups: [{ targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }],
      });
      const own = { model: 'gpt-provider/gpt-4o', prices: { input: '1', output: '2' } };
      const price = await plane.expect('Prices.Create', token, { organizationId: tenant.id, ...own });
      const query = { query: 'GPT-4o', provider: 'gpt-provider', callable: true };
      const { models } = await listed(query);
      const byName = new Map<string, JsonResponse>(models.map((model: JsonResponse) => [model.name, model]));
      expect(byName.get('gpt-provider/gpt-4o')).toMatchObject({
        ...{ allowed: true, hasKey: true, stopped: false, custom: false, priceId: price.id },
        ...{ priceOrigin: 'PRICE_ORIGIN_ORGANIZATION', prices: { input: '1', output: '2' } },
      });
      expect(byName.get('gpt-provider/gpt-4o-mini')).toMatchObject({
        ...{ priceOrigin: 'PRICE_ORIGIN_CATALOG', routes: ['small'] },
        prices: { asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      });
      const stop = { organizationId: tenant.id, target: { provider: 'gpt-provider', model: 'gpt-4o' }, reason: 'no' };
      await plane.expect('Stops.Create', token, stop);
      const after = await listed(query);
      expect(after.models.map(({ name }: JsonResponse) => name)).not.toContain('gpt-provider/gpt-4o');
      const first = await listed({ pageSize: 1 });
      const second = await listed({ pageSize: 1, pageToken: first.nextPageToken });
      expect([first.models[0].name, second.models[0].name]).toEqual(
        all.models.slice(0, 2).map(({ name }: JsonResponse) => name),
      );
    });
  });
});

/** Rows of sums in one hour, each of another key. */
function manyHours(organizationId: string, hour: number, rows: number, prefix = 'key'): string {
  const sums = ['requests', 'failed_requests', 'unpriced_requests', 'estimated_requests', 'prompt_tokens'];
  const more = ['completion_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cache_write1h_tokens'];
  const columns = [...sums, ...more, 'reasoning_tokens', 'cost', 'latency_ms'];
  return `insert into usage_hours (organization_id, hour, key_id, ai_system_id, person_id, project_key_id,
      project_ai_system_id, project_person_id, model_asked, ${columns.join(', ')})
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
    select '${organizationId}', ${hour}, '${prefix}-' || n, '', '', '', '', '', 'a/b', ${columns.map(() => 1).join(', ')}
    from numbers`;
}

async function writeFacts(database: StoreDatabase, tenant: TestTenant, facts: object): Promise<void> {
  const id = uuidv7();
  await database.raw(
    `insert into requests (at, organization_id, id, key_id, request_id, result, error_code, provider, model, route, decided_by,
      source, facts)
     values (${Date.now()}, '${tenant.id}', '${id}', '', '${id}', 'ok', '', '', '', '', '', '{}', '${JSON.stringify(facts)}')`,
  );
}
