// Original file: proto/gateway/v1/organizations.proto

import type { AccessSettings as _gateway_v1_AccessSettings, AccessSettings__Output as _gateway_v1_AccessSettings__Output } from '../../gateway/v1/AccessSettings.ts';
import type { CostSettings as _gateway_v1_CostSettings, CostSettings__Output as _gateway_v1_CostSettings__Output } from '../../gateway/v1/CostSettings.ts';

export interface OrganizationSettings {
  'access'?: (_gateway_v1_AccessSettings | null);
  'cost'?: (_gateway_v1_CostSettings | null);
}

export interface OrganizationSettings__Output {
  'access': (_gateway_v1_AccessSettings__Output | null);
  'cost': (_gateway_v1_CostSettings__Output | null);
}
