// The price of a model in an organization, as proxies decide it: the organization's own price under the model's name, then
// its longest glob, then the custom provider's price, then the catalog's.

import { type CatalogModel, pricesOn } from '../../catalog/model.ts';
import { isGlob, selectsModel } from '../../catalog/model-selector.ts';
import { dayOf } from '../../common/budget-window.ts';
import type { ListedModel } from '../../proto/generated/gateway/v1/ListedModel.ts';
import type { ModelPrices } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceRecord } from '../../proto/generated/gateway/v1/PriceRecord.ts';
import { type PriceOrigin, priceOrigins } from '../../proto/words/overview.ts';

export type PriceFields = Pick<ListedModel, 'priceOrigin' | 'prices' | 'priceSource' | 'priceId' | 'nextPriceFrom'>;

export interface PricedModel {
  /** `<provider>/<model>` */
  readonly name: string;
  readonly catalogModel: CatalogModel | undefined;
  /** Of a custom provider. */
  readonly customPrices: ModelPrices | null | undefined;
}

/** @param own prices that count, oldest first @param now milliseconds since 1970 */
export function priceFinder(own: readonly PriceRecord[], now: number): (model: PricedModel) => PriceFields {
  const ranked = own.toSorted(byRank);
  return ({ name, catalogModel, customPrices }) => {
    const ours = ranked.find(({ model = '' }) => selectsModel(model, name));
    if (ours?.prices) return { ...of('organization', ours.prices), ...(ours.id !== undefined && { priceId: ours.id }) };
    if (customPrices) return of('custom_provider', customPrices);
    if (catalogModel?.prices === undefined) return {};
    const { source, next, ...prices } = pricesOn(catalogModel.prices, now);
    return {
      ...of('catalog', messageOf(prices)),
      ...(source !== undefined && { priceSource: source }),
      ...(next !== undefined && { nextPriceFrom: dayOf(Date.parse(next.from)) }),
    };
  };
}

function of(origin: PriceOrigin, prices: ModelPrices): PriceFields {
  return { priceOrigin: priceOrigins.names[origin], prices };
}

/** Exact names first, then the longest glob; of two equal ones the older. */
function byRank(a: PriceRecord, b: PriceRecord): number {
  const [left, right] = [a.model ?? '', b.model ?? ''];
  return (
    Number(isGlob(left)) - Number(isGlob(right)) || right.length - left.length || ((a.id ?? '') < (b.id ?? '') ? -1 : 1)
  );
}

type CatalogPrices = Omit<NonNullable<CatalogModel['prices']>, 'source' | 'next'>;

/** The same amounts in the contract's form. */
function messageOf({ tiers, serviceTiers, surcharges, ...prices }: CatalogPrices): ModelPrices {
  return {
    ...prices,
    ...(tiers !== undefined && { tiers: [...tiers] }),
    ...(surcharges !== undefined && { surcharges: { ...surcharges } }),
    serviceTiers: Object.fromEntries(
      Object.entries(serviceTiers ?? {}).map(([name, { tiers: ofTier, ...set }]) => [
        name,
        { ...set, ...(ofTier !== undefined && { tiers: [...ofTier] }) },
      ]),
    ),
  };
}
