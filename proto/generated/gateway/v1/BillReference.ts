// Original file: proto/gateway/v1/reconciliation.proto

import type { BillReferenceKind as _gateway_v1_BillReferenceKind, BillReferenceKind__Output as _gateway_v1_BillReferenceKind__Output } from '../../gateway/v1/BillReferenceKind.ts';

export interface BillReference {
  'kind'?: (_gateway_v1_BillReferenceKind);
  'value'?: (string);
}

export interface BillReference__Output {
  'kind': (_gateway_v1_BillReferenceKind__Output);
  'value': (string);
}
