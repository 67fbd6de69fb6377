// The provider and model labels of a request. Shipped providers and their catalog are a fixed table. Names from
// organizations' configuration are used up to a limit, so that many organizations do not flood a scrape.
import { providers } from '../providers/index.ts';

/** The names that the labels are made from. */
export interface Named {
  readonly provider: string | undefined;
  /** The model's name in the catalog or in configuration, never the caller's text; undefined if it is in neither. */
  readonly catalogName: string | undefined;
}

export interface NameLabels {
  /** Undefined if no provider was chosen. */
  provider(named: Named): string | undefined;
  model(named: Named): string;
}

const customProvidersMax = 200;
const customModelsMax = 500;
const other = 'other';

export function createNameLabels(): NameLabels {
  const shipped: ReadonlySet<string> = new Set(providers.map(({ name }) => name));
  const customProviders = bounded(customProvidersMax);
  const customModels = bounded(customModelsMax);
  return {
    provider: ({ provider }) =>
      provider === undefined || shipped.has(provider) ? provider : customProviders(provider),
    model: ({ provider = '', catalogName }) => {
      if (catalogName === undefined) return other;
      return shipped.has(provider) ? catalogName : customModels(catalogName);
    },
  };
}

/** Returns the first `max` names unchanged and replaces all later ones by one name. */
export function bounded(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max) return other;
    known.add(name);
    return name;
  };
}
