// Original file: proto/gateway/v1/ledger.proto


export interface UsageCharge {
  'budgetId'?: (string);
  'window'?: (string);
  'escrowNanoUsd'?: (string);
}

export interface UsageCharge__Output {
  'budgetId': (string);
  'window': (string);
  'escrowNanoUsd': (string);
}
