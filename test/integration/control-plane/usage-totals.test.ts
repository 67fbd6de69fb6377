// Totals of usage as operators request them, over both databases.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs, hourMs } from '../../../common/durations.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

// Recent enough not to be deleted.
const day = Date.parse(dayOf(Date.now())) - 3 * dayMs;
const iso = (after: number) => new Date(day + after).toISOString();
const systems = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2'] as const;
const keys = ['00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000b2'] as const;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('totals of usage over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let acme: TestTenant;
  let other: TestTenant;

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    const platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    await recordEvents(store, eventsOf(acme));
    await recordEvents(store, [usageEvent({ organization_id: other.id, at: day, cost: 77 })]);
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const range = { from: iso(0), to: iso(2 * dayMs) };

  async function totals(fields: object, token = acme.owner.token): Promise<JsonResponse[]> {
    const request = { organizationId: acme.id, ...range, ...fields };
    return (await plane.expect('Usage.Totals', token, request)).totals;
  }

  /** Number of requests by group; "" for none. */
  async function requestsBy(dimension: string, field: string, fields: object = {}, token?: string) {
    const rows = await totals({ groupBy: [`USAGE_DIMENSION_${dimension}`], ...fields }, token);
    return Object.fromEntries(rows.map((row) => [row[field] ?? '', Number(row.requests)]));
  }

  it('are one row without a group', async () => {
    expect(await totals({})).toEqual([
      {
        requests: '6',
        failedRequests: '1',
        unpricedRequests: '1',
        estimatedRequests: '1',
        tokens: {
          prompt: '600',
          completion: '120',
          cacheRead: '60',
          cacheWrite: '30',
          cacheWrite1h: '6',
          reasoning: '42',
        },
        costUsd: '0.009',
        meanLatencyMs: '250',
        metadata: {},
      },
    ]);
  });

  it('are one row of zeros without usage', async () => {
    const [row] = await totals({ from: iso(-9 * dayMs), to: iso(-8 * dayMs) });
    expect(row).toMatchObject({ requests: '0', costUsd: '0', meanLatencyMs: '0' });
  });

  it('count a request to the AI system of its key, else to that of its project key', async () => {
    expect(await requestsBy('AI_SYSTEM', 'aiSystemId')).toEqual({ [systems[0]]: 2, [systems[1]]: 1, '': 3 });
  });

  it('count a request to the person of its key, else to that of its project key', async () => {
    expect(await requestsBy('PERSON', 'personId')).toEqual({
      [acme.member.id]: 2,
      [acme.admin.id]: 1,
      '': 3,
    });
  });

  it('can be grouped by key, model, provider, day and hour', async () => {
    expect(await requestsBy('KEY', 'keyId')).toEqual({ [keys[0]]: 5, [keys[1]]: 1 });
    expect(await requestsBy('MODEL', 'model')).toEqual({
      'gpt-provider/gpt-4o': 4,
      'gpt-provider/GPT-4o': 1,
      'my-models/a/b': 1,
    });
    expect(await requestsBy('PROVIDER', 'provider')).toEqual({ 'gpt-provider': 5, 'my-models': 1 });
    expect(await requestsBy('DAY', 'at')).toEqual({
      [iso(0)]: 5,
      [iso(dayMs)]: 1,
    });
    expect(await requestsBy('HOUR', 'at')).toEqual({
      [iso(0)]: 3,
      [iso(hourMs)]: 2,
      [iso(dayMs)]: 1,
    });
  });

  it('have a row for each combination that occurs, in a stable order, in pages', async () => {
    const groupBy = ['USAGE_DIMENSION_DAY', 'USAGE_DIMENSION_PROVIDER', 'USAGE_DIMENSION_KEY'];
    const whole = await totals({ groupBy });
    expect(whole.map(({ at, provider, keyId }) => [at, provider, keyId])).toEqual([
      [iso(0), 'gpt-provider', keys[0]],
      [iso(0), 'gpt-provider', keys[1]],
      [iso(dayMs), 'my-models', keys[0]],
    ]);
    const paged: JsonResponse[] = [];
    let pageToken = '';
    do {
      const request = { organizationId: acme.id, ...range, groupBy, pageSize: 1, pageToken };
      const page = await plane.expect('Usage.Totals', acme.owner.token, request);
      expect(page.totals).toHaveLength(1);
      paged.push(...page.totals);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(paged).toEqual(whole);
  });

  it.each([
    [{ model: 'gpt-provider/*' }, 5],
    [{ model: 'gpt-provider/gpt*' }, 4],
    [{ model: 'gpt-provider/gpt-4o' }, 4],
    [{ model: '*/b' }, 1],
    [{ model: 'nothing/*', allowUnmatched: true }, 0],
    [{ provider: 'my-models' }, 1],
    [{ keyId: keys[1] }, 1],
    [{ aiSystemId: systems[1] }, 1],
    [{ aiSystemId: systems[0], keyId: keys[1] }, 0],
  ])('are filtered by %j', async (fields, requests) => {
    const [row] = await totals(fields);
    expect(Number(row.requests)).toBe(requests);
  });

  it('round their range to whole hours', async () => {
    const requests = async (from: string, to: string) => Number((await totals({ from, to }))[0].requests);
    expect(await requests(iso(hourMs - 1), iso(hourMs))).toBe(3);
    expect(await requests(iso(hourMs), iso(hourMs + 1))).toBe(2);
    expect(await requests(iso(2 * hourMs), iso(dayMs))).toBe(0);
  });

  it('are of the current month without a range', async () => {
    const now = Date.now();
    const month = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth())).getTime();
    const model = `month/${now}`;
    const at = (time: number) => usageEvent({ organization_id: other.id, at: time, model_asked: model });
    await recordEvents(store, [at(month - 1), at(month), at(now)]);
    const response = await plane.expect('Usage.Totals', other.owner.token, {
      organizationId: other.id,
      model,
    });
    expect(response.totals[0].requests).toBe('2');
  });

  it('show members their own usage', async () => {
    const { token } = acme.member;
    expect((await totals({}, token))[0].requests).toBe('2');
    expect(await requestsBy('PERSON', 'personId', {}, token)).toEqual({ [acme.member.id]: 2 });
    expect((await totals({ personId: acme.member.id }, token))[0].requests).toBe('2');
    expect(await totals({ personId: acme.admin.id }, token)).toEqual([]);
    expect((await totals({ personId: acme.admin.id }, acme.admin.token))[0].requests).toBe('1');
  });

  it('of other organizations are refused, also to the platform', async () => {
    const request = { organizationId: acme.id, ...range };
    for (const { token } of [other.owner, other.member]) {
      expect(await refusal(plane.call('Usage.Totals', token, request))).toMatchObject({
        reason: 'not_found',
      });
    }
  });

  it('show when a key was last used, without a change of the key', async () => {
    const { token } = acme.owner;
    const { virtualKey } = await createKey(plane, acme);
    expect(virtualKey.lastUsedAt).toBeUndefined();
    const audited = async () => (await plane.expect('Audit.List', token, { organizationId: acme.id })).events;
    const before = await audited();
    const at = day + 5 * dayMs;
    await recordEvents(store, [usageEvent({ organization_id: acme.id, key_id: virtualKey.id, at })]);
    const shown = await plane.expect('VirtualKeys.Get', token, { id: virtualKey.id });
    expect(shown).toMatchObject({
      ...virtualKey,
      lastUsedAt: new Date(at).toISOString(),
      _lastUsedAt: 'lastUsedAt',
    });
    expect(await audited()).toEqual(before);
  });

  it('are exact beyond the precision of a number', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const at = day - 30 * dayMs;
    const costly = [0, 1, 2].map((hour) =>
      usageEvent({ organization_id: acme.id, at: at + hour * hourMs, cost: most }),
    );
    await recordEvents(store, costly);
    const [row] = await totals({ from: iso(-30 * dayMs), to: iso(-29 * dayMs) });
    expect(row.costUsd).toBe('27021597.764222973');
  });

  it.each([
    [{ from: 'yesterday' }, ['from']],
    [{ from: iso(0), to: iso(0) }, ['to']],
    [{ groupBy: ['USAGE_DIMENSION_UNSPECIFIED'] }, ['group_by[0]']],
    [{ groupBy: ['USAGE_DIMENSION_KEY', 'USAGE_DIMENSION_KEY'] }, ['group_by']],
    [{ groupBy: ['USAGE_DIMENSION_DAY', 'USAGE_DIMENSION_HOUR'] }, ['group_by']],
    [{ keyId: 'x', model: 'a b', provider: 'A/B' }, ['key_id', 'model', 'provider']],
    [{ pageSize: 1001 }, ['page_size']],
    [{ pageToken: 'W10' }, ['page_token']],
    [{ groupBy: ['USAGE_DIMENSION_DAY'], pageToken: Buffer.from('["a"]').toString('base64url') }, ['page_token']],
  ])('refuse %j', async (fields, fieldsAtFault) => {
    const request = { organizationId: acme.id, ...range, ...fields };
    expect(await violated(plane.call('Usage.Totals', acme.owner.token, request))).toEqual(fieldsAtFault);
  });
});

function eventsOf(tenant: TestTenant): readonly UsageEventRow[] {
  const event = (fields: Partial<UsageEventRow>) =>
    usageEvent({ organization_id: tenant.id, key_id: keys[0], at: day, ...fields });
  return [
    event({ ai_system_id: systems[0], project_ai_system_id: systems[1] }),
    event({ ai_system_id: systems[0], status: 500 }),
    event({ project_ai_system_id: systems[1], at: day + hourMs - 1, unpriced: 1 }),
    event({
      person_id: tenant.member.id,
      project_person_id: tenant.admin.id,
      at: day + hourMs,
      estimated: 1,
    }),
    event({ project_person_id: tenant.member.id, at: day + dayMs, model_asked: 'my-models/a/b' }),
    event({
      key_id: keys[1],
      person_id: tenant.admin.id,
      at: day + hourMs,
      model_asked: 'gpt-provider/GPT-4o',
    }),
  ];
}
