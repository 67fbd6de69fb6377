// Original file: proto/gateway/v1/audit.proto

import type { Long } from '@grpc/proto-loader';

export interface AuditFlaw {
  'revision'?: (number | string | Long);
  'reason'?: (string);
}

export interface AuditFlaw__Output {
  'revision': (string);
  'reason': (string);
}
