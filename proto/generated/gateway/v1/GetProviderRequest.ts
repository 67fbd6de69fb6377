// Original file: proto/gateway/v1/providers.proto


export interface GetProviderRequest {
  'id'?: (string);
}

export interface GetProviderRequest__Output {
  'id': (string);
}
