// Routes through the real server, over both databases: their fields, what they may lead to, the records that proxies
// get, and what keeps a name or a provider.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routesBytesMax, routesMax } from '../../../control-plane/services/routes.ts';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import { type JsonResponse, refusal, type TestTenant, violated } from '../../support/operators.ts';
import { claude, gpt, one, routesOver } from './routes.fixture.ts';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('routes over %s', (_name, fresh) => {
  const {
    fields,
    database,
    freshTenant,
    as,
    call,
    create,
    created,
    recordOf,
    providerKeyOf,
    customProvider,
    setAliases,
    acme,
    platform,
    plane,
    store,
  } = routesOver(fresh);

  it('are created, read, changed and deleted, and each change is an event', async () => {
    const tenant = await freshTenant();
    const request = fields({ groups: [...one(gpt, { ...claude, weight: 3 }), ...one(claude)] }, tenant);
    const route = await as('Routes.Create', request, tenant);
    expect(route).toMatchObject({
      ...{
        organizationId: tenant.id,
        name: request.name,
        active: true,
        settings: {
          ...{ onContext: false, onFilter: false, onBudget: false, keepReasoning: false },
          recovery: 'ROUTE_RECOVERY_OFF',
        },
      },
      groups: [
        {
          targets: [
            { ...gpt, weight: 1 },
            { ...claude, weight: 3 },
          ],
        },
        { targets: [{ ...claude, weight: 1 }] },
      ],
    });
    const { id, revision } = route;
    expect(await plane().expect('Routes.Get', tenant.admin.token, { id })).toEqual(route);
    const settings = { onContext: true, onFilter: true, recovery: 'ROUTE_RECOVERY_CONTINUE' };
    const change = { id, ifRevision: revision, active: false, settings };
    const changed = await as('Routes.Update', change, tenant);
    expect(changed).toEqual({
      ...{ ...route, active: false, settings: expect.objectContaining(settings) },
      revision: changed.revision,
    });
    const unspecified = { recovery: 'ROUTE_RECOVERY_UNSPECIFIED' };
    expect(await as('Routes.Update', { id, settings: unspecified }, tenant)).toEqual(changed);
    expect(await as('Routes.Update', { id, name: request.name, groups: request.groups }, tenant)).toEqual(changed);
    expect(await refusal(call('Routes.Update', change, tenant))).toMatchObject({ reason: 'revision_mismatch' });
    const renamed = await as('Routes.Update', { id, name: `${request.name}-2`, groups: one(claude) }, tenant);
    expect(renamed).toMatchObject({ name: `${request.name}-2`, active: false });
    expect(renamed.groups).toMatchObject(one(claude));
    await as('Routes.Delete', { id }, tenant);
    expect((await call('Routes.Get', { id }, tenant)).code).toBe('NOT_FOUND');

    const { events } = await as('Audit.List', { organizationId: tenant.id, targetId: id }, tenant);
    expect(events.map((event: JsonResponse) => [event.action, event.targetKind])).toEqual([
      ['Routes.Delete', 'route'],
      ['Routes.Update', 'route'],
      ['Routes.Update', 'route'],
      ['Routes.Create', 'route'],
    ]);
    expect(JSON.parse(events[2].before)).toMatchObject({ active: true, groups: request.groups });
    expect(JSON.parse(events[2].after)).toMatchObject({ active: false, groups: request.groups });
  });

  it('reach proxies while they are active, and each change invalidates the organization', async () => {
    const tenant = await freshTenant();
    expect(await recordOf(tenant)).toEqual([]);
    const { revision: before } = await store().position();
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id };
    const conditions = { streamed: true, hasImages: false, tokensAbove: 1000, tag: 'eu', scope };
    const target = { ...gpt, weight: 7, maxOutputTokens: 100, reasoningEffort: 'REASONING_EFFORT_LOW', wholeMs: 5000 };
    const canary = { ...claude, weight: 1, canary: 2.5, connectMs: 300 };
    const group = { targets: [target, canary], conditions, choice: 'GROUP_CHOICE_STICKY' };
    const settings = { onFilter: true, onBudget: true, keepReasoning: true };
    const route = await created({ groups: [group], settings }, tenant);
    const second = await created({}, tenant);
    const [record, other] = await recordOf(tenant);
    expect([record.id, other.id]).toEqual([route.id, second.id]);
    expect(record).toMatchObject({
      ...{ name: route.name, settings: { ...settings, onContext: false }, revision: route.revision },
      groups: [group],
    });
    expect(Object.keys(record)).not.toContain('createdAt');
    await as('Routes.Update', { id: second.id, active: false }, tenant);
    expect((await recordOf(tenant)).map(({ id }: JsonResponse) => id)).toEqual([route.id]);
    await as('Routes.Delete', { id: route.id }, tenant);
    expect(await recordOf(tenant)).toEqual([]);
    const { changes } = await store().changesAfter(before, 100);
    expect(changes.filter(({ kind, ref }) => kind === 'organization' && ref === tenant.id)).toHaveLength(4);
  });

  it('are listed in the order of their creation, in pages', async () => {
    const tenant = await freshTenant();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await created({}, tenant)).id);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await as('Routes.List', { organizationId: tenant.id, pageSize: 2, pageToken }, tenant);
      seen.push(...page.routes.map(({ id }: JsonResponse) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(made);
    expect(await violated(call('Routes.List', { organizationId: tenant.id, pageToken: 'x' }, tenant))).toEqual([
      'page_token',
    ]);
  });

  it('report all wrong fields at once', async () => {
    const groups = [{ targets: [{ ...gpt, weight: 1001 }, { model: 'gpt-4o' }] }, { targets: [] }];
    expect(await violated(create({ name: 'Fast', groups }))).toEqual([
      ...['name', 'groups[0].targets[0].weight', 'groups[0].targets[1].model', 'groups[1].targets'],
    ]);
    expect(await violated(create({ groups: [] }))).toEqual(['groups']);
    const { id } = await created();
    expect(await violated(call('Routes.Update', { id, name: '', groups: one(gpt, gpt) }))).toEqual([
      ...['name', 'groups[0].targets[1]'],
    ]);
  });

  it('lead to models that are known, or whose provider is, if the operator insists', async () => {
    const groups = one({ model: 'gpt-provider/gpt-99' });
    expect(await violated(create({ groups }))).toEqual(['groups[0].targets[0].model']);
    const { id } = await created({ groups, allowUnmatched: true });
    const update = { id, name: 'gpt-provider/gpt-98' };
    expect(await violated(call('Routes.Update', update))).toEqual(['name']);
    expect(await as('Routes.Update', { ...update, allowUnmatched: true })).toMatchObject({ name: update.name, groups });
    const nobodys = { groups: one({ model: 'nobody/gpt-4o' }), allowUnmatched: true };
    expect(await violated(create(nobodys))).toEqual(['groups[0].targets[0].model']);
  });

  it('lead to provider keys of the organization, for the provider of the model', async () => {
    const [own, others] = [await providerKeyOf(acme()), await providerKeyOf(await freshTenant())];
    const groups = one({ ...gpt, providerKeyId: own.id });
    expect(await created({ groups })).toMatchObject({ groups });
    const wrong = [own.id, others.id, randomUUID()].map((providerKeyId) => ({ ...claude, providerKeyId }));
    expect(await violated(create({ groups: [...groups, { targets: wrong }] }))).toEqual([
      ...[0, 1, 2].map((index) => `groups[1].targets[${index}].provider_key_id`),
    ]);
  });

  it('keep a target whose provider key was deleted, and refuse to have it set again', async () => {
    const tenant = await freshTenant();
    const key = await providerKeyOf(tenant);
    const groups = one({ ...gpt, providerKeyId: key.id }, gpt);
    const route = await created({ groups }, tenant);
    await as('ProviderKeys.Delete', { id: key.id }, tenant);
    expect((await recordOf(tenant))[0]).toMatchObject({ revision: route.revision, groups });
    expect(await as('Routes.Update', { id: route.id, settings: { onContext: true } }, tenant)).toMatchObject({
      groups,
    });
    const anew = call('Routes.Update', { id: route.id, groups: [...groups, ...one(gpt)] }, tenant);
    expect(await violated(anew)).toEqual(['groups[0].targets[0].provider_key_id']);
  });

  it('have conditions on scopes of the organization', async () => {
    const tenant = await freshTenant();
    const system = await as('AiSystems.Create', { organizationId: tenant.id, name: 'shop' }, tenant);
    const scoped = (kind: string, id: string) => [
      ...one(gpt),
      { targets: [claude], conditions: { scope: { kind: `KEY_SCOPE_KIND_${kind}`, id } } },
    ];
    expect(await created({ groups: scoped('AI_SYSTEM', system.id) }, tenant)).toHaveProperty('id');
    expect(await created({ groups: scoped('PERSON', tenant.member.id) }, tenant)).toHaveProperty('id');
    for (const [kind, id] of [
      ['AI_SYSTEM', randomUUID()],
      ['PERSON', acme().member.id],
      ['ORGANIZATION', acme().id],
    ] as const) {
      expect(await violated(create({ groups: scoped(kind, id) }, tenant))).toEqual(['groups[1].conditions.scope.id']);
    }
  });

  it('have names that are unique in their organization, in every spelling of a model', async () => {
    const { id, name } = await created();
    expect(await refusal(create({ name }))).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'name_taken' });
    const another = await created();
    expect(await refusal(call('Routes.Update', { id: another.id, name }))).toMatchObject({ reason: 'name_taken' });
    expect((await as('Routes.Update', { id, name })).name).toBe(name);
    const tenant = await freshTenant();
    expect((await created({ name }, tenant)).name).toBe(name);
    expect(await created({ name: 'openai/gpt-4o-2024-08-06' }, tenant)).toMatchObject({ name: 'gpt-provider/gpt-4o' });
    expect(await refusal(create({ name: 'gpt-provider/gpt-4o' }, tenant))).toMatchObject({ reason: 'name_taken' });
  });

  it('share their names with no model alias, whichever is first', async () => {
    const tenant = await freshTenant();
    const alias = (name: string) => ({ name, model: gpt.model });
    expect((await setAliases(tenant, alias('quick'))).code).toBe('OK');
    expect(await refusal(create({ name: 'quick' }, tenant))).toMatchObject({
      ...{ code: 'ALREADY_EXISTS', reason: 'name_taken' },
      violations: { name: expect.any(String) },
    });
    const { id } = await created({ name: 'fast' }, tenant);
    const renamed = call('Routes.Update', { id, name: 'quick' }, tenant);
    expect(await refusal(renamed)).toMatchObject({ reason: 'name_taken' });
    expect(await refusal(setAliases(tenant, alias('quick'), alias('fast')))).toMatchObject({
      ...{ code: 'ALREADY_EXISTS', reason: 'name_taken' },
      violations: { 'settings.models.aliases.aliases[1].name': expect.any(String) },
    });
    expect(await violated(setAliases(tenant, alias('route/fast')))).toEqual([
      'settings.models.aliases.aliases[0].name',
    ]);
    await as('Routes.Delete', { id }, tenant);
    expect((await setAliases(tenant, alias('fast'))).code).toBe('OK');
    expect((await create({ name: 'quick' }, tenant)).code).toBe('OK');
  });

  it("keep the custom providers that they lead to, also the platform's", async () => {
    const tenant = await freshTenant();
    const own = await customProvider(tenant.owner.token, { organizationId: tenant.id });
    const platforms = await customProvider(platform().token, {});
    const target = await created({ groups: one(gpt, { model: `${platforms.name}/m` }), active: false }, tenant);
    const replaced = await created({ name: `${own.name}/m` }, tenant);
    const removeOwn = () => plane().call('Providers.Delete', tenant.owner.token, { id: own.id });
    const removePlatforms = () => plane().call('Providers.Delete', platform().token, { id: platforms.id });
    expect(await refusal(removeOwn())).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'provider_in_use' });
    expect(await refusal(removePlatforms())).toMatchObject({ reason: 'provider_in_use' });
    await as('Routes.Update', { id: target.id, groups: one(gpt) }, tenant);
    await as('Routes.Delete', { id: replaced.id }, tenant);
    expect([(await removeOwn()).code, (await removePlatforms()).code]).toEqual(['OK', 'OK']);
  });

  /** Copies a route of the tenant in the database. */
  const fill = async (tenant: TestTenant, copies: number, bytes: number) => {
    const { id } = await created({}, tenant);
    const numbers = Array.from({ length: copies }, (_, n) => `select ${n} as n`).join(' union all ');
    const columns = 'organization_id, active, body, target_groups, settings, created_at, revision';
    for (let from = 0; from < copies; from += 400) {
      const some = numbers.split(' union all ').slice(from, from + 400);
      await database().raw(
        `insert into routes (id, name, record_bytes, ${columns})
         select routes.id || '-' || n, name || '-' || n, ${bytes}, ${columns} from routes
         cross join (${some.join(' union all ')}) numbers where routes.id = '${id}'`,
      );
    }
    return id;
  };

  it(`are limited to ${routesMax} of one organization, and the last can still be changed`, async () => {
    const tenant = await freshTenant();
    const id = await fill(tenant, routesMax - 1, 100);
    expect(await refusal(create({}, tenant))).toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'too_many_routes', message: expect.stringContaining('10000') },
    });
    expect(await as('Routes.Update', { id, settings: { onContext: true } }, tenant)).toMatchObject({
      settings: { onContext: true },
    });
    await as('Routes.Delete', { id }, tenant);
    expect((await create({}, tenant)).code).toBe('OK');
    // All of them fit into one response.
    expect(await recordOf(tenant)).toHaveLength(routesMax);
  });

  it("are limited in size, because they must fit into their organization's record", async () => {
    const tenant = await freshTenant();
    const id = await fill(tenant, 4, routesBytesMax / 4 - 100);
    expect(await refusal(create({ groups: Array(8).fill({ targets: [gpt, claude] }) }, tenant))).toMatchObject({
      ...{ reason: 'too_many_routes', message: expect.stringContaining('2 MiB') },
    });
    const larger = call('Routes.Update', { id, groups: Array(8).fill({ targets: [gpt, claude] }) }, tenant);
    expect(await refusal(larger)).toMatchObject({ reason: 'too_many_routes' });
    expect((await create({}, tenant)).code).toBe('OK');
  });
});
