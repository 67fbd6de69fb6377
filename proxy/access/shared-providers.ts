// Equal custom providers are one object in memory: the platform's stand in the record of every organization, with all their
// models, and a proxy holds thousands of those records. By content, so that no history of a database can mix them up.
import { LRUCache } from 'lru-cache';
import type { CustomProvider, OrganizationRecord } from './principal.ts';

const charactersMax = 16 * 1024 * 1024;

export class SharedProviders {
  readonly #byContent = new LRUCache<string, CustomProvider>({
    maxSize: charactersMax,
    sizeCalculation: (_provider, content) => content.length,
  });

  /** The record with providers that are shared; the record itself where they are so already. */
  in(record: OrganizationRecord): OrganizationRecord {
    const { customProviders } = record;
    const shared = customProviders.map((provider) => this.#shared(provider));
    const same = shared.every((provider, index) => provider === customProviders[index]);
    return same ? record : { ...record, customProviders: shared };
  }

  #shared(provider: CustomProvider): CustomProvider {
    const content = JSON.stringify(provider);
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    this.#byContent.set(content, provider);
    return provider;
  }
}
