// Original file: proto/gateway/v1/reconciliation.proto

import type { Long } from '@grpc/proto-loader';

export interface UpdateReconciliationSettingsRequest {
  'organizationId'?: (string);
  'ifRevision'?: (number | string | Long);
  'boundPercent'?: (string);
  'boundUsd'?: (string);
  '_ifRevision'?: "ifRevision";
  '_boundPercent'?: "boundPercent";
  '_boundUsd'?: "boundUsd";
}

export interface UpdateReconciliationSettingsRequest__Output {
  'organizationId': (string);
  'ifRevision'?: (string);
  'boundPercent'?: (string);
  'boundUsd'?: (string);
  '_ifRevision'?: "ifRevision";
  '_boundPercent'?: "boundPercent";
  '_boundUsd'?: "boundUsd";
}
