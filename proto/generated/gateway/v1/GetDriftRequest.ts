// Original file: proto/gateway/v1/reconciliation.proto


export interface GetDriftRequest {
  'organizationId'?: (string);
  'id'?: (string);
}

export interface GetDriftRequest__Output {
  'organizationId': (string);
  'id': (string);
}
