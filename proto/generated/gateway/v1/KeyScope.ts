// Original file: proto/gateway/v1/virtual_keys.proto

import type { KeyScopeKind as _gateway_v1_KeyScopeKind, KeyScopeKind__Output as _gateway_v1_KeyScopeKind__Output } from '../../gateway/v1/KeyScopeKind.ts';

export interface KeyScope {
  'kind'?: (_gateway_v1_KeyScopeKind);
  'id'?: (string);
}

export interface KeyScope__Output {
  'kind': (_gateway_v1_KeyScopeKind__Output);
  'id': (string);
}
