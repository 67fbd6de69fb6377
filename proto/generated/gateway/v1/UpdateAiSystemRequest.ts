// Original file: proto/gateway/v1/ai_systems.proto

import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateAiSystemRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'active'?: (boolean);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_active'?: "active";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface UpdateAiSystemRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'active'?: (boolean);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_active'?: "active";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}
