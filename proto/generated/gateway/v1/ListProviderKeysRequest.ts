// Original file: proto/gateway/v1/provider_keys.proto


export interface ListProviderKeysRequest {
  'organizationId'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}

export interface ListProviderKeysRequest__Output {
  'organizationId': (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
  '_pageSize'?: "pageSize";
  '_pageToken'?: "pageToken";
}
