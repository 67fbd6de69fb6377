// Original file: proto/gateway/v1/virtual_keys.proto

import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';
import type { Metadata as _gateway_v1_Metadata, Metadata__Output as _gateway_v1_Metadata__Output } from '../../gateway/v1/Metadata.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateVirtualKeyRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'active'?: (boolean);
  'endsAt'?: (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'metadata'?: (_gateway_v1_Metadata | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_active'?: "active";
  '_endsAt'?: "endsAt";
  '_allowedModels'?: "allowedModels";
  '_metadata'?: "metadata";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface UpdateVirtualKeyRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'active'?: (boolean);
  'endsAt'?: (string);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'metadata'?: (_gateway_v1_Metadata__Output | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_active'?: "active";
  '_endsAt'?: "endsAt";
  '_allowedModels'?: "allowedModels";
  '_metadata'?: "metadata";
  '_allowUnmatched'?: "allowUnmatched";
}
