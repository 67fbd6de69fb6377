// Original file: proto/gateway/v1/ledger.proto

import type { UsageEvent as _gateway_v1_UsageEvent, UsageEvent__Output as _gateway_v1_UsageEvent__Output } from '../../gateway/v1/UsageEvent.ts';
import type { UsageSource as _gateway_v1_UsageSource, UsageSource__Output as _gateway_v1_UsageSource__Output } from '../../gateway/v1/UsageSource.ts';
import type { UsageSlice as _gateway_v1_UsageSlice, UsageSlice__Output as _gateway_v1_UsageSlice__Output } from '../../gateway/v1/UsageSlice.ts';

export interface ReportUsageRequest {
  'events'?: (_gateway_v1_UsageEvent)[];
  'sources'?: (_gateway_v1_UsageSource)[];
  'slices'?: (_gateway_v1_UsageSlice)[];
}

export interface ReportUsageRequest__Output {
  'events': (_gateway_v1_UsageEvent__Output)[];
  'sources': (_gateway_v1_UsageSource__Output)[];
  'slices': (_gateway_v1_UsageSlice__Output)[];
}
