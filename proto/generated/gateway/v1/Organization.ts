// Original file: proto/gateway/v1/organizations.proto

import type { OrganizationSettings as _gateway_v1_OrganizationSettings, OrganizationSettings__Output as _gateway_v1_OrganizationSettings__Output } from '../../gateway/v1/OrganizationSettings.ts';
import type { ModelMatches as _gateway_v1_ModelMatches, ModelMatches__Output as _gateway_v1_ModelMatches__Output } from '../../gateway/v1/ModelMatches.ts';
import type { Long } from '@grpc/proto-loader';

export interface Organization {
  'id'?: (string);
  'name'?: (string);
  'suspended'?: (boolean);
  'settings'?: (_gateway_v1_OrganizationSettings | null);
  'allowedModels'?: (string)[];
  'createdAt'?: (string);
  'revision'?: (number | string | Long);
  'matches'?: (_gateway_v1_ModelMatches | null);
  '_matches'?: "matches";
}

export interface Organization__Output {
  'id': (string);
  'name': (string);
  'suspended': (boolean);
  'settings': (_gateway_v1_OrganizationSettings__Output | null);
  'allowedModels': (string)[];
  'createdAt': (string);
  'revision': (string);
  'matches'?: (_gateway_v1_ModelMatches__Output | null);
  '_matches'?: "matches";
}
