// Original file: proto/gateway/v1/ledger.proto


export interface OutstandingLease {
  'budgetId'?: (string);
  'window'?: (string);
  'outstandingNanoUsd'?: (string);
}

export interface OutstandingLease__Output {
  'budgetId': (string);
  'window': (string);
  'outstandingNanoUsd': (string);
}
