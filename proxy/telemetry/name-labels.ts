// Which provider and model a request is counted under. Shipped providers and their catalog are a fixed table; names that
// organizations configure are counted as they come, up to a bound, so that many organizations do not flood a scrape.
import { providers } from '../providers/index.ts';

/** What the labels are made of. */
export interface Named {
  readonly provider: string | undefined;
  /** The model's name in catalog or configuration, never as the caller wrote it; undefined where neither knows it. */
  readonly catalogName: string | undefined;
}

export interface NameLabels {
  /** Undefined where no provider was chosen. */
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

/** The first so many names as they are, all later ones as one. */
export function bounded(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max) return other;
    known.add(name);
    return name;
  };
}
