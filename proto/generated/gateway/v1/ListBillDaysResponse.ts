// Original file: proto/gateway/v1/reconciliation.proto

import type { BillDaySummary as _gateway_v1_BillDaySummary, BillDaySummary__Output as _gateway_v1_BillDaySummary__Output } from '../../gateway/v1/BillDaySummary.ts';

export interface ListBillDaysResponse {
  'days'?: (_gateway_v1_BillDaySummary)[];
  'nextPageToken'?: (string);
}

export interface ListBillDaysResponse__Output {
  'days': (_gateway_v1_BillDaySummary__Output)[];
  'nextPageToken': (string);
}
