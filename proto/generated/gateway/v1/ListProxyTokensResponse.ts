// Original file: proto/gateway/v1/tokens.proto

import type { ProxyToken as _gateway_v1_ProxyToken, ProxyToken__Output as _gateway_v1_ProxyToken__Output } from '../../gateway/v1/ProxyToken.ts';

export interface ListProxyTokensResponse {
  'proxyTokens'?: (_gateway_v1_ProxyToken)[];
  'nextPageToken'?: (string);
}

export interface ListProxyTokensResponse__Output {
  'proxyTokens': (_gateway_v1_ProxyToken__Output)[];
  'nextPageToken': (string);
}
