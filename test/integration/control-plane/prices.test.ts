// An organization's own prices through the real server, over both databases: their valid fields, and that they are in
// the organization's record.
import { expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import { pricesMax } from '../../../control-plane/services/prices.ts';
import { describeBudgets } from '../../support/budget-fixture.ts';
import {
  createKey,
  freshName,
  type JsonResponse,
  refusal,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

const usd = { input: '0.15', output: '0.6' };
const model = () => `gpt-provider/${freshName('model').replace(' ', '-')}`;
const tier = (abovePromptTokens: number, more: object = {}) => ({ abovePromptTokens, ...usd, ...more });

describeBudgets('prices', (fixture) => {
  const create = (fields: object, tenant = fixture.acme) =>
    fixture.plane.call('Prices.Create', tenant.owner.token, {
      ...{ organizationId: tenant.id, model: model(), prices: usd, allowUnmatched: true },
      ...fields,
    });
  const price = (fields: object = {}, tenant = fixture.acme): Promise<JsonResponse> =>
    fixture.as(tenant, 'Prices.Create', {
      ...{ organizationId: tenant.id, model: model(), prices: usd, allowUnmatched: true },
      ...fields,
    });
  const resolved = async (tenant: TestTenant): Promise<JsonResponse[]> => {
    const name = freshName('proxy');
    const proxy = await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, { name });
    const { value } = await createKey(fixture.plane, tenant);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    return (await fixture.plane.expect('Access.Resolve', proxy.value, { keyHash })).organization.prices;
  };
  const newestChange = () =>
    fixture.store.snapshot((db) =>
      db
        .selectFrom('changes')
        .select(['revision', 'kind', 'ref', 'state'])
        .orderBy('revision', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );

  it('are created, read, changed and deleted, and each change is an event and names the organization', async () => {
    const { acme } = fixture;
    const prices = {
      ...{ ...usd, cacheRead: '0.075', audioInput: '1', tiers: [tier(200_000, { cacheWrite1h: '3' })] },
      serviceTiers: { priority: { ...usd, tiers: [tier(200_000)] } },
      ...{ surcharges: { eu: '1.1' }, calls: { search: '0.01' } },
    };
    const name = model();
    const made = await price({ model: name, prices });
    const asOf = new Date().toISOString().slice(0, 10);
    expect(made).toMatchObject({
      ...{ organizationId: acme.id, model: name, createdAt: expect.stringMatching(/^20.*Z$/) },
      prices: { ...prices, asOf },
    });
    const { id } = made;
    const { match: _match, _match: _oneof, ...stored } = made;
    expect(await fixture.plane.expect('Prices.Get', acme.admin.token, { id })).toEqual(stored);
    const expectNamed = async (revision?: string) => {
      const named = { kind: 'organization', ref: acme.id, state: 'changed' };
      const at = revision === undefined ? {} : { revision: Number(revision) };
      expect(await newestChange()).toMatchObject({ ...named, ...at });
    };
    await expectNamed(made.revision);

    const update = { id, prices: { ...usd, asOf: '2026-01-31' }, ifRevision: made.revision };
    const changed = await fixture.plane.expect('Prices.Update', acme.admin.token, update);
    expect(changed).toMatchObject({ id, model: name, prices: { ...usd, tiers: [], asOf: '2026-01-31' } });
    expect(changed.prices.cacheRead).toBeUndefined();
    await expectNamed(changed.revision);
    expect(await refusal(fixture.plane.call('Prices.Update', acme.admin.token, update))).toMatchObject({
      ...{ code: 'ABORTED', reason: 'revision_mismatch' },
    });
    expect(await fixture.as(acme, 'Prices.Update', { id, prices: update.prices })).toEqual(changed);
    expect(await violated(fixture.plane.call('Prices.Update', acme.owner.token, { id }))).toEqual(['prices']);
    await fixture.as(acme, 'Prices.Delete', { id });
    await expectNamed();
    expect((await fixture.plane.call('Prices.Get', acme.owner.token, { id })).code).toBe('NOT_FOUND');

    const events = await fixture.trail(acme, id);
    expect(events.map((event) => [event.action, event.targetKind])).toEqual([
      ...[
        ['Prices.Delete', 'price'],
        ['Prices.Update', 'price'],
        ['Prices.Create', 'price'],
      ],
    ]);
    expect(JSON.parse(events[1]?.before)).toMatchObject({ prices: { cacheRead: '0.075' } });
    expect(JSON.parse(events[1]?.after)).toMatchObject({ prices: { asOf: '2026-01-31' } });
  });

  it.each([
    [{ model: '' }, 'model'],
    [{ model: 'gpt provider/*' }, 'model'],
    [{ model: `a/${'b'.repeat(320)}` }, 'model'],
    [{ prices: undefined }, 'prices'],
    [{ prices: { output: '1' } }, 'prices.input'],
    [{ prices: { input: '1' } }, 'prices.output'],
    [{ prices: { ...usd, input: '-1' } }, 'prices.input'],
    [{ prices: { ...usd, input: '1e3' } }, 'prices.input'],
    [{ prices: { ...usd, output: '1000.000000001' } }, 'prices.output'],
    [{ prices: { ...usd, cacheRead: '' } }, 'prices.cache_read'],
    [{ prices: { ...usd, cacheWrite: '0.1234567891' } }, 'prices.cache_write'],
    [{ prices: { ...usd, cacheWrite1h: '1001' } }, 'prices.cache_write1h'],
    [{ prices: { ...usd, audioOutput: 'free' } }, 'prices.audio_output'],
    [{ prices: { ...usd, serviceTiers: { warp: usd } } }, 'prices.service_tiers'],
    [{ prices: { ...usd, serviceTiers: { flex: { input: '1' } } } }, 'prices.service_tiers[flex].output'],
    [{ prices: { ...usd, surcharges: { us: '0' } } }, 'prices.surcharges'],
    [{ prices: { ...usd, surcharges: { 'U S': '1.1' } } }, 'prices.surcharges'],
    [{ prices: { ...usd, calls: { search: '10.1' } } }, 'prices.calls.search'],
    [{ prices: { ...usd, calls: { groundedPrompt: '-1' } } }, 'prices.calls.grounded_prompt'],
    [{ prices: { ...usd, asOf: '2026-02-30' } }, 'prices.as_of'],
    [{ prices: { ...usd, tiers: [tier(0)] } }, 'prices.tiers[0].above_prompt_tokens'],
    [{ prices: { ...usd, tiers: [tier(5), tier(5)] } }, 'prices.tiers[1].above_prompt_tokens'],
    [{ prices: { ...usd, tiers: [tier(5, { output: '1000.1' })] } }, 'prices.tiers[0].output'],
    [{ prices: { ...usd, tiers: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((above) => tier(above)) } }, 'prices.tiers'],
  ])('refuse %j', async (wrong, field) => {
    expect(await violated(create(wrong))).toEqual([field]);
  });

  it('report all invalid fields at once', async () => {
    const wrong = { model: ' ', prices: { input: 'free', tiers: [tier(0, { input: 'x' })], asOf: 'today' } };
    expect(await violated(create(wrong))).toEqual([
      ...['model', 'prices.input', 'prices.output'],
      ...['prices.tiers[0].above_prompt_tokens', 'prices.tiers[0].input', 'prices.as_of'],
    ]);
  });

  it.each(['0', '1000', '1000.000000000', '999.999999999'])('accept a price of %s', async (input) => {
    expect((await price({ prices: { input, output: input } })).prices).toMatchObject({ input });
  });

  it('are unique for each name or glob of an organization', async () => {
    for (const one of [model(), 'gpt-provider/gpt-4o*', '*']) {
      const { id } = await price({ model: one });
      expect(await refusal(create({ model: one }))).toMatchObject({
        ...{ code: 'ALREADY_EXISTS', reason: 'name_taken', message: 'another price has this model' },
        violations: { model: 'is taken; it must be unique' },
      });
      expect((await create({ model: one }, fixture.other)).code).toBe('OK');
      await fixture.as(fixture.acme, 'Prices.Delete', { id });
      expect((await create({ model: one })).code).toBe('OK');
    }
  });

  it('are of their organization alone', async () => {
    const { id } = await price({}, fixture.other);
    for (const method of ['Prices.Get', 'Prices.Update', 'Prices.Delete']) {
      const calling = fixture.plane.call(method, fixture.acme.owner.token, { id, prices: usd });
      expect((await calling).code).toBe('NOT_FOUND');
    }
    const foreign = { organizationId: fixture.other.id, model: 'gpt-provider/gpt-4o', prices: usd };
    expect((await fixture.plane.call('Prices.Create', fixture.acme.owner.token, foreign)).code).toBe('NOT_FOUND');
  });

  it('are in the organization’s record, oldest first, and the largest possible number and size still fits', async () => {
    const tenant = await fixture.tenant();
    const longest = '999.999999999';
    const amounts = { input: longest, output: longest, cacheRead: longest };
    const most = { ...amounts, cacheWrite: longest, cacheWrite1h: longest };
    const tiers = Array.from({ length: 8 }, (_, i) => ({ abovePromptTokens: 4_294_967_288 + i, ...most }));
    const serviceTiers = { priority: { ...most, tiers: tiers.slice(0, 4) } };
    const tooLong = { ...most, tiers, serviceTiers: { ...serviceTiers, scale: { ...most, tiers } } };
    expect(await violated(create({ prices: tooLong }, tenant))).toEqual(['prices']);
    const ids: string[] = [];
    for (let i = 0; i < pricesMax; i++) {
      const long = `${String(i).padStart(3, '0')}/${'x'.repeat(316)}`;
      ids.push((await price({ model: long, prices: { ...most, tiers, serviceTiers } }, tenant)).id);
    }
    expect(await refusal(create({}, tenant))).toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'too_many_prices' },
    });
    const records = await resolved(tenant);
    expect(records.map(({ id }) => id)).toEqual(ids);
    expect(records[0]).toMatchObject({
      model: `000/${'x'.repeat(316)}`,
      prices: { ...most, tiers, serviceTiers },
    });
    expect(Buffer.byteLength(JSON.stringify(records))).toBeLessThan(1024 * 1024);

    const seen: string[] = [];
    let pageToken = '';
    do {
      const request = { organizationId: tenant.id, pageSize: 99, pageToken };
      const page = await fixture.as(tenant, 'Prices.List', request);
      seen.push(...page.prices.map((one: JsonResponse) => one.id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(ids);
    await fixture.as(tenant, 'Prices.Delete', { id: ids[0] });
    expect((await create({}, tenant)).code).toBe('OK');
  });
});
