// Original file: proto/gateway/v1/usage.proto

import type { UsageTotal as _gateway_v1_UsageTotal, UsageTotal__Output as _gateway_v1_UsageTotal__Output } from '../../gateway/v1/UsageTotal.ts';

export interface UsageTotalsResponse {
  'totals'?: (_gateway_v1_UsageTotal)[];
  'nextPageToken'?: (string);
}

export interface UsageTotalsResponse__Output {
  'totals': (_gateway_v1_UsageTotal__Output)[];
  'nextPageToken': (string);
}
