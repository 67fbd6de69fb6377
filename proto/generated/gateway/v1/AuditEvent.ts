// Original file: proto/gateway/v1/audit.proto

import type { Long } from '@grpc/proto-loader';

export interface AuditEvent {
  'revision'?: (number | string | Long);
  'at'?: (string);
  'organizationId'?: (string);
  'actorKind'?: (string);
  'actorId'?: (string);
  'from'?: (string);
  'action'?: (string);
  'targetKind'?: (string);
  'targetId'?: (string);
  'before'?: (string);
  'after'?: (string);
  'hash'?: (string);
  'previousHash'?: (string);
  '_organizationId'?: "organizationId";
  '_before'?: "before";
  '_after'?: "after";
}

export interface AuditEvent__Output {
  'revision': (string);
  'at': (string);
  'organizationId'?: (string);
  'actorKind': (string);
  'actorId': (string);
  'from': (string);
  'action': (string);
  'targetKind': (string);
  'targetId': (string);
  'before'?: (string);
  'after'?: (string);
  'hash': (string);
  'previousHash': (string);
  '_organizationId'?: "organizationId";
  '_before'?: "before";
  '_after'?: "after";
}
