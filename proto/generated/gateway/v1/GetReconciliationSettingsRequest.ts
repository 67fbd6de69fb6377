// Original file: proto/gateway/v1/reconciliation.proto


export interface GetReconciliationSettingsRequest {
  'organizationId'?: (string);
}

export interface GetReconciliationSettingsRequest__Output {
  'organizationId': (string);
}
