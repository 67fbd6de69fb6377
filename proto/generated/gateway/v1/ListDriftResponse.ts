// Original file: proto/gateway/v1/reconciliation.proto

import type { Drift as _gateway_v1_Drift, Drift__Output as _gateway_v1_Drift__Output } from '../../gateway/v1/Drift.ts';

export interface ListDriftResponse {
  'drift'?: (_gateway_v1_Drift)[];
  'nextPageToken'?: (string);
  'daysPending'?: (number);
}

export interface ListDriftResponse__Output {
  'drift': (_gateway_v1_Drift__Output)[];
  'nextPageToken': (string);
  'daysPending': (number);
}
