// Original file: proto/gateway/v1/reconciliation.proto

import type { Long } from '@grpc/proto-loader';

export interface ReconciliationSettings {
  'organizationId'?: (string);
  'boundPercent'?: (string);
  'boundUsd'?: (string);
  'revision'?: (number | string | Long);
}

export interface ReconciliationSettings__Output {
  'organizationId': (string);
  'boundPercent': (string);
  'boundUsd': (string);
  'revision': (string);
}
