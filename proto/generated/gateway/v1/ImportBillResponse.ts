// Original file: proto/gateway/v1/reconciliation.proto

import type { ImportedDay as _gateway_v1_ImportedDay, ImportedDay__Output as _gateway_v1_ImportedDay__Output } from '../../gateway/v1/ImportedDay.ts';

export interface ImportBillResponse {
  'importId'?: (string);
  'days'?: (_gateway_v1_ImportedDay)[];
}

export interface ImportBillResponse__Output {
  'importId': (string);
  'days': (_gateway_v1_ImportedDay__Output)[];
}
