// Original file: proto/gateway/v1/people.proto

import type { Role as _gateway_v1_Role, Role__Output as _gateway_v1_Role__Output } from '../../gateway/v1/Role.ts';
import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';

export interface CreatePersonRequest {
  'organizationId'?: (string);
  'name'?: (string);
  'email'?: (string);
  'role'?: (_gateway_v1_Role);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'allowUnmatched'?: (boolean);
  '_organizationId'?: "organizationId";
  '_email'?: "email";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface CreatePersonRequest__Output {
  'organizationId'?: (string);
  'name': (string);
  'email'?: (string);
  'role': (_gateway_v1_Role__Output);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'allowUnmatched'?: (boolean);
  '_organizationId'?: "organizationId";
  '_email'?: "email";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}
