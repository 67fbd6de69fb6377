// Original file: proto/gateway/v1/tokens.proto


export interface RevokeProxyTokenRequest {
  'id'?: (string);
}

export interface RevokeProxyTokenRequest__Output {
  'id': (string);
}
