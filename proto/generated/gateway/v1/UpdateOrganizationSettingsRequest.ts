// Original file: proto/gateway/v1/organizations.proto

import type { OrganizationSettings as _gateway_v1_OrganizationSettings, OrganizationSettings__Output as _gateway_v1_OrganizationSettings__Output } from '../../gateway/v1/OrganizationSettings.ts';
import type { ModelGlobs as _gateway_v1_ModelGlobs, ModelGlobs__Output as _gateway_v1_ModelGlobs__Output } from '../../gateway/v1/ModelGlobs.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateOrganizationSettingsRequest {
  'id'?: (string);
  'ifRevision'?: (number | string | Long);
  'name'?: (string);
  'settings'?: (_gateway_v1_OrganizationSettings | null);
  'allowedModels'?: (_gateway_v1_ModelGlobs | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_settings'?: "settings";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}

export interface UpdateOrganizationSettingsRequest__Output {
  'id': (string);
  'ifRevision'?: (string);
  'name'?: (string);
  'settings'?: (_gateway_v1_OrganizationSettings__Output | null);
  'allowedModels'?: (_gateway_v1_ModelGlobs__Output | null);
  'allowUnmatched'?: (boolean);
  '_ifRevision'?: "ifRevision";
  '_name'?: "name";
  '_settings'?: "settings";
  '_allowedModels'?: "allowedModels";
  '_allowUnmatched'?: "allowUnmatched";
}
