// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';
import type { DriftState as _gateway_v1_DriftState, DriftState__Output as _gateway_v1_DriftState__Output } from '../../gateway/v1/DriftState.ts';

export interface ListDriftRequest {
  'organizationId'?: (string);
  'from'?: (string);
  'to'?: (string);
  'vendor'?: (_gateway_v1_BillVendor);
  'states'?: (_gateway_v1_DriftState)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_from'?: "from";
  '_to'?: "to";
  '_vendor'?: "vendor";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListDriftRequest__Output {
  'organizationId': (string);
  'from'?: (string);
  'to'?: (string);
  'vendor'?: (_gateway_v1_BillVendor__Output);
  'states': (_gateway_v1_DriftState__Output)[];
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_from'?: "from";
  '_to'?: "to";
  '_vendor'?: "vendor";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
