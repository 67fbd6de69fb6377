// Original file: proto/gateway/v1/providers.proto


export interface DeleteProviderRequest {
  'id'?: (string);
}

export interface DeleteProviderRequest__Output {
  'id': (string);
}
