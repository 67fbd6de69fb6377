// Original file: proto/gateway/v1/access.proto

import type { Position as _gateway_v1_Position, Position__Output as _gateway_v1_Position__Output } from '../../gateway/v1/Position.ts';
import type { EpochChange as _gateway_v1_EpochChange, EpochChange__Output as _gateway_v1_EpochChange__Output } from '../../gateway/v1/EpochChange.ts';

export interface WatchStarted {
  'horizon'?: (_gateway_v1_Position | null);
  'epochChange'?: (_gateway_v1_EpochChange);
  'continues'?: (_gateway_v1_Position)[];
  'recordKeys'?: (Buffer | Uint8Array | string)[];
}

export interface WatchStarted__Output {
  'horizon': (_gateway_v1_Position__Output | null);
  'epochChange': (_gateway_v1_EpochChange__Output);
  'continues': (_gateway_v1_Position__Output)[];
  'recordKeys': (Buffer)[];
}
