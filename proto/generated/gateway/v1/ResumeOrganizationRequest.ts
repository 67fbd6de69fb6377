// Original file: proto/gateway/v1/organizations.proto


export interface ResumeOrganizationRequest {
  'id'?: (string);
}

export interface ResumeOrganizationRequest__Output {
  'id': (string);
}
