// Original file: proto/gateway/v1/ledger.proto

import type { UsageEvent as _gateway_v1_UsageEvent, UsageEvent__Output as _gateway_v1_UsageEvent__Output } from '../../gateway/v1/UsageEvent.ts';

export interface ReportUsageRequest {
  'events'?: (_gateway_v1_UsageEvent)[];
}

export interface ReportUsageRequest__Output {
  'events': (_gateway_v1_UsageEvent__Output)[];
}
