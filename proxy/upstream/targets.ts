// Which targets a call may go to: the organization's stored keys of the provider in the order in which they are tried, or
// the caller's own key, which goes to the platform's URL of that provider and nowhere else.
import type { OrganizationRecord, ProviderKey } from '../access/principal.ts';
import type { Credential, Provider, Target } from '../providers/provider.ts';

/** The platform's base URLs by canonical provider name. */
export type BaseUrls = ReadonlyMap<string, string>;

/** Empty where the organization has no key of this provider. */
export function storedTargets(
  organization: OrganizationRecord,
  provider: Provider,
  baseUrls: BaseUrls,
): readonly Target[] {
  const keys = organization.providerKeys.filter((key) => key.provider === provider.name);
  return inOrder(keys).map((key) => target(provider, key, baseUrls));
}

export function directTarget(provider: Provider, credential: Credential, baseUrls: BaseUrls): Target {
  return { provider, credential, baseUrl: platformUrl(provider, baseUrls), providerKeyId: undefined };
}

function target(provider: Provider, key: ProviderKey, baseUrls: BaseUrls): Target {
  return {
    provider,
    credential: { apiKey: key.secret.apiKey },
    baseUrl: key.baseUrl ?? platformUrl(provider, baseUrls),
    providerKeyId: key.id,
  };
}

function platformUrl(provider: Provider, baseUrls: BaseUrls): string {
  return baseUrls.get(provider.name) ?? provider.defaultBaseUrl;
}

/**
 * Lower priority first; within one priority a weighted draw: the smallest of exponential variates with the weights as rates
 * comes first as often as its share of the weights.
 */
function inOrder(keys: readonly ProviderKey[]): readonly ProviderKey[] {
  if (keys.length < 2) return keys;
  return keys
    .map((key) => ({ key, draw: -Math.log(1 - Math.random()) / key.weight }))
    .sort((a, b) => a.key.priority - b.key.priority || a.draw - b.draw)
    .map(({ key }) => key);
}
