// Original file: proto/gateway/v1/reconciliation.proto

import type { BillDocument as _gateway_v1_BillDocument, BillDocument__Output as _gateway_v1_BillDocument__Output } from '../../gateway/v1/BillDocument.ts';

export interface DeleteBillRequest {
  'organizationId'?: (string);
  'document'?: (_gateway_v1_BillDocument);
  'account'?: (string);
  'from'?: (string);
  'to'?: (string);
  '_account'?: "account";
}

export interface DeleteBillRequest__Output {
  'organizationId': (string);
  'document': (_gateway_v1_BillDocument__Output);
  'account'?: (string);
  'from': (string);
  'to': (string);
  '_account'?: "account";
}
