// The credentials that the simulated vendors accept, as stored provider keys and as headers of their own routes, and
// their addresses.
import { type VendorName, vendorNames, vendors } from '../../common/vendors.ts';
import { accounts } from '../../simulator/managed-cloud-models/accounts.ts';
import type { Environment } from './gateway.ts';

export const region = 'eu-west-1';
const { accessKeyId, secretAccessKey } = accounts.permanent;

/** Fields of `ProviderKeys/Create`. */
export const storedKeys = {
  'gpt-provider': { secret: { apiKey: 'sk-sim-stored-0123456789abcdef' } },
  'studio-ai': { secret: { apiKey: 'sk-sim-stored-studio-0123456789' }, settings: { endpoint: 'simulated' } },
  'managed-cloud-models': { secret: { accessKeyId, secretAccessKey }, settings: { region } },
  'assistant-provider': { secret: { apiKey: 'sk-ant-sim-stored-0123456789' } },
  'search-provider': { secret: { apiKey: 'AIzaSimStored-0123456789' } },
} as const satisfies Record<VendorName, object>;

/** Headers of a provider's own route, without the project key. */
export const ownHeaders = {
  'gpt-provider': { authorization: 'Bearer sk-sim-own-0123456789abcdef' },
  'studio-ai': { authorization: 'Bearer eyJzaW0.eyJzaW0.sk-sim-own-studio-0123456789' },
  'managed-cloud-models': {
    'cloud-access-key-id': accessKeyId,
    'cloud-secret-access-key': secretAccessKey,
    'cloud-region-name': region,
  },
  'assistant-provider': { authorization: 'sk-ant-sim-own-0123456789' },
  'search-provider': { authorization: 'AIzaSimOwn-0123456789' },
} as const satisfies Record<VendorName, Readonly<Record<string, string>>>;

/** A model of each vendor, for requests that need no special one. */
export const plainModels = {
  'gpt-provider': 'gpt-4o-mini',
  'studio-ai': 'gpt-4o-mini',
  'managed-cloud-models': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'assistant-provider': 'claude-sonnet-4-5',
  'search-provider': 'gemini-2.5-flash',
} as const satisfies Record<VendorName, string>;

export function ownPath(vendor: VendorName): string {
  return `/v1/${vendor === 'studio-ai' ? 'studio-ai/simulated' : vendor}`;
}

/** Settings of a proxy for which the simulator at this address is every vendor. */
export function vendorSettings(baseUrls: Readonly<Record<VendorName, string>>, port: number): Environment {
  const urls = vendorNames.map((name) => {
    const path = name === 'studio-ai' ? '/models' : '';
    return [vendors[name].baseUrlSetting, `${baseUrls[name]}${path}`] as const;
  });
  return { ...Object.fromEntries(urls), GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}` };
}
