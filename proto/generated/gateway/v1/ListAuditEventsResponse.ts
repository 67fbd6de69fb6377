// Original file: proto/gateway/v1/audit.proto

import type { AuditEvent as _gateway_v1_AuditEvent, AuditEvent__Output as _gateway_v1_AuditEvent__Output } from '../../gateway/v1/AuditEvent.ts';

export interface ListAuditEventsResponse {
  'events'?: (_gateway_v1_AuditEvent)[];
  'nextPageToken'?: (string);
}

export interface ListAuditEventsResponse__Output {
  'events': (_gateway_v1_AuditEvent__Output)[];
  'nextPageToken': (string);
}
