// Original file: proto/gateway/v1/limits.proto


export interface DeleteLimitRequest {
  'id'?: (string);
}

export interface DeleteLimitRequest__Output {
  'id': (string);
}
