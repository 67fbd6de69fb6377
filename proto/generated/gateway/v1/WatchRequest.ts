// Original file: proto/gateway/v1/access.proto

import type { WatchStart as _gateway_v1_WatchStart, WatchStart__Output as _gateway_v1_WatchStart__Output } from '../../gateway/v1/WatchStart.ts';
import type { WatchAsk as _gateway_v1_WatchAsk, WatchAsk__Output as _gateway_v1_WatchAsk__Output } from '../../gateway/v1/WatchAsk.ts';

export interface WatchRequest {
  'start'?: (_gateway_v1_WatchStart | null);
  'ask'?: (_gateway_v1_WatchAsk | null);
  'message'?: "start"|"ask";
}

export interface WatchRequest__Output {
  'start'?: (_gateway_v1_WatchStart__Output | null);
  'ask'?: (_gateway_v1_WatchAsk__Output | null);
  'message'?: "start"|"ask";
}
