// The catalog that this program uses: the shipped one, until a file replaces it. Names, limits and prices of models
// always come from the same catalog. A request keeps the rows that it has found, even if another catalog comes into
// force meanwhile.
import { type Catalog, catalogOfRows } from './catalog.ts';
import catalogJson from './models.json' with { type: 'json' };
import { type CatalogContent, parseCatalog, parseCatalogHead } from './parse.ts';
import { unreadRows } from './rows.ts';
import shipped from './shipped.json' with { type: 'json' };

const file = 'catalog/models.json';
// `unknown`, because the compiler would otherwise infer the literal type of hundreds of rows.
const json: unknown = catalogJson;
const { asOf, rows, parseRow } = parseCatalogHead(json, file);

/**
 * The catalog that is shipped with the program. Its rows are parsed on first use; a test parses all of them, so that a
 * malformed row never fails a request.
 */
export const shippedCatalog = catalogOfRows(asOf, unreadRows(rows, parseRow, file), () => shipped.digest);

/** The same catalog as content, parsed as a whole. @throws Error that names the row and what is wrong with it */
export function shippedContent(): CatalogContent {
  return parseCatalog(json, file);
}

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
