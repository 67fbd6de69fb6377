// Original file: proto/gateway/v1/access.proto

import type { KeyScopeKind as _gateway_v1_KeyScopeKind, KeyScopeKind__Output as _gateway_v1_KeyScopeKind__Output } from '../../gateway/v1/KeyScopeKind.ts';
import type { LimitRecord as _gateway_v1_LimitRecord, LimitRecord__Output as _gateway_v1_LimitRecord__Output } from '../../gateway/v1/LimitRecord.ts';
import type { Long } from '@grpc/proto-loader';

export interface ScopeRecord {
  'kind'?: (_gateway_v1_KeyScopeKind);
  'id'?: (string);
  'organizationId'?: (string);
  'active'?: (boolean);
  'allowedModels'?: (string)[];
  'limits'?: (_gateway_v1_LimitRecord)[];
  'revision'?: (number | string | Long);
}

export interface ScopeRecord__Output {
  'kind': (_gateway_v1_KeyScopeKind__Output);
  'id': (string);
  'organizationId': (string);
  'active': (boolean);
  'allowedModels': (string)[];
  'limits': (_gateway_v1_LimitRecord__Output)[];
  'revision': (string);
}
