// Original file: proto/gateway/v1/access.proto

import type { WatchStarted as _gateway_v1_WatchStarted, WatchStarted__Output as _gateway_v1_WatchStarted__Output } from '../../gateway/v1/WatchStarted.ts';
import type { WatchReset as _gateway_v1_WatchReset, WatchReset__Output as _gateway_v1_WatchReset__Output } from '../../gateway/v1/WatchReset.ts';
import type { WatchChanges as _gateway_v1_WatchChanges, WatchChanges__Output as _gateway_v1_WatchChanges__Output } from '../../gateway/v1/WatchChanges.ts';
import type { WatchAnswer as _gateway_v1_WatchAnswer, WatchAnswer__Output as _gateway_v1_WatchAnswer__Output } from '../../gateway/v1/WatchAnswer.ts';
import type { WatchRecall as _gateway_v1_WatchRecall, WatchRecall__Output as _gateway_v1_WatchRecall__Output } from '../../gateway/v1/WatchRecall.ts';

export interface WatchResponse {
  'started'?: (_gateway_v1_WatchStarted | null);
  'reset'?: (_gateway_v1_WatchReset | null);
  'changes'?: (_gateway_v1_WatchChanges | null);
  'answer'?: (_gateway_v1_WatchAnswer | null);
  'recall'?: (_gateway_v1_WatchRecall | null);
  'message'?: "started"|"reset"|"changes"|"answer"|"recall";
}

export interface WatchResponse__Output {
  'started'?: (_gateway_v1_WatchStarted__Output | null);
  'reset'?: (_gateway_v1_WatchReset__Output | null);
  'changes'?: (_gateway_v1_WatchChanges__Output | null);
  'answer'?: (_gateway_v1_WatchAnswer__Output | null);
  'recall'?: (_gateway_v1_WatchRecall__Output | null);
  'message'?: "started"|"reset"|"changes"|"answer"|"recall";
}
