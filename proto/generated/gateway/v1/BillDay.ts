// Original file: proto/gateway/v1/reconciliation.proto

import type { BillRow as _gateway_v1_BillRow, BillRow__Output as _gateway_v1_BillRow__Output } from '../../gateway/v1/BillRow.ts';

export interface BillDay {
  'day'?: (string);
  'rows'?: (_gateway_v1_BillRow)[];
}

export interface BillDay__Output {
  'day': (string);
  'rows': (_gateway_v1_BillRow__Output)[];
}
