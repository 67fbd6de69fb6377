// Original file: proto/gateway/v1/provider_keys.proto

import type { ProviderKey as _gateway_v1_ProviderKey, ProviderKey__Output as _gateway_v1_ProviderKey__Output } from '../../gateway/v1/ProviderKey.ts';

export interface ListProviderKeysResponse {
  'providerKeys'?: (_gateway_v1_ProviderKey)[];
  'nextPageToken'?: (string);
}

export interface ListProviderKeysResponse__Output {
  'providerKeys': (_gateway_v1_ProviderKey__Output)[];
  'nextPageToken': (string);
}
