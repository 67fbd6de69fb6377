// Original file: proto/gateway/v1/reconciliation.proto

import type { ReconciledDay as _gateway_v1_ReconciledDay, ReconciledDay__Output as _gateway_v1_ReconciledDay__Output } from '../../gateway/v1/ReconciledDay.ts';

export interface ListReconciledDaysResponse {
  'days'?: (_gateway_v1_ReconciledDay)[];
  'nextPageToken'?: (string);
}

export interface ListReconciledDaysResponse__Output {
  'days': (_gateway_v1_ReconciledDay__Output)[];
  'nextPageToken': (string);
}
