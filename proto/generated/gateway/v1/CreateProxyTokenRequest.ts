// Original file: proto/gateway/v1/tokens.proto


export interface CreateProxyTokenRequest {
  'name'?: (string);
  'organizationId'?: (string);
  '_organizationId'?: "organizationId";
}

export interface CreateProxyTokenRequest__Output {
  'name': (string);
  'organizationId'?: (string);
  '_organizationId'?: "organizationId";
}
