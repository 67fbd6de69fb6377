// What a call is charged by: the organization's own prices, else those of the custom provider's model or of the catalog, where its
// targets are. Everything is compiled once, and kept as long as what it was compiled from.
import { selectsModel } from '../../../catalog/model-selector.ts';
import type { OrganizationRecord, OwnPrice } from '../../access/principal.ts';
import type { CatalogModel, ModelPrices } from '../../catalog/models.ts';
import type { ChatCall } from '../../chat/call.ts';
import { compilePrices, dearestOf, type Prices } from './prices.ts';

export type PricedCall = Pick<ChatCall, 'caller' | 'qualifiedModel' | 'catalogModel' | 'targets'>;

export class PriceBook {
  readonly #own = new WeakMap<OrganizationRecord, OwnPrices>();

  /** The prices at the dearest of the call's targets. Undefined where they are not known at one of them. */
  of({ caller, qualifiedModel, catalogModel, targets }: PricedCall): Prices | undefined {
    const { organization } = caller.principal;
    const own = organization.prices.length > 0 ? this.#ownOf(organization).find(qualifiedModel) : undefined;
    if (own !== undefined) return compiled(own);
    return catalogModel === undefined ? undefined : listed(catalogModel, targets);
  }

  #ownOf(organization: OrganizationRecord): OwnPrices {
    const known = this.#own.get(organization);
    if (known !== undefined) return known;
    const own = new OwnPrices(organization.prices);
    this.#own.set(organization, own);
    return own;
  }
}

class OwnPrices {
  /** In the order in which they are asked. */
  readonly #ranked: readonly OwnPrice[];
  /** Callers choose model names: what is remembered is bounded. */
  readonly #known = new Map<string, ModelPrices | undefined>();

  constructor(all: readonly OwnPrice[]) {
    this.#ranked = all.toSorted(byRank);
  }

  find(model: string): ModelPrices | undefined {
    if (this.#known.has(model)) return this.#known.get(model);
    const found = this.#ranked.find((one) => selectsModel(one.model, model))?.prices;
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(model, found);
    return found;
  }
}

const knownMax = 1000;

/** Exact names, then the longest glob; of two that are equal the older. */
function byRank(a: OwnPrice, b: OwnPrice): number {
  const isGlob = ({ model }: OwnPrice) => (model.includes('*') ? 1 : 0);
  return isGlob(a) - isGlob(b) || b.model.length - a.model.length || (a.id < b.id ? -1 : 1);
}

function listed({ prices, regions }: CatalogModel, targets: PricedCall['targets']): Prices | undefined {
  if (regions === undefined) return prices && compiled(prices);
  const candidates = new Set<ModelPrices | undefined>();
  for (const { region } of targets) {
    const isPriced = region !== undefined && Object.hasOwn(regions, region);
    candidates.add(isPriced ? regions[region] : prices);
  }
  const all = [...candidates].map((one) => one && compiled(one));
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  return all.every((one) => one !== undefined) ? dearestOf(all) : undefined;
}

const compilations = new WeakMap<ModelPrices, { readonly prices: Prices | undefined }>();

function compiled(prices: ModelPrices): Prices | undefined {
  const known = compilations.get(prices);
  if (known !== undefined) return known.prices;
  const compilation = { prices: compilePrices(prices) };
  compilations.set(prices, compilation);
  return compilation.prices;
}
