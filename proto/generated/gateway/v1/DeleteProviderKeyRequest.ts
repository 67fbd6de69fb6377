// Original file: proto/gateway/v1/provider_keys.proto


export interface DeleteProviderKeyRequest {
  'id'?: (string);
}

export interface DeleteProviderKeyRequest__Output {
  'id': (string);
}
