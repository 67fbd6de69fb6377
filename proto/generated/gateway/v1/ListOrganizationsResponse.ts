// Original file: proto/gateway/v1/organizations.proto

import type { Organization as _gateway_v1_Organization, Organization__Output as _gateway_v1_Organization__Output } from '../../gateway/v1/Organization.ts';

export interface ListOrganizationsResponse {
  'organizations'?: (_gateway_v1_Organization)[];
  'nextPageToken'?: (string);
}

export interface ListOrganizationsResponse__Output {
  'organizations': (_gateway_v1_Organization__Output)[];
  'nextPageToken': (string);
}
