// Settings of routes through the real server, over both databases: cached responses, hedges, ceilings, copies.
import { describe, expect, it } from 'vitest';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import { type JsonResponse, violated } from '../../support/operators.ts';
import { claude, gpt, one, routesOver } from './routes.fixture.ts';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('routes over %s', (_name, fresh) => {
  const { freshTenant, as, call, create, created, recordOf, providerKeyOf, customProvider, acme } = routesOver(fresh);

  it('cache responses for a time that a change may leave out, and reach proxies with it', async () => {
    const tenant = await freshTenant();
    const { id, settings } = await created({ settings: { cache: { ttlSeconds: 86_400 } } }, tenant);
    expect(settings.cache).toMatchObject({ ttlSeconds: 86_400, perScope: false, pricePercent: 0 });
    const update = (cache: object) => as('Routes.Update', { id, settings: { cache } }, tenant);
    const { settings: changed } = await update({ perScope: true, pricePercent: 100 });
    expect(changed.cache).toMatchObject({ ttlSeconds: 86_400, perScope: true, pricePercent: 100 });
    expect((await as('Routes.Update', { id, settings: { onContext: true } }, tenant)).settings.cache).toEqual(
      changed.cache,
    );
    expect((await recordOf(tenant))[0].settings.cache).toMatchObject({ ttlSeconds: 86_400, pricePercent: 100 });
    expect((await update({ ttlSeconds: 0 })).settings.cache ?? null).toBeNull();
    expect((await recordOf(tenant))[0].settings.cache).toBeNull();
  });

  it.each<[string, object]>([
    ['settings.cache.ttl_seconds', { ttlSeconds: 86_401 }],
    ['settings.cache.ttl_seconds', { perScope: true }],
    ['settings.cache.price_percent', { ttlSeconds: 1, pricePercent: 101 }],
  ])('are refused with %s: %j', async (field, cache) => {
    expect(await violated(create({ settings: { cache } }))).toEqual([field]);
  });

  it('are hedged after a time or a percentile, which replace each other, until a change says 0', async () => {
    const { id } = await created({ settings: { hedge: { percentile: 95 } } });
    const shown = async (settings: object) => (await as('Routes.Update', { id, settings })).settings;
    expect(await shown({ onFilter: true })).toMatchObject({ onFilter: true, hedge: { percentile: 95 } });
    expect(await shown({ hedge: { afterMs: 600_000 } })).toMatchObject({ hedge: { afterMs: 600_000 } });
    const { hedge } = (await recordOf(acme())).find((route: JsonResponse) => route.id === id).settings;
    expect(hedge).toMatchObject({ afterMs: 600_000 });
    expect((await shown({ hedge: { afterMs: 0 } })).hedge).toBeNull();
    for (const [field, wrong] of [
      ['settings.hedge', {}],
      ['settings.hedge', { afterMs: 1, percentile: 95 }],
      ['settings.hedge.after_ms', { afterMs: 600_001 }],
      ['settings.hedge.percentile', { percentile: 49 }],
      ['settings.hedge.percentile', { percentile: 100 }],
    ] as const) {
      expect(await violated(call('Routes.Update', { id, settings: { hedge: wrong } }))).toEqual([field]);
    }
  });

  it('have a ceiling of requests in flight for the targets of a group, until the groups are replaced', async () => {
    const limited = (inFlightMax: number) => [{ targets: [gpt], inFlightMax }, { targets: [claude] }];
    const { id, groups } = await created({ groups: limited(4) });
    const ceilings = (of: readonly JsonResponse[]) => of.map((group) => group.inFlightMax ?? null);
    expect(ceilings(groups)).toEqual([4, null]);
    expect(ceilings((await as('Routes.Update', { id, groups: limited(0) })).groups)).toEqual([null, null]);
    for (const wrong of [3, 100_001]) {
      expect(await violated(create({ groups: limited(wrong) }))).toEqual(['groups[0].in_flight_max']);
    }
  });

  it('copy requests to a model, until a change says that there is none', async () => {
    const key = await providerKeyOf(acme(), 'assistant-provider');
    const shadow = { ...claude, providerKeyId: key.id, percent: 0.01 };
    const { id } = await created({ settings: { shadow } });
    const shown = async (change: object) => (await as('Routes.Update', { id, ...change })).settings;
    expect(await shown({ settings: { onFilter: true } })).toMatchObject({ onFilter: true, shadow });
    expect(await shown({ groups: one(claude) })).toMatchObject({ shadow });
    const all = { ...gpt, percent: 100 };
    expect(await shown({ settings: { shadow: all } })).toMatchObject({ onFilter: true, shadow: all });
    expect((await recordOf(acme())).find((route: JsonResponse) => route.id === id).settings).toMatchObject({
      shadow: all,
    });
    expect((await shown({ settings: { shadow: { model: '' } } })).shadow).toBeNull();
    for (const percent of [0, 0.009, 100.01, Number.NaN]) {
      const wrong = call('Routes.Update', { id, settings: { shadow: { ...gpt, percent } } });
      expect(await violated(wrong)).toEqual(['settings.shadow.percent']);
    }
    const unknown = call('Routes.Update', { id, settings: { shadow: { model: 'route/fast', percent: 1 } } });
    expect(await violated(unknown)).toEqual(['settings.shadow.model']);
    const foreign = await providerKeyOf(await freshTenant());
    for (const providerKeyId of [key.id, foreign.id]) {
      const wrong = create({ settings: { shadow: { ...gpt, percent: 1, providerKeyId } } });
      expect(await violated(wrong)).toEqual(['settings.shadow.provider_key_id']);
    }
  });

  it('keep a provider that their copies go to', async () => {
    const { id, name } = await customProvider(acme().owner.token, { organizationId: acme().id });
    const shadow = { model: `${name}/some-model`, percent: 1 };
    const route = await created({ settings: { shadow } });
    expect((await call('Providers.Delete', { id })).code).not.toBe('OK');
    await as('Routes.Delete', { id: route.id });
    expect((await call('Providers.Delete', { id })).code).toBe('OK');
  });
});
