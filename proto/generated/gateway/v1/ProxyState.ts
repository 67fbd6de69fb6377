// Original file: proto/gateway/v1/access.proto

import type { RedisState as _gateway_v1_RedisState, RedisState__Output as _gateway_v1_RedisState__Output } from '../../gateway/v1/RedisState.ts';
import type { CatalogState as _gateway_v1_CatalogState, CatalogState__Output as _gateway_v1_CatalogState__Output } from '../../gateway/v1/CatalogState.ts';
import type { RecordKeysState as _gateway_v1_RecordKeysState, RecordKeysState__Output as _gateway_v1_RecordKeysState__Output } from '../../gateway/v1/RecordKeysState.ts';
import type { Long } from '@grpc/proto-loader';

export interface ProxyState {
  'redis'?: (_gateway_v1_RedisState);
  'clockMs'?: (number | string | Long);
  'catalog'?: (_gateway_v1_CatalogState | null);
  'recordKeys'?: (_gateway_v1_RecordKeysState | null);
  '_clockMs'?: "clockMs";
  '_catalog'?: "catalog";
  '_recordKeys'?: "recordKeys";
}

export interface ProxyState__Output {
  'redis': (_gateway_v1_RedisState__Output);
  'clockMs'?: (string);
  'catalog'?: (_gateway_v1_CatalogState__Output | null);
  'recordKeys'?: (_gateway_v1_RecordKeysState__Output | null);
  '_clockMs'?: "clockMs";
  '_catalog'?: "catalog";
  '_recordKeys'?: "recordKeys";
}
