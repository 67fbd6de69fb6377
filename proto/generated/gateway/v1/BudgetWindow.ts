// Original file: proto/gateway/v1/budgets.proto


export interface BudgetWindow {
  'limitId'?: (string);
  'window'?: (string);
  'endsAt'?: (string);
  'amountUsd'?: (string);
  'spentUsd'?: (string);
  'leasedUsd'?: (string);
  'unsettledUsd'?: (string);
  'freeUsd'?: (string);
  '_endsAt'?: "endsAt";
}

export interface BudgetWindow__Output {
  'limitId': (string);
  'window': (string);
  'endsAt'?: (string);
  'amountUsd': (string);
  'spentUsd': (string);
  'leasedUsd': (string);
  'unsettledUsd': (string);
  'freeUsd': (string);
  '_endsAt'?: "endsAt";
}
