// Original file: proto/gateway/v1/access.proto

import type { ProxyState as _gateway_v1_ProxyState, ProxyState__Output as _gateway_v1_ProxyState__Output } from '../../gateway/v1/ProxyState.ts';
import type { Long } from '@grpc/proto-loader';

export interface WatchAsk {
  'nonce'?: (number | string | Long);
  'state'?: (_gateway_v1_ProxyState | null);
  '_state'?: "state";
}

export interface WatchAsk__Output {
  'nonce': (string);
  'state'?: (_gateway_v1_ProxyState__Output | null);
  '_state'?: "state";
}
