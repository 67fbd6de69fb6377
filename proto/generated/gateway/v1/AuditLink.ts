// Original file: proto/gateway/v1/audit.proto

import type { Long } from '@grpc/proto-loader';

export interface AuditLink {
  'revision'?: (number | string | Long);
  'hash'?: (string);
}

export interface AuditLink__Output {
  'revision': (string);
  'hash': (string);
}
