// The catalog that this program uses: the shipped one, until a file replaces it. Names, limits and prices of models
// always come from the same catalog. A request keeps the rows that it has found, even if another catalog comes into
// force meanwhile.
import { type Catalog, createCatalog } from './catalog.ts';
import catalogJson from './models.json' with { type: 'json' };
import { parseCatalog } from './parse.ts';

const file = 'catalog/models.json';

/**
 * The catalog that is shipped with the program. It is parsed and checked once at start; a malformed row stops the
 * program there and never fails a request.
 */
// `unknown`, because the compiler would otherwise infer the literal type of hundreds of rows.
export const shippedContent = parseCatalog(catalogJson as unknown, file);

export const shippedCatalog = createCatalog(shippedContent, file);

let current = shippedCatalog;

export function catalogInForce(): Catalog {
  return current;
}

export function putInForce(catalog: Catalog): void {
  current = catalog;
}

/** State of the catalog for operators. Days are YYYY-MM-DD. */
export interface CatalogState {
  readonly asOf: string;
  readonly digest: string;
  /** Whether the current content of the file cannot be used. */
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

/** @param now milliseconds since 1970 @returns seconds since the beginning (UTC) of the day of the catalog in force */
export function catalogAge(now: number): number {
  return Math.max(0, (now - Date.parse(current.asOf)) / 1000);
}

/**
 * Age in days from which a catalog is too old to be trusted; the alert and `gatewayctl doctor` report it from then on.
 * Vendors change prices and release new models every few weeks.
 */
export const catalogDaysMax = 60;
