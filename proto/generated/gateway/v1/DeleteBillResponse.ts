// Original file: proto/gateway/v1/reconciliation.proto


export interface DeleteBillResponse {
  'days'?: (number);
}

export interface DeleteBillResponse__Output {
  'days': (number);
}
