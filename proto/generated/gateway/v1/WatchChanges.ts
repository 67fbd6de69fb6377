// Original file: proto/gateway/v1/access.proto

import type { Invalidation as _gateway_v1_Invalidation, Invalidation__Output as _gateway_v1_Invalidation__Output } from '../../gateway/v1/Invalidation.ts';

export interface WatchChanges {
  'invalidations'?: (_gateway_v1_Invalidation)[];
}

export interface WatchChanges__Output {
  'invalidations': (_gateway_v1_Invalidation__Output)[];
}
