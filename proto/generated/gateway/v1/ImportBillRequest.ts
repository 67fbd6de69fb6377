// Original file: proto/gateway/v1/reconciliation.proto

import type { BillDocument as _gateway_v1_BillDocument, BillDocument__Output as _gateway_v1_BillDocument__Output } from '../../gateway/v1/BillDocument.ts';
import type { BillDay as _gateway_v1_BillDay, BillDay__Output as _gateway_v1_BillDay__Output } from '../../gateway/v1/BillDay.ts';

export interface ImportBillRequest {
  'organizationId'?: (string);
  'document'?: (_gateway_v1_BillDocument);
  'account'?: (string);
  'days'?: (_gateway_v1_BillDay)[];
  '_account'?: "account";
}

export interface ImportBillRequest__Output {
  'organizationId': (string);
  'document': (_gateway_v1_BillDocument__Output);
  'account'?: (string);
  'days': (_gateway_v1_BillDay__Output)[];
  '_account'?: "account";
}
