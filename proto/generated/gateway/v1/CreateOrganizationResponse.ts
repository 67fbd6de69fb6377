// Original file: proto/gateway/v1/organizations.proto

import type { Organization as _gateway_v1_Organization, Organization__Output as _gateway_v1_Organization__Output } from '../../gateway/v1/Organization.ts';
import type { Person as _gateway_v1_Person, Person__Output as _gateway_v1_Person__Output } from '../../gateway/v1/Person.ts';

export interface CreateOrganizationResponse {
  'organization'?: (_gateway_v1_Organization | null);
  'owner'?: (_gateway_v1_Person | null);
  'ownerToken'?: (string);
}

export interface CreateOrganizationResponse__Output {
  'organization': (_gateway_v1_Organization__Output | null);
  'owner': (_gateway_v1_Person__Output | null);
  'ownerToken': (string);
}
