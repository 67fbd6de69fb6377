// Original file: proto/gateway/v1/people.proto

import type { Role as _gateway_v1_Role, Role__Output as _gateway_v1_Role__Output } from '../../gateway/v1/Role.ts';
import type { ModelMatches as _gateway_v1_ModelMatches, ModelMatches__Output as _gateway_v1_ModelMatches__Output } from '../../gateway/v1/ModelMatches.ts';
import type { Long } from '@grpc/proto-loader';

export interface Person {
  'id'?: (string);
  'organizationId'?: (string);
  'name'?: (string);
  'email'?: (string);
  'role'?: (_gateway_v1_Role);
  'active'?: (boolean);
  'allowedModels'?: (string)[];
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'matches'?: (_gateway_v1_ModelMatches | null);
  '_organizationId'?: "organizationId";
  '_email'?: "email";
  '_matches'?: "matches";
}

export interface Person__Output {
  'id': (string);
  'organizationId'?: (string);
  'name': (string);
  'email'?: (string);
  'role': (_gateway_v1_Role__Output);
  'active': (boolean);
  'allowedModels': (string)[];
  'createdAt': (string);
  'revision': (string);
  'matches'?: (_gateway_v1_ModelMatches__Output | null);
  '_organizationId'?: "organizationId";
  '_email'?: "email";
  '_matches'?: "matches";
}
