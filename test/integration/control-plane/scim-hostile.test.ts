// Provisioning by SCIM 2.0 against hostile clients, and with very many users.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  freely,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { type ScimClient, scimTenant } from '../../support/scim.ts';

describe('a hostile client', () => {
  let plane: OperatorsPlane;
  let scim: ScimClient;
  let acme: TestTenant;
  let platform: Someone;
  let database: StoreDatabase;

  beforeAll(async () => {
    database = await freshSqlite();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url }, rates: freely });
    platform = await bootstrap(plane);
    ({ scim, tenant: acme } = await scimTenant(plane, platform));
  });
  afterAll(async () => {
    await plane?.close();
    await database?.drop();
  });

  it.each<[string, object, string]>([
    ['an unknown path', { op: 'replace', path: 'role', value: 'owner' }, 'invalidPath'],
    ['a prototype', { op: 'replace', path: '__proto__.active', value: true }, 'invalidPath'],
    ['a constructor', { op: 'add', path: 'constructor.prototype', value: {} }, 'invalidPath'],
    ['a prototype as a part', { op: 'add', path: 'name.__proto__', value: {} }, 'invalidPath'],
    ['an unknown name', { op: 'add', value: { role: 'owner' } }, 'invalidPath'],
    ['a filter that is none', { op: 'add', path: 'emails[type eq].value', value: 'x' }, 'invalidPath'],
    ['a required attribute', { op: 'remove', path: 'userName' }, 'invalidValue'],
    ['no path to remove', { op: 'remove' }, 'noTarget'],
    ['another operation', { op: 'move', path: 'userName', value: 'x' }, 'invalidSyntax'],
    ['a number for a text', { op: 'replace', path: 'userName', value: 5 }, 'invalidValue'],
    ['a text for a flag', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['a text that is too long', { op: 'replace', path: 'displayName', value: 'x'.repeat(600) }, 'invalidValue'],
  ])('is refused with %s, and nothing changes', async (_what, operation, scimType) => {
    const user = await scim.user();
    const { status, json } = await scim.patch(
      `/Users/${user.id}`,
      { op: 'replace', path: 'displayName', value: 'half' },
      operation,
    );
    expect([status, json.scimType, json.status]).toEqual([400, scimType, '400']);
    expect((await scim.send('GET', `/Users/${user.id}`)).json).toEqual(user);
  });

  it('sets no prototype, whatever the body', async () => {
    const body = '{"userName":"proto","__proto__":{"active":false},"name":{"__proto__":{"givenName":"x"}}}';
    const { status, json } = await scim.send('POST', '/Users', body);
    expect([status, json.active, json.name]).toEqual([201, true, undefined]);
    expect(({} as JsonResponse).givenName).toBeUndefined();
  });

  it.each<[string, string, unknown, number]>([
    ['a huge body', 'POST /Users', { userName: 'x', displayName: 'x'.repeat(1_100_000) }, 413],
    ['no JSON', 'POST /Users', '{', 400],
    ['a deep body', 'POST /Users', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
    ['a list', 'POST /Users', [], 400],
    ['another schema', 'POST /Users', { schemas: ['x'], userName: 'x' }, 400],
    ['no name', 'POST /Users', { displayName: 'x' }, 400],
    ['no id', 'PATCH /Users', {}, 405],
    ['Me', 'GET /Me', undefined, 501],
    ['a bulk', 'POST /Bulk', {}, 501],
    ['another path', 'GET /Groups/1/2', undefined, 404],
    ['a path that is badly encoded', 'GET /Schemas/%zz', undefined, 404],
    ['a property of objects', 'GET /constructor', undefined, 404],
    ['a page that is no number', 'GET /Users?startIndex=x', undefined, 400],
    ['a member that is no id', 'POST /Groups', { displayName: 'x', members: [{ value: "' or 1=1" }] }, 400],
  ])('gets an error in SCIM’s form for %s', async (_what, request, body, expected) => {
    const [method = '', path = ''] = request.split(' ');
    const { status, json } = await scim.send(method, path, body);
    expect([status, json.status, json.schemas]).toEqual([
      expected,
      String(expected),
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ]);
  });

  it('without a token, or with that of an operator, gets nothing', async () => {
    for (const authorization of ['', 'Bearer x', `Bearer ${acme.owner.token}`, `Bearer ${scim.token.slice(0, -1)}x`]) {
      const { status } = await scim.send('GET', '/Users', undefined, { authorization });
      expect(status).toBe(401);
    }
    expect(plane.logs.join('')).not.toContain(scim.token);
  });

  it('reads ten thousand users page by page', async () => {
    const { tenant, scim: large } = await scimTenant(plane, platform);
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)';
    // Ids are in the order of the numbers.
    const id = (kind: string) => `'00000000-0000-7000-800${kind}-' || printf('%012d', i)`;
    await database.raw(
      `${numbers} insert into people (id, organization_id, name, role, active, allowed_models, created_at, revision)
         select ${id('1')}, '${tenant.id}', 'many ' || i, 'member', 1, '[]', 1, 1 from n;
       ${numbers} insert into scim_users (id, issuer_id, person_id, made_person, user_name, user_name_key, emails,
           attributes, created_at, modified_at, revision)
         select ${id('2')}, '${large.issuerId}', ${id('1')}, 1, 'many ' || i, 'many ' || i, '[]', '{}', 1, 1, 1 from n;`,
    );
    const seen = new Set<string>();
    for (const [startIndex, expected] of [
      [1, 200],
      [201, 200],
      [5000, 200],
      [9901, 100],
      [10_001, 0],
    ]) {
      const { json } = await large.send('GET', `/Users?startIndex=${startIndex}&count=1000&attributes=userName`);
      expect([json.totalResults, json.itemsPerPage]).toEqual([10_000, expected]);
      for (const { id } of json.Resources) seen.add(id);
    }
    expect(seen.size).toBe(700);
    const { json } = await large.send('GET', '/Users?count=0');
    expect([json.totalResults, json.Resources]).toEqual([10_000, []]);
  });
});
