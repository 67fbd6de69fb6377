import { describe, expect, it } from 'vitest';
import type { OrganizationRecord, OwnPrice, Principal } from '../../../../proxy/access/principal.ts';
import { type CatalogModel, findModel, type ModelPrices } from '../../../../proxy/catalog/models.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { type PricedCall, PriceTable } from '../../../../proxy/pricing/price-book.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { usualSettings } from '../../../support/usual-settings.ts';

const usd = (input: string): ModelPrices => ({ input, output: '1', asOf: '2026-11-22' });
const own = (id: string, model: string, input: string): OwnPrice => ({ id, model, prices: usd(input) });

function organization(...prices: OwnPrice[]): OrganizationRecord {
  return {
    ...{
      id: 'o',
      active: true,
      ...usualSettings,
      allowedModels: [],
      limits: [],
    },
    ...{ providerKeys: [], customProviders: [], prices, guardrails: [], revision: 1 },
  };
}

const entry = new PriceTable();

function call(
  record: OrganizationRecord,
  model: string,
  catalogModel?: CatalogModel,
  regions?: (string | undefined)[],
): PricedCall {
  const principal = { organization: record } as Principal;
  return {
    caller: { principal, project: undefined, direct: false },
    qualifiedModel: model,
    catalogModel,
    targets: (regions ?? [undefined]).map((region) => targetIn(region)),
  };
}

function targetIn(region: string | undefined, origin = 'https://vendor.example'): Target {
  return { region, baseUrl: { origin, path: '' } } as Target;
}

/** The price in USD of a million input tokens. */
function inputOf(priced: PricedCall): number | undefined {
  const cost = entry.of(priced)?.costOf({ ...noUsage, promptTokens: 1_000_000 });
  return cost === undefined ? undefined : cost / 1e9;
}

const model: CatalogModel = {
  ...{ provider: 'acme', name: 'm', chat: true, created: 1, limits: {}, capabilities: [] },
  prices: usd('10'),
};

describe('the price of a call', () => {
  it('is the catalog’s when the organization has no own prices', () => {
    expect(inputOf(call(organization(), 'acme/m', model))).toBe(10);
    const real = findModel('gpt-provider', 'gpt-4o-mini');
    expect(inputOf(call(organization(), 'gpt-provider/gpt-4o-mini', real))).toBe(0.15);
  });

  it('is the catalog’s when the organization’s own prices are for other models', () => {
    expect(inputOf(call(organization(own('1', 'acme/other', '1')), 'acme/m', model))).toBe(10);
  });

  it.each<[string, number, readonly OwnPrice[]]>([
    ['by its own price of that very name', 1, [own('2', 'acme/m', '1'), own('1', 'acme/*', '2')]],
    ['by the name before a longer glob', 1, [own('1', 'acme/m*******', '2'), own('2', 'acme/m', '1')]],
    ['by the longest glob', 3, [own('1', '*', '1'), own('2', 'ac*', '2'), own('3', 'acme/*', '3')]],
    ['by the older of two globs of one length', 5, [own('b', 'acme/*', '4'), own('a', '*/m***', '5')]],
    ['by the older of two of one name', 7, [own('b', 'acme/m', '6'), own('a', 'acme/m', '7')]],
  ])('is selected %s', (_what, usdPerMillion, prices) => {
    expect(inputOf(call(organization(...prices), 'acme/m', model))).toBe(usdPerMillion);
    expect(inputOf(call(organization(...prices.toReversed()), 'acme/m', model))).toBe(usdPerMillion);
  });

  it('is an own price under each of the model’s names', () => {
    for (const selector of ['gpt-provider/gpt-4o-2024-08-06', 'gpt-provider/*-08-06', 'gpt-provider/gpt-4o'])
      expect(inputOf(call(organization(own('1', selector, '3')), 'gpt-provider/gpt-4o')), selector).toBe(3);
    // Another snapshot has another price.
    const other = organization(own('1', 'gpt-provider/gpt-4o', '3'));
    expect(inputOf(call(other, 'gpt-provider/gpt-4o-2024-05-13'))).toBeUndefined();
  });

  it('is the catalog’s future price from its date on', () => {
    const day = Date.parse('2026-12-01');
    const rising: CatalogModel = {
      ...model,
      prices: { ...usd('10'), next: { ...usd('20'), from: '2026-12-01' } },
      regions: { eu: { ...usd('11'), next: { ...usd('22'), from: '2026-12-01' } } },
    };
    const inputAt = (now: number, region?: string) => {
      const priced = call(organization(), 'acme/m', rising, [region]);
      return new PriceTable(() => now).of(priced)?.costOf({ ...noUsage, promptTokens: 1_000_000 });
    };
    expect([inputAt(day - 1), inputAt(day)]).toEqual([10e9, 20e9]);
    expect([inputAt(day - 1, 'eu'), inputAt(day, 'eu')]).toEqual([11e9, 22e9]);
    // Without a known region, the reservation uses the price of the region with the highest price.
    const reserved = new PriceTable(() => day - 1).of(call(organization(), 'acme/m', rising));
    expect(reserved?.dearest(1).input).toEqual({ whole: 22_000, millionths: 0 });
  });

  it('is an own price in every region, and for models outside the catalog', () => {
    const record = organization(own('1', 'acme/*', '2'));
    const regional = { ...model, regions: { north: usd('99') } };
    expect(inputOf(call(record, 'acme/m', regional, ['north']))).toBe(2);
    expect(inputOf(call(record, 'acme/unknown'))).toBe(2);
  });

  it('is the price of the target’s region', () => {
    const regional = { ...model, regions: { north: usd('12'), south: usd('8') } };
    const at = (...regions: (string | undefined)[]) => inputOf(call(organization(), 'acme/m', regional, regions));
    expect(at('north')).toBe(12);
    expect(at('south')).toBe(8);
    expect(at('west')).toBe(10);
    expect(at(undefined)).toBe(10);
    expect(at('toString')).toBe(10);
  });

  it('is the highest price of the targets', () => {
    const regional = { ...model, regions: { north: usd('12'), south: usd('8') } };
    const at = (...regions: (string | undefined)[]) => inputOf(call(organization(), 'acme/m', regional, regions));
    expect(at('south', 'north')).toBe(12);
    expect(at('south', undefined)).toBe(10);
    expect(at('south', 'south')).toBe(8);
  });
});

describe('the region of a call', () => {
  const surcharged = { ...model, prices: { ...usd('10'), surcharges: { eu: '1.1' } } };
  const at = (target: Target) => ({ ...call(organization(), 'acme/m', surcharged), targets: [target] });

  it.each<[string, Target, number]>([
    ['costs more where it is configured', targetIn('eu'), 11],
    ['costs more where the vendor’s host names the region', targetIn(undefined, 'https://eu.api.openai.com'), 11],
    ['costs the usual where neither names a region', targetIn(undefined, 'https://api.openai.com'), 10],
    ['costs the usual elsewhere', targetIn('us'), 10],
    [
      'costs the usual behind a host that only looks like it',
      targetIn(undefined, 'https://eu.api.openai.com.example'),
      10,
    ],
  ])('a call %s', (_what, target, usdPerMillion) => {
    expect(inputOf(at(target))).toBe(usdPerMillion);
  });

  it('adds a surcharge to an organization’s own price too', () => {
    const record = organization({
      id: '1',
      model: 'acme/m',
      prices: { ...usd('2'), surcharges: { eu: '1.5' } },
    });
    expect(inputOf({ ...call(record, 'acme/m', model), targets: [targetIn('eu')] })).toBe(3);
  });

  it('when unknown, is reserved at the highest price and charged at the usual price', () => {
    const regional = { ...model, regions: { north: usd('12'), south: usd('8') } };
    const prices = (...regions: (string | undefined)[]) => entry.of(call(organization(), 'acme/m', regional, regions));
    expect(prices(undefined)?.dearest(1).input.whole).toBe(12_000);
    expect(prices('south')?.dearest(1).input.whole).toBe(8000);
    expect(prices(undefined)).toBe(prices(undefined));
    expect(entry.of(at(targetIn(undefined)))?.dearest(1).input.whole).toBe(11_000);
    expect(entry.of(at(targetIn('us')))?.dearest(1).input.whole).toBe(10_000);
  });
});

describe('a call has no known price', () => {
  it('for a model without a price', () => {
    const { prices, ...unpriced } = model;
    expect(prices).toBeDefined();
    expect(inputOf(call(organization(), 'acme/m', unpriced))).toBeUndefined();
    expect(inputOf(call(organization(), 'acme/m'))).toBeUndefined();
  });

  it('when one of its targets has no price', () => {
    const { prices, ...unpriced } = model;
    expect(prices).toBeDefined();
    const regional = { ...unpriced, regions: { north: usd('12') } };
    expect(inputOf(call(organization(), 'acme/m', regional, ['north']))).toBe(12);
    expect(inputOf(call(organization(), 'acme/m', regional, ['north', 'south']))).toBeUndefined();
  });

  it('when its own price is invalid, even if the catalog has one', () => {
    const record = organization(own('1', 'acme/m', '1000000'));
    expect(inputOf(call(record, 'acme/m', model))).toBeUndefined();
  });
});

describe('prices of the price book', () => {
  it('are compiled once', () => {
    const record = organization(own('1', 'acme/*', '2'));
    expect(entry.of(call(record, 'acme/m'))).toBe(entry.of(call(record, 'acme/other')));
    expect(entry.of(call(organization(), 'acme/m', model))).toBe(entry.of(call(organization(), 'acme/m', model)));
  });

  it('follow the organization’s current record', () => {
    const before = organization(own('1', 'acme/m', '2'));
    expect(inputOf(call(before, 'acme/m'))).toBe(2);
    expect(inputOf(call({ ...before, prices: [own('1', 'acme/m', '3')] }, 'acme/m'))).toBe(3);
    expect(inputOf(call(before, 'acme/m'))).toBe(2);
  });

  it('are found for any number of different models', () => {
    const record = organization(own('1', 'acme/*', '2'));
    for (let i = 0; i < 2500; i++) expect(inputOf(call(record, `acme/${i}`))).toBe(2);
    expect(inputOf(call(record, 'other/0'))).toBeUndefined();
  });
});
