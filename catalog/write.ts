// Writes a catalog as text: one row per line, in one order of rows and fields, so that a changed price is one changed
// line.
import { callKinds, tokenKinds } from '../common/model-facts.ts';
import { vendorNames } from '../common/vendors.ts';
import type { CatalogModel, ModelPrices, PriceSet } from './model.ts';
import { type CatalogContent, catalogUnit } from './parse.ts';

export function catalogText({ asOf, sources, models }: CatalogContent): string {
  const head = `{"asOf":${JSON.stringify(asOf)},"unit":${JSON.stringify(catalogUnit)},"sources":${JSON.stringify(sources)},"models":[`;
  const created = Date.parse(asOf) / 1000;
  const rows = inOrder(models).map((model) => JSON.stringify(rowOf(model, created)));
  return `${head}\n${rows.join(',\n')}\n]}\n`;
}

const order: readonly string[] = vendorNames;

function inOrder(models: readonly CatalogModel[]): readonly CatalogModel[] {
  const rank = ({ provider }: CatalogModel) => {
    const at = order.indexOf(provider);
    return at === -1 ? order.length : at;
  };
  return models.toSorted((a, b) => rank(a) - rank(b) || compare(a.provider, b.provider) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rowOf(model: CatalogModel, catalogCreated: number): object {
  const { provider, name, chat, created, limits, capabilities, prices, regions } = model;
  return {
    provider,
    name,
    chat,
    ...(created !== catalogCreated && { created }),
    ...(chat && { limits, capabilities }),
    ...(prices !== undefined && { prices: pricesOf(prices) }),
    ...(regions !== undefined && { regions: mapped(regions, pricesOf) }),
  };
}

function pricesOf(prices: ModelPrices): object {
  const { serviceTiers, surcharges, calls, asOf, source, next } = prices;
  return {
    ...setOf(prices),
    ...(serviceTiers !== undefined && { serviceTiers: mapped(serviceTiers, setOf) }),
    ...(surcharges !== undefined && { surcharges: mapped(surcharges, (one) => one) }),
    ...(calls !== undefined && { calls: picked(calls, callKinds) }),
    asOf,
    ...(source !== undefined && { source }),
    ...(next !== undefined && { next: { from: next.from, ...pricesOf(next) } }),
  };
}

function setOf({ tiers, ...amounts }: PriceSet): object {
  const steps = tiers?.map(({ abovePromptTokens, ...above }) => ({
    abovePromptTokens,
    ...picked(above, tokenKinds),
  }));
  return { ...picked(amounts, tokenKinds), ...(steps !== undefined && { tiers: steps }) };
}

function picked(values: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function mapped<T>(values: Readonly<Record<string, T>>, read: (one: T) => unknown): object {
  const entries = Object.entries(values).toSorted(([a], [b]) => compare(a, b));
  return Object.fromEntries(entries.map(([name, value]) => [name, read(value)]));
}
