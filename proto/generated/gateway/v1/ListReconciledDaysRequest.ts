// Original file: proto/gateway/v1/reconciliation.proto

import type { BillVendor as _gateway_v1_BillVendor, BillVendor__Output as _gateway_v1_BillVendor__Output } from '../../gateway/v1/BillVendor.ts';

export interface ListReconciledDaysRequest {
  'organizationId'?: (string);
  'vendor'?: (_gateway_v1_BillVendor);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_vendor'?: "vendor";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListReconciledDaysRequest__Output {
  'organizationId': (string);
  'vendor'?: (_gateway_v1_BillVendor__Output);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_vendor'?: "vendor";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
