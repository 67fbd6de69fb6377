// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';

export interface WatchStart {
  'since'?: (_gateway_v1_Position | null);
  'maxStaleSeconds'?: (number);
  '_since'?: "since";
}

export interface WatchStart__Output {
  'since'?: (_gateway_v1_Position__Output | null);
  'maxStaleSeconds': (number);
  '_since'?: "since";
}
