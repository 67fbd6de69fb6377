// Original file: proto/gateway/v1/tokens.proto

import type { ProxyToken as _gateway_v1_ProxyToken, ProxyToken__Output as _gateway_v1_ProxyToken__Output } from '../../gateway/v1/ProxyToken.ts';

export interface CreateProxyTokenResponse {
  'proxyToken'?: (_gateway_v1_ProxyToken | null);
  'value'?: (string);
}

export interface CreateProxyTokenResponse__Output {
  'proxyToken': (_gateway_v1_ProxyToken__Output | null);
  'value': (string);
}
