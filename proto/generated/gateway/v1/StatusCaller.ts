// Original file: proto/gateway/v1/status.proto

import type { Role as _gateway_v1_Role, Role__Output as _gateway_v1_Role__Output } from '../../gateway/v1/Role.ts';

export interface StatusCaller {
  'personId'?: (string);
  'name'?: (string);
  'role'?: (_gateway_v1_Role);
  'organizationId'?: (string);
  'tokenEndsAt'?: (string);
  '_organizationId'?: "organizationId";
}

export interface StatusCaller__Output {
  'personId': (string);
  'name': (string);
  'role': (_gateway_v1_Role__Output);
  'organizationId'?: (string);
  'tokenEndsAt': (string);
  '_organizationId'?: "organizationId";
}
