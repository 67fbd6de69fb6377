// Original file: proto/gateway/v1/people.proto

import type { Role as _gateway_v1_Role, Role__Output as _gateway_v1_Role__Output } from '../../gateway/v1/Role.ts';
import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdatePersonRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'email'?: (string);
  'role'?: (_gateway_v1_Role);
  'active'?: (boolean);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_email'?: "email";
  '_role'?: "role";
  '_active'?: "active";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface UpdatePersonRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'email'?: (string);
  'role'?: (_gateway_v1_Role__Output);
  'active'?: (boolean);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_email'?: "email";
  '_role'?: "role";
  '_active'?: "active";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}
