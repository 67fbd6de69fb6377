// Original file: proto/gateway/v1/providers.proto


export interface ListProvidersRequest {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListProvidersRequest__Output {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_organizationId'?: "organizationId";
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
