// Original file: proto/gateway/v1/tokens.proto


export interface ProxyToken {
  'id'?: (string);
  'name'?: (string);
  'hint'?: (string);
  'organizationId'?: (string);
  'createdAt'?: (string);
  'revokedAt'?: (string);
  '_organizationId'?: "organizationId";
  '_revokedAt'?: "revokedAt";
}

export interface ProxyToken__Output {
  'id': (string);
  'name': (string);
  'hint': (string);
  'organizationId'?: (string);
  'createdAt': (string);
  'revokedAt'?: (string);
  '_organizationId'?: "organizationId";
  '_revokedAt'?: "revokedAt";
}
