// Original file: proto/gateway/v1/providers.proto

import type { Provider as _gateway_v1_Provider, Provider__Output as _gateway_v1_Provider__Output } from '../../gateway/v1/Provider.ts';

export interface ListProvidersResponse {
  'providers'?: (_gateway_v1_Provider)[];
  'nextPageToken'?: (string);
}

export interface ListProvidersResponse__Output {
  'providers': (_gateway_v1_Provider__Output)[];
  'nextPageToken': (string);
}
