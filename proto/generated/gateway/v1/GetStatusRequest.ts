// Original file: proto/gateway/v1/status.proto


export interface GetStatusRequest {
  'checkSelectors'?: (boolean);
  '_checkSelectors'?: "checkSelectors";
}

export interface GetStatusRequest__Output {
  'checkSelectors'?: (boolean);
  '_checkSelectors'?: "checkSelectors";
}
