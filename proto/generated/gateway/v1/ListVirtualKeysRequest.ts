// Original file: proto/gateway/v1/virtual_keys.proto

import type { KeyScope as _gateway_v1_KeyScope, KeyScope__Output as _gateway_v1_KeyScope__Output } from '../../gateway/v1/KeyScope.ts';
import type { KeyStatus as _gateway_v1_KeyStatus, KeyStatus__Output as _gateway_v1_KeyStatus__Output } from '../../gateway/v1/KeyStatus.ts';

export interface ListVirtualKeysRequest {
  'organizationId'?: (string);
  'scope'?: (_gateway_v1_KeyScope | null);
  'includeRevoked'?: (boolean);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'statuses'?: (_gateway_v1_KeyStatus)[];
  '_scope'?: "scope";
  '_includeRevoked'?: "includeRevoked";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListVirtualKeysRequest__Output {
  'organizationId': (string);
  'scope'?: (_gateway_v1_KeyScope__Output | null);
  'includeRevoked'?: (boolean);
  'pageSize'?: (number);
  'pageToken'?: (string);
  'statuses': (_gateway_v1_KeyStatus__Output)[];
  '_scope'?: "scope";
  '_includeRevoked'?: "includeRevoked";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
