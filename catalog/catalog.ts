// The interface of a catalog for programs: find a model by name, and list the models that can be called. A catalog is
// frozen; another file makes another catalog.
import { createHash } from 'node:crypto';
import type { CatalogModel } from './model.ts';
import type { CatalogContent } from './parse.ts';
import { type CatalogName, type CatalogRows, readRows } from './rows.ts';
import { catalogText } from './write.ts';

export interface Catalog {
  /** The date of the whole catalog, YYYY-MM-DD. */
  readonly asOf: string;
  /** 16 hexadecimal digits. Catalogs with the same content have the same digest, whatever their layout. */
  readonly digest: string;
  /** Of all rows, in the catalog's order. */
  readonly names: readonly CatalogName[];
  /** All rows, in the catalog's order. */
  readonly models: readonly CatalogModel[];
  /**
   * @param provider canonical name
   * @param name as sent to the provider; a fine-tuned `ft:<base>:…` is found by its base
   */
  find(provider: string, name: string): CatalogModel | undefined;
  /** All models that can be called by their name in the catalog; the bases of fine-tuned models cannot. */
  list(): readonly CatalogModel[];
}

/** @throws Error if a model occurs twice */
export function createCatalog(content: CatalogContent, file: string): Catalog {
  return catalogOfRows(content.asOf, readRows(content.models, file), () => digestOf(content));
}

/** @param digestNow computes the digest; called at most once */
export function catalogOfRows(asOf: string, rows: CatalogRows, digestNow: () => string): Catalog {
  let listed: readonly CatalogModel[] | undefined;
  let digest: string | undefined;
  return {
    asOf,
    names: rows.names,
    get models() {
      return rows.models;
    },
    // Computed on first use, because it covers about a thousand rows.
    get digest() {
      digest ??= digestNow();
      return digest;
    },
    find: (provider, name) => rows.get(`${provider}/${name.startsWith(fineTuned) ? baseOfFineTuned(name) : name}`),
    list: () => {
      listed ??= Object.freeze(rows.models.filter((row) => !row.name.startsWith(fineTuned)));
      return listed;
    },
  };
}

/** As `Catalog.digest`. */
export function digestOf(content: CatalogContent): string {
  return createHash('sha256').update(catalogText(content)).digest('hex').slice(0, 16);
}

const fineTuned = 'ft:';

/** `ft:gpt-4o-2024-08-06:acme::b1` → `ft:gpt-4o-2024-08-06` */
function baseOfFineTuned(name: string): string {
  const end = name.indexOf(':', fineTuned.length);
  return end === -1 ? name : name.slice(0, end);
}
