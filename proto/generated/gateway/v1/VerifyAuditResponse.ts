// Original file: proto/gateway/v1/audit.proto

import type { AuditLink as _gateway_v1_AuditLink, AuditLink__Output as _gateway_v1_AuditLink__Output } from '../../gateway/v1/AuditLink.ts';
import type { AuditFlaw as _gateway_v1_AuditFlaw, AuditFlaw__Output as _gateway_v1_AuditFlaw__Output } from '../../gateway/v1/AuditFlaw.ts';

export interface VerifyAuditResponse {
  'reached'?: (_gateway_v1_AuditLink | null);
  'events'?: (number);
  'isEnd'?: (boolean);
  'flaw'?: (_gateway_v1_AuditFlaw | null);
  'links'?: (_gateway_v1_AuditLink)[];
  '_flaw'?: "flaw";
}

export interface VerifyAuditResponse__Output {
  'reached': (_gateway_v1_AuditLink__Output | null);
  'events': (number);
  'isEnd': (boolean);
  'flaw'?: (_gateway_v1_AuditFlaw__Output | null);
  'links': (_gateway_v1_AuditLink__Output)[];
  '_flaw'?: "flaw";
}
