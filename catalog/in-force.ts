// The catalog that this program goes by: the one that is shipped, until a file takes its place. Names, limits and prices of models
// come from the same one at every moment; what a request has found stays its own when another catalog comes meanwhile.
import type { Catalog } from './catalog.ts';
import { shippedCatalog } from './shipped.ts';

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
