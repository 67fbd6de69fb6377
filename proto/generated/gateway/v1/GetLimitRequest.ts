// Original file: proto/gateway/v1/limits.proto


export interface GetLimitRequest {
  'id'?: (string);
}

export interface GetLimitRequest__Output {
  'id': (string);
}
