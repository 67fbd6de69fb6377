// Original file: proto/gateway/v1/organizations.proto


export interface SuspendOrganizationRequest {
  'id'?: (string);
}

export interface SuspendOrganizationRequest__Output {
  'id': (string);
}
