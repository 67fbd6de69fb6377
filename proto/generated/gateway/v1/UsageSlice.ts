// Original file: proto/gateway/v1/ledger.proto


export interface UsageSlice {
  'budgetId'?: (string);
  'window'?: (string);
}

export interface UsageSlice__Output {
  'budgetId': (string);
  'window': (string);
}
