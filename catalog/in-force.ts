// The catalog that this program goes by: the one that is shipped, until a file takes its place. Names, limits and prices of models
// come from the same one at every moment; what a request has found stays its own when another catalog comes meanwhile.
import { type Catalog, createCatalog } from './catalog.ts';
import catalogJson from './models.json' with { type: 'json' };
import { parseCatalog } from './parse.ts';

const file = 'catalog/models.json';

/**
 * The catalog that is shipped with the program. Read and checked once, when the program starts; a malformed row stops it there and never
 * surfaces in a request.
 */
// `unknown`: the compiler would otherwise work with the literal type of some hundred rows.
export const shippedContent = parseCatalog(catalogJson as unknown, file);

export const shippedCatalog = createCatalog(shippedContent, file);

let current = shippedCatalog;

export function catalogInForce(): Catalog {
  return current;
}

export function putInForce(catalog: Catalog): void {
  current = catalog;
}

/** What operators are told of it. Days are YYYY-MM-DD. */
export interface CatalogState {
  readonly asOf: string;
  readonly digest: string;
  /** What stands in its file now cannot be used. */
  readonly rejected: boolean;
  readonly shippedAsOf: string;
}

export function catalogState({ isRejected }: { readonly isRejected: boolean }): CatalogState {
  return {
    asOf: current.asOf,
    digest: current.digest,
    rejected: isRejected,
    shippedAsOf: shippedCatalog.asOf,
  };
}

/** @param now milliseconds since 1970 @returns seconds since the day of the catalog in force began, UTC */
export function catalogAge(now: number): number {
  return Math.max(0, (now - Date.parse(current.asOf)) / 1000);
}

/**
 * When a catalog of models and prices is too old to be believed: the alert and `gatewayctl doctor` say so from then on. Vendors change
 * prices, and bring new models, every few weeks.
 */
export const catalogDaysMax = 60;
