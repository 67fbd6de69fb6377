// Original file: proto/gateway/v1/organizations.proto

import type { FirstOwner as _gateway_v1_FirstOwner, FirstOwner__Output as _gateway_v1_FirstOwner__Output } from '../../gateway/v1/FirstOwner.ts';

export interface CreateOrganizationRequest {
  'name'?: (string);
  'owner'?: (_gateway_v1_FirstOwner | null);
}

export interface CreateOrganizationRequest__Output {
  'name': (string);
  'owner': (_gateway_v1_FirstOwner__Output | null);
}
