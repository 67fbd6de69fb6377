// Which targets a call may go to: the organization's stored keys of the provider in the order in which they are tried, or
// the caller's own key, which goes to the platform's URL of that provider and nowhere else.
import type { OrganizationRecord, ProviderKey } from '../access/principal.ts';
import {
  type BaseUrl,
  type Credential,
  type Provider,
  parseBaseUrl,
  type Target,
} from '../providers/provider.ts';

/** The platform's base URLs by canonical provider name. */
export type BaseUrls = ReadonlyMap<string, BaseUrl>;

interface WeightedTarget extends Target {
  readonly priority: number;
  readonly weight: number;
}

export class Targets {
  readonly #baseUrls: BaseUrls;
  /** Made once for each revision of an organization: a new revision is a new record. */
  readonly #stored = new WeakMap<OrganizationRecord, Map<Provider, readonly WeightedTarget[]>>();

  constructor(baseUrls: BaseUrls) {
    this.#baseUrls = baseUrls;
  }

  /** Empty where the organization has no key of this provider. */
  stored(organization: OrganizationRecord, provider: Provider): readonly Target[] {
    const byProvider = this.#stored.get(organization) ?? new Map<Provider, readonly WeightedTarget[]>();
    this.#stored.set(organization, byProvider);
    const targets = byProvider.get(provider) ?? this.#make(organization, provider);
    byProvider.set(provider, targets);
    return inOrder(targets);
  }

  direct(provider: Provider, credential: Credential): Target {
    return { provider, credential, baseUrl: this.#platformUrl(provider), providerKeyId: undefined };
  }

  #make(organization: OrganizationRecord, provider: Provider): readonly WeightedTarget[] {
    return organization.providerKeys
      .filter((key) => key.provider === provider.name)
      .map((key) => this.#target(provider, key));
  }

  #target(provider: Provider, key: ProviderKey): WeightedTarget {
    return {
      provider,
      credential: { apiKey: key.secret.apiKey },
      baseUrl: key.baseUrl === undefined ? this.#platformUrl(provider) : parseBaseUrl(key.baseUrl),
      providerKeyId: key.id,
      priority: key.priority,
      weight: key.weight,
    };
  }

  #platformUrl(provider: Provider): BaseUrl {
    return this.#baseUrls.get(provider.name) ?? parseBaseUrl(provider.defaultBaseUrl);
  }
}

/**
 * Lower priority first; within one priority a weighted draw: the smallest of exponential variates with the weights as rates
 * comes first as often as its share of the weights.
 */
function inOrder(targets: readonly WeightedTarget[]): readonly Target[] {
  if (targets.length < 2) return targets;
  return targets
    .map((target) => ({ target, draw: -Math.log(1 - Math.random()) / target.weight }))
    .sort((a, b) => a.target.priority - b.target.priority || a.draw - b.draw)
    .map(({ target }) => target);
}
