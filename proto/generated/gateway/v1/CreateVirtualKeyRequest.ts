// Original file: proto/gateway/v1/virtual_keys.proto

import type { KeyScope as _gateway_v1_KeyScope, KeyScope__Output as _gateway_v1_KeyScope__Output } from '../../gateway/v1/KeyScope.ts';
import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';
import type { Metadata as _gateway_v1_Metadata, Metadata__Output as _gateway_v1_Metadata__Output } from '../../gateway/v1/Metadata.ts';

export interface CreateVirtualKeyRequest {
  'organizationId'?: (string);
  'scope'?: (_gateway_v1_KeyScope | null);
  'name'?: (string);
  'active'?: (boolean);
  'endsAt'?: (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'metadata'?: (_gateway_v1_Metadata | null);
  'clientRequestId'?: (string);
  'allowUnmatched'?: (boolean);
  '_active'?: "active";
  '_endsAt'?: "endsAt";
  '_allowedModels'?: "allowedModels";
  '_metadata'?: "metadata";
  '_clientRequestId'?: "clientRequestId";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface CreateVirtualKeyRequest__Output {
  'organizationId': (string);
  'scope': (_gateway_v1_KeyScope__Output | null);
  'name': (string);
  'active'?: (boolean);
  'endsAt'?: (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'metadata'?: (_gateway_v1_Metadata__Output | null);
  'clientRequestId'?: (string);
  'allowUnmatched'?: (boolean);
  '_active'?: "active";
  '_endsAt'?: "endsAt";
  '_allowedModels'?: "allowedModels";
  '_metadata'?: "metadata";
  '_clientRequestId'?: "clientRequestId";
  '_allowUnmatched'?: "allowUnmatched";
}
