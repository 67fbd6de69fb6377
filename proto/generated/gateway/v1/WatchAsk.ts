// Original file: proto/gateway/v1/access.proto

import type { Long } from '@grpc/proto-loader';

export interface WatchAsk {
  'nonce'?: (number | string | Long);
}

export interface WatchAsk__Output {
  'nonce': (string);
}
