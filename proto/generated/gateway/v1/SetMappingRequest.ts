// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';
import type { BillReference as _gateway_v1_BillReference, BillReference__Output as _gateway_v1_BillReference__Output } from '../../gateway/v1/BillReference.ts';

export interface SetMappingRequest {
  'organizationId'?: (string);
  'vendor'?: (_gateway_v1_BillVendor);
  'reference'?: (_gateway_v1_BillReference | null);
  'providerKeyIds'?: (string)[];
  'model'?: (string);
  'ignored'?: (boolean);
  '_model'?: "model";
}

export interface SetMappingRequest__Output {
  'organizationId': (string);
  'vendor': (_gateway_v1_BillVendor__Output);
  'reference': (_gateway_v1_BillReference__Output | null);
  'providerKeyIds': (string)[];
  'model'?: (string);
  'ignored': (boolean);
  '_model'?: "model";
}
