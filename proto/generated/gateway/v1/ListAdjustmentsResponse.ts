// Original file: proto/gateway/v1/reconciliation.proto

import type { Adjustment as _gateway_v1_Adjustment, Adjustment__Output as _gateway_v1_Adjustment__Output } from '../../gateway/v1/Adjustment.ts';

export interface ListAdjustmentsResponse {
  'adjustments'?: (_gateway_v1_Adjustment)[];
  'nextPageToken'?: (string);
}

export interface ListAdjustmentsResponse__Output {
  'adjustments': (_gateway_v1_Adjustment__Output)[];
  'nextPageToken': (string);
}
