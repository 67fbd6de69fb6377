// Original file: proto/gateway/v1/status.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { Long } from '@grpc/proto-loader';

export interface FeedStatus {
  'position'?: (_gateway_v1_Position | null);
  'ageMs'?: (number | string | Long);
}

export interface FeedStatus__Output {
  'position': (_gateway_v1_Position__Output | null);
  'ageMs': (string);
}
