// Original file: proto/gateway/v1/ai_systems.proto

import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';

export interface CreateAiSystemRequest {
  'organizationId'?: (string);
  'name'?: (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'allowUnmatched'?: (boolean);
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface CreateAiSystemRequest__Output {
  'organizationId': (string);
  'name': (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'allowUnmatched'?: (boolean);
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}
