// Original file: proto/gateway/v1/status.proto

import type { RedisState as _gateway_v1_RedisState, RedisState__Output as _gateway_v1_RedisState__Output } from '../../gateway/v1/RedisState.ts';
import type { CatalogState as _gateway_v1_CatalogState, CatalogState__Output as _gateway_v1_CatalogState__Output } from '../../gateway/v1/CatalogState.ts';
import type { RecordKeysState as _gateway_v1_RecordKeysState, RecordKeysState__Output as _gateway_v1_RecordKeysState__Output } from '../../gateway/v1/RecordKeysState.ts';
import type { Long } from '@grpc/proto-loader';

export interface Watcher {
  'identity'?: (string);
  'tokenName'?: (string);
  'organizationId'?: (string);
  'address'?: (string);
  'since'?: (string);
  'askedAt'?: (string);
  'version'?: (string);
  'host'?: (string);
  'redis'?: (_gateway_v1_RedisState);
  'clockAheadMs'?: (number | string | Long);
  'catalog'?: (_gateway_v1_CatalogState | null);
  'recordKeys'?: (_gateway_v1_RecordKeysState | null);
  '_tokenName'?: "tokenName";
  '_organizationId'?: "organizationId";
  '_askedAt'?: "askedAt";
  '_version'?: "version";
  '_host'?: "host";
  '_clockAheadMs'?: "clockAheadMs";
  '_catalog'?: "catalog";
  '_recordKeys'?: "recordKeys";
}

export interface Watcher__Output {
  'identity': (string);
  'tokenName'?: (string);
  'organizationId'?: (string);
  'address': (string);
  'since': (string);
  'askedAt'?: (string);
  'version'?: (string);
  'host'?: (string);
  'redis': (_gateway_v1_RedisState__Output);
  'clockAheadMs'?: (string);
  'catalog'?: (_gateway_v1_CatalogState__Output | null);
  'recordKeys'?: (_gateway_v1_RecordKeysState__Output | null);
  '_tokenName'?: "tokenName";
  '_organizationId'?: "organizationId";
  '_askedAt'?: "askedAt";
  '_version'?: "version";
  '_host'?: "host";
  '_clockAheadMs'?: "clockAheadMs";
  '_catalog'?: "catalog";
  '_recordKeys'?: "recordKeys";
}
