// Original file: proto/gateway/v1/access.proto

import type { RedisState as _gateway_v1_RedisState, RedisState__Output as _gateway_v1_RedisState__Output } from '../../gateway/v1/RedisState.ts';
import type { Long } from '@grpc/proto-loader';

export interface ProxyState {
  'redis'?: (_gateway_v1_RedisState);
  'clockMs'?: (number | string | Long);
  '_clockMs'?: "clockMs";
}

export interface ProxyState__Output {
  'redis': (_gateway_v1_RedisState__Output);
  'clockMs'?: (string);
  '_clockMs'?: "clockMs";
}
