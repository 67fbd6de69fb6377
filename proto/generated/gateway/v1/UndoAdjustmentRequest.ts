// Original file: proto/gateway/v1/reconciliation.proto


export interface UndoAdjustmentRequest {
  'organizationId'?: (string);
  'id'?: (string);
  'reason'?: (string);
}

export interface UndoAdjustmentRequest__Output {
  'organizationId': (string);
  'id': (string);
  'reason': (string);
}
