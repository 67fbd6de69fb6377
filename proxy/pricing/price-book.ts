// The prices of a call: the organization's own prices, or else those of the custom provider's model or of the catalog,
// in the regions of the call's targets. Everything is compiled once, and kept as long as its source.
import { selectsModel } from '../../catalog/model-selector.ts';
import type { OrganizationRecord, OwnPrice } from '../access/principal.ts';
import type { ChatCall } from '../call.ts';
import { type CatalogModel, type ModelPrices, pricesOn } from '../catalog/models.ts';
import { compilePrices, dearestOf, type Prices, reservedAsDearest } from './prices.ts';

export type PricedCall = Pick<ChatCall, 'caller' | 'qualifiedModel' | 'catalogModel' | 'targets'>;

export class PriceTable {
  readonly #ownPrices = new WeakMap<OrganizationRecord, OwnPrices>();
  readonly #now: () => number;

  /** @param now milliseconds since 1970: the catalog knows in advance the days on which vendors raise prices */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The prices at the dearest of the call's targets. Undefined if they are unknown at one of them. */
  of({ caller, qualifiedModel, catalogModel, targets }: PricedCall): Prices | undefined {
    const own = this.#own(caller.principal.organization, qualifiedModel);
    if (own !== undefined) return atTargets(targets, (region) => compiled(own, region));
    return catalogModel === undefined ? undefined : listed(catalogModel, targets, this.#now());
  }

  /** The usual prices of a model, as lists of models show them; undefined if they are unknown. */
  listed(organization: OrganizationRecord, qualifiedModel: string, { prices }: CatalogModel): ModelPrices | undefined {
    return this.#own(organization, qualifiedModel) ?? (prices && pricesOn(prices, this.#now()));
  }

  #own(organization: OrganizationRecord, qualifiedModel: string): ModelPrices | undefined {
    return organization.prices.length > 0 ? this.#ownOf(organization).find(qualifiedModel) : undefined;
  }

  #ownOf(organization: OrganizationRecord): OwnPrices {
    const known = this.#ownPrices.get(organization);
    if (known !== undefined) return known;
    const own = new OwnPrices(organization.prices);
    this.#ownPrices.set(organization, own);
    return own;
  }
}

class OwnPrices {
  /** In order of precedence. */
  readonly #ranked: readonly OwnPrice[];
  /** Bounded, because callers choose model names. */
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

/** Exact names first, then the longest glob; of two equal ones the older. */
function byRank(a: OwnPrice, b: OwnPrice): number {
  const isGlob = ({ model }: OwnPrice) => (model.includes('*') ? 1 : 0);
  return isGlob(a) - isGlob(b) || b.model.length - a.model.length || (a.id < b.id ? -1 : 1);
}

function listed(
  { prices, regions = noRegions }: CatalogModel,
  targets: PricedCall['targets'],
  now: number,
): Prices | undefined {
  return atTargets(targets, (region) => {
    const own = region !== undefined && Object.hasOwn(regions, region) ? regions[region] : prices;
    const usual = own && compiled(pricesOn(own, now), region);
    // If the region of a request is unknown, it is charged as usual, and the reservation is that of the dearest region.
    if (usual === undefined || region !== undefined || regions === noRegions) return usual;
    return reservedAnywhere(usual, regions);
  });
}

type Targets = PricedCall['targets'];

function atTargets(targets: Targets, priceIn: (region: string | undefined) => Prices | undefined): Prices | undefined {
  const [only, ...others] = targets;
  if (only !== undefined && others.length === 0) return priceIn(regionOf(only));
  const regions = new Set(targets.map(regionOf));
  const all = [...regions].map(priceIn);
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  return all.every((one) => one !== undefined) ? dearestOf(all) : undefined;
}

const anywhere = new WeakMap<Prices, Prices>();

function reservedAnywhere(usual: Prices, regions: NonNullable<CatalogModel['regions']>): Prices {
  const known = anywhere.get(usual);
  if (known !== undefined) return known;
  const regional = Object.values(regions).flatMap((one) => (one.next === undefined ? [one] : [one, one.next]));
  const waiting = reservedAsDearest(
    usual,
    regional.flatMap((one) => compiled(one, undefined) ?? []),
  );
  anywhere.set(usual, waiting);
  return waiting;
}

const noRegions: NonNullable<CatalogModel['regions']> = Object.freeze({});

/**
 * The region that the operator has set, or else the one in the host name: the GPT vendor processes in a geography by
 * the name of its host.
 */
function regionOf({ region, baseUrl }: Targets[number]): string | undefined {
  return region ?? /^https:\/\/([a-z]{2})\.api\.openai\.com$/.exec(baseUrl.origin)?.[1];
}

/** By region of processing; undefined if the region is unknown. */
type Compilations = Map<string | undefined, Prices | undefined>;

const compilations = new WeakMap<ModelPrices, Compilations>();

function compiled(prices: ModelPrices, region: string | undefined): Prices | undefined {
  const known: Compilations = compilations.get(prices) ?? new Map();
  // Regions come from operators' settings and callers' headers. All regions that change nothing share one compilation.
  const priced = region !== undefined && Object.hasOwn(prices.surcharges ?? {}, region) ? region : region && elsewhere;
  if (known.has(priced)) return known.get(priced);
  const compilation = compilePrices(prices, priced);
  compilations.set(prices, known.set(priced, compilation));
  return compilation;
}

/** A region without a surcharge. */
const elsewhere = '-';
