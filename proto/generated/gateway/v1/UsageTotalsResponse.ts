// Original file: proto/gateway/v1/usage.proto

import type { UsageTotal as _gateway_v1_UsageTotal, UsageTotal__Output as _gateway_v1_UsageTotal__Output } from '../../gateway/v1/UsageTotal.ts';
import type { ModelMatch as _gateway_v1_ModelMatch, ModelMatch__Output as _gateway_v1_ModelMatch__Output } from '../../gateway/v1/ModelMatch.ts';

export interface UsageTotalsResponse {
  'totals'?: (_gateway_v1_UsageTotal)[];
  'nextPageToken'?: (string);
  'match'?: (_gateway_v1_ModelMatch | null);
  '_match'?: "match";
}

export interface UsageTotalsResponse__Output {
  'totals': (_gateway_v1_UsageTotal__Output)[];
  'nextPageToken': (string);
  'match'?: (_gateway_v1_ModelMatch__Output | null);
  '_match'?: "match";
}
