// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';

export interface WatchReset {
  'horizon'?: (_gateway_v1_Position | null);
}

export interface WatchReset__Output {
  'horizon': (_gateway_v1_Position__Output | null);
}
