// The proxy's view of the model catalog. The catalog's format and the shipped catalog are shared with the control
// plane: catalog/.
import { catalogInForce } from '../../catalog/in-force.ts';
import type { CatalogModel } from '../../catalog/model.ts';

export type { Catalog } from '../../catalog/catalog.ts';
export type {
  CallPrices,
  CatalogModel,
  ModelPrices,
  PriceSet,
  PriceTier,
  TokenPrices,
} from '../../catalog/model.ts';
export { pricesOn } from '../../catalog/model.ts';

/** Searches the catalog in force; see `Catalog.find`. */
export function findModel(provider: string, name: string): CatalogModel | undefined {
  return catalogInForce().find(provider, name);
}

export function listModels(): readonly CatalogModel[] {
  return catalogInForce().list();
}
