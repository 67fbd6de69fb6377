// Original file: proto/gateway/v1/provider_keys.proto


export interface GetProviderKeyRequest {
  'id'?: (string);
}

export interface GetProviderKeyRequest__Output {
  'id': (string);
}
