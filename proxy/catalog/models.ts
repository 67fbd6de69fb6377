// The catalog of models as the proxy asks it. Its form, and the one that is shipped, are shared with the control plane: catalog/.
import { shippedCatalog } from '../../catalog/shipped.ts';

export type { Catalog } from '../../catalog/catalog.ts';
export type {
  CallPrices,
  CatalogModel,
  ModelPrices,
  PriceSet,
  PriceTier,
  TokenPrices,
} from '../../catalog/model.ts';
/** In the shipped catalog. */
export const { find: findModel, list: listModels } = shippedCatalog;
