// Original file: proto/gateway/v1/people.proto


export interface ListPeopleRequest {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListPeopleRequest__Output {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
