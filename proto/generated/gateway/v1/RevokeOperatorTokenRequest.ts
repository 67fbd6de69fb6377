// Original file: proto/gateway/v1/tokens.proto


export interface RevokeOperatorTokenRequest {
  'id'?: (string);
}

export interface RevokeOperatorTokenRequest__Output {
  'id': (string);
}
