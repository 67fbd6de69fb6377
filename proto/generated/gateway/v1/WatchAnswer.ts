// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { Long } from '@grpc/proto-loader';

export interface WatchAnswer {
  'nonce'?: (number | string | Long);
  'position'?: (_gateway_v1_Position | null);
}

export interface WatchAnswer__Output {
  'nonce': (string);
  'position': (_gateway_v1_Position__Output | null);
}
