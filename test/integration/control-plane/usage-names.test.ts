// Totals and exports in people's words, over both databases: names beside ids, several values of a filter, rows in the
// order of their cost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

// Recent enough not to be deleted.
const day = Date.parse(dayOf(Date.now())) - 3 * dayMs;
const range = { from: new Date(day).toISOString(), to: new Date(day + dayMs).toISOString() };
const byKey = { groupBy: ['USAGE_DIMENSION_KEY'] };
const gone = '00000000-0000-4000-8000-0000000000c1';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('usage over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let acme: TestTenant;
  let other: TestTenant;
  let shop: string;
  const keys: Record<string, string> = {};

  const make = async (method: string, fields: object, tenant = acme) =>
    await plane.expect(method, tenant.owner.token, { organizationId: tenant.id, ...fields });
  const makeKey = async (name: string, scope: object, tenant = acme) => {
    keys[name] = (await make('VirtualKeys.Create', { name, scope }, tenant)).virtualKey.id;
  };
  async function response(fields: object, token = acme.owner.token): Promise<JsonResponse> {
    return await plane.expect('Usage.Totals', token, { organizationId: acme.id, ...range, ...fields });
  }
  const totals = async (fields: object, token?: string): Promise<JsonResponse[]> =>
    (await response(fields, token)).totals;
  const namesOf = (rows: JsonResponse[]) => rows.map(({ keyName }) => keyName);

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    const platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    shop = (await make('AiSystems.Create', { name: '=shop' })).id;
    await makeKey('checkout', { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: shop });
    await makeKey('mine', { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.member.id });
    await makeKey('of all', { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id });
    await makeKey('foreign', { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: other.id }, other);
    await plane.expect('VirtualKeys.Revoke', acme.owner.token, { id: keys.checkout });
    const event = { organization_id: acme.id, at: day };
    await recordEvents(store, [
      usageEvent({ ...event, key_id: keys.checkout ?? '', ai_system_id: shop, cost: 30_000_000, prompt_tokens: 1 }),
      usageEvent({ ...event, key_id: keys.mine ?? '', person_id: acme.member.id, cost: 20_000_000, status: 500 }),
      usageEvent({ ...event, key_id: keys['of all'] ?? '', cost: 20_000_000 }),
      usageEvent({ ...event, key_id: keys['of all'] ?? '', project_person_id: acme.member.id, model_asked: 'x/y' }),
      usageEvent({ ...event, key_id: gone, cost: 5_000_000, provider: 'my-models', model_asked: 'my-models/a' }),
      // A row must not read a name of another organization, whatever its ids are.
      usageEvent({ ...event, key_id: keys.foreign ?? '', cost: 1_000_000 }),
    ]);
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  it('has the names of what it belongs to, and none of what is gone or of another organization', async () => {
    const rows = await totals(byKey);
    const found = Object.fromEntries(
      rows.map(({ keyId, keyName, keyScopeKind, keyScopeName }) => [keyId, [keyName, keyScopeKind, keyScopeName]]),
    );
    const person = await plane.expect('People.Get', acme.owner.token, { id: acme.member.id });
    expect(found).toEqual({
      [keys.checkout ?? '']: ['checkout', 'KEY_SCOPE_KIND_AI_SYSTEM', '=shop'],
      [keys.mine ?? '']: ['mine', 'KEY_SCOPE_KIND_PERSON', person.name],
      [keys['of all'] ?? '']: ['of all', 'KEY_SCOPE_KIND_ORGANIZATION', undefined],
      [gone]: [undefined, undefined, undefined],
      [keys.foreign ?? '']: [undefined, undefined, undefined],
    });
    const systems = await totals({ groupBy: ['USAGE_DIMENSION_AI_SYSTEM'] });
    expect(systems.map(({ aiSystemName }) => aiSystemName)).toEqual([undefined, '=shop']);
    const people = await totals({ groupBy: ['USAGE_DIMENSION_PERSON'] });
    expect(people.map(({ personName }) => personName)).toEqual([undefined, person.name]);
  });

  it('is listed by cost, requests, tokens or failed requests, the highest first', async () => {
    const top = async (orderBy: string) => namesOf(await totals({ ...byKey, orderBy, top: 2 }));
    expect(await top('USAGE_ORDER_COST')).toEqual(['checkout', 'of all']);
    expect((await top('USAGE_ORDER_REQUESTS'))[0]).toBe('of all');
    expect((await totals({ ...byKey, orderBy: 'USAGE_ORDER_TOKENS' })).at(-1)).toMatchObject({ keyName: 'checkout' });
    expect((await top('USAGE_ORDER_FAILED_REQUESTS'))[0]).toBe('mine');
    expect((await response({ ...byKey, orderBy: 'USAGE_ORDER_COST', top: 2 })).nextPageToken).toBe('');
  });

  it('is listed by cost in pages, also where costs are equal', async () => {
    const request = { groupBy: ['USAGE_DIMENSION_KEY', 'USAGE_DIMENSION_MODEL'], orderBy: 'USAGE_ORDER_COST' };
    const whole = await totals(request);
    const costs = whole.map(({ costUsd }) => Number(costUsd));
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs.filter((cost) => cost === 0.02)).toHaveLength(2);
    const paged: JsonResponse[] = [];
    let pageToken = '';
    do {
      const page = await response({ ...request, pageSize: 1, pageToken });
      paged.push(...page.totals);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(paged).toEqual(whole);
  });

  it('is filtered by several values, beside the single ones', async () => {
    const requests = async (fields: object) => Number((await totals(fields))[0]?.requests);
    expect(await requests({ filter: { keyIds: [keys.mine, keys.checkout] } })).toBe(2);
    expect(await requests({ keyId: keys.mine, filter: { keyIds: [keys.mine, keys.checkout] } })).toBe(1);
    expect(await requests({ keyId: gone, filter: { keyIds: [keys.mine] } })).toBe(0);
    expect(await requests({ filter: { models: ['x/*', 'my-models/*'] } })).toBe(2);
    expect(await requests({ model: 'x/y', filter: { models: ['x/*', 'my-models/*'] } })).toBe(1);
    expect(await requests({ filter: { providers: ['my-models', 'gpt-provider'], aiSystemIds: [shop] } })).toBe(1);
    expect(await requests({ filter: { personIds: [acme.member.id, acme.admin.id] } })).toBe(2);
  });

  it('shows members their own usage, with names of their own keys', async () => {
    const { token, id } = acme.member;
    const rows = await totals({ ...byKey, filter: { personIds: [id, acme.admin.id] } }, token);
    expect(rows.map(({ keyId, keyName }) => [keyId, keyName]).toSorted()).toEqual(
      [
        [keys.mine, 'mine'],
        [keys['of all'], undefined],
      ].toSorted(),
    );
    expect(await totals({ ...byKey, filter: { personIds: [acme.admin.id] } }, token)).toEqual([]);
  });

  it.each([
    [{ top: 0 }, ['top']],
    [{ top: 501 }, ['top']],
    [{ top: 1, pageToken: 'W10' }, ['top']],
    [{ orderBy: 9 }, ['order_by']],
    [{ ...byKey, orderBy: 'USAGE_ORDER_COST', pageToken: Buffer.from('["a"]').toString('base64url') }, ['page_token']],
    [{ filter: { keyIds: ['x'] } }, ['filter.key_ids[0]']],
    [{ filter: { models: ['gpt-provider/no-such-model'] } }, ['filter.models[0]']],
    [{ filter: { models: Array.from({ length: 21 }, () => '*') } }, ['filter.models']],
  ])('refuses %j', async (fields, fieldsAtFault) => {
    const request = { organizationId: acme.id, ...range, ...fields };
    expect(await violated(plane.call('Usage.Totals', acme.owner.token, request))).toEqual(fieldsAtFault);
  });

  it('is exported with names in columns at the end, which no spreadsheet reads as formulas', async () => {
    const exported = await fetch(`http://127.0.0.1:${plane.plane.httpPort}/gateway.v1.Usage/Export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${acme.owner.token}` },
      body: JSON.stringify({ organizationId: acme.id, ...range, format: 'USAGE_FORMAT_CSV' }),
    });
    const [header = '', ...lines] = (await exported.text()).trimEnd().split('\r\n');
    expect(header).toMatch(/,guardrail_id,key_name,ai_system_name,person_name,project_key_name,.*,author_name$/);
    const cells = lines.map((line) => line.split(',').slice(-8, -5));
    expect(cells).toHaveLength(6);
    expect(cells).toContainEqual(['checkout', "'=shop", '']);
    expect(cells).toContainEqual(['mine', '', expect.stringMatching(/./)]);
    expect(cells.filter(([key]) => key === '')).toHaveLength(2);
    expect(lines.join()).not.toContain('foreign');
  });
});
