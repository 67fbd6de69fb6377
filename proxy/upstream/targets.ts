// The targets that a call may use: the organization's stored keys of the provider in the order in which they are tried,
// or the caller's own key, which is sent only to the platform's URL of that provider.
import type { OrganizationRecord, ProviderKey } from '../access/principal.ts';
import { parseBaseUrl } from '../formats/format.ts';
import { allOwnTools } from '../formats/own-tools.ts';
import type { Credential } from '../providers/credentials/credential.ts';
import type { Provider, Target } from '../providers/provider.ts';
import type { BaseUrls, UrlPlaceholders } from './base-urls.ts';
import { keyRevision } from './key-revision.ts';
import { randomVariate, rankOf, type Variate } from './variates.ts';

interface WeightedTarget extends Target {
  readonly priority: number;
  readonly weight: number;
}

/** The caller's own credential, and where it may be sent. */
export interface DirectCredential extends UrlPlaceholders {
  readonly credential: Credential;
}

export class Targets {
  readonly #baseUrls: BaseUrls;
  /** Created once for each revision of an organization: a new revision is a new record. */
  readonly #stored = new WeakMap<OrganizationRecord, Map<Provider, readonly WeightedTarget[]>>();

  constructor(baseUrls: BaseUrls) {
    this.#baseUrls = baseUrls;
  }

  /**
   * Empty if the organization needs a key of this provider and has none.
   * @param variate decides the order within a priority. Default: random
   */
  stored(organization: OrganizationRecord, provider: Provider, variate: Variate = randomVariate): readonly Target[] {
    let byProvider = this.#stored.get(organization);
    if (byProvider === undefined) {
      byProvider = new Map();
      this.#stored.set(organization, byProvider);
    }
    let targets = byProvider.get(provider);
    if (targets === undefined) {
      targets = this.#make(organization, provider);
      byProvider.set(provider, targets);
    }
    return inOrder(targets, variate);
  }

  /** @throws GatewayError invalid_endpoint, invalid_region */
  direct(provider: Provider, { credential, endpoint, region }: DirectCredential): Target {
    return {
      provider,
      credential,
      baseUrl: this.#baseUrls.of(provider, { endpoint, region }),
      providerKeyId: undefined,
      ownTools: allOwnTools,
      region,
      apiVersion: undefined,
    };
  }

  #make(organization: OrganizationRecord, provider: Provider): readonly WeightedTarget[] {
    const { keylessId } = provider;
    const { ownTools, providerKeys } = organization;
    if (keylessId !== undefined) return [{ ...this.#target(provider, { ...noKey, id: keylessId }), ownTools }];
    return providerKeys
      .filter((key) => key.provider === provider.name)
      .map((key) => ({ ...this.#target(provider, key), ownTools }));
  }

  #target(provider: Provider, key: Omit<ProviderKey, 'provider'>): Omit<WeightedTarget, 'ownTools'> {
    const { id, secret, baseUrl, region, apiVersion, priority, weight } = key;
    return {
      provider,
      credential: secret,
      baseUrl: baseUrl === undefined ? this.#baseUrls.of(provider, key) : parseBaseUrl(baseUrl),
      providerKeyId: id,
      keyRevision: keyRevision([...Object.values(secret), baseUrl, region, apiVersion]),
      region,
      apiVersion,
      priority,
      weight,
    };
  }
}

const noKey = {
  secret: { apiKey: undefined, accessKeyId: undefined, secretAccessKey: undefined, sessionToken: undefined },
  baseUrl: undefined,
  endpoint: undefined,
  region: undefined,
  apiVersion: undefined,
  priority: 0,
  weight: 1,
};

/** Lower priority first. Within one priority the order is by weight. */
function inOrder(targets: readonly WeightedTarget[], variate: Variate): readonly Target[] {
  if (targets.length < 2) return targets;
  return targets
    .map((target) => ({ target, rank: rankOf(variate(target.providerKeyId ?? ''), target.weight) }))
    .sort((a, b) => a.target.priority - b.target.priority || a.rank - b.rank)
    .map(({ target }) => target);
}
