// Custom providers of organizations in memory, each stored once.
import { LRUCache } from 'lru-cache';
import type { CustomProvider, OrganizationRecord } from './principal.ts';

const charactersMax = 16 * 1024 * 1024;

/**
 * Equal custom providers are one object in memory: the platform's are in the record of every organization, with all
 * their models, and a proxy has thousands of those records in memory. Providers are compared by content, so that two
 * histories of a database cannot be mixed up.
 */
export class SharedProviders {
  readonly #byContent = new LRUCache<string, CustomProvider>({
    maxSize: charactersMax,
    sizeCalculation: (_provider, content) => content.length,
  });

  /** The record with shared providers; the same object if they are shared already. */
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
