// A catalog as programs ask it: models by name, and those that can be called. Frozen; another file makes another catalog.
import type { CatalogModel } from './model.ts';
import type { CatalogContent } from './parse.ts';

export interface Catalog {
  /** The day of the whole, YYYY-MM-DD. */
  readonly asOf: string;
  /**
   * @param provider canonical name
   * @param name as sent to the provider; a fine-tuned `ft:<base>:…` is found by its base
   */
  find(provider: string, name: string): CatalogModel | undefined;
  /** All that can be called by the name they have here, so not the bases of fine-tuned models. */
  list(): readonly CatalogModel[];
}

/** @throws Error if it holds a model twice */
export function createCatalog({ asOf, models }: CatalogContent, file: string): Catalog {
  const byName = new Map(models.map((row) => [`${row.provider}/${row.name}`, row] as const));
  if (byName.size !== models.length) throw new Error(`${file}: a model is there twice`);
  const listed = Object.freeze(models.filter((row) => !row.name.startsWith(fineTuned)));
  return {
    asOf,
    find: (provider, name) =>
      byName.get(`${provider}/${name.startsWith(fineTuned) ? baseOfFineTuned(name) : name}`),
    list: () => listed,
  };
}

const fineTuned = 'ft:';

/** `ft:gpt-4o-2024-08-06:acme::b1` → `ft:gpt-4o-2024-08-06` */
function baseOfFineTuned(name: string): string {
  const end = name.indexOf(':', fineTuned.length);
  return end === -1 ? name : name.slice(0, end);
}
