// Original file: proto/gateway/v1/budgets.proto


export interface ReleaseUnsettledRequest {
  'limitId'?: (string);
  'window'?: (string);
  'session'?: (string);
  'amountUsd'?: (string);
  '_amountUsd'?: "amountUsd";
}

export interface ReleaseUnsettledRequest__Output {
  'limitId': (string);
  'window': (string);
  'session': (string);
  'amountUsd'?: (string);
  '_amountUsd'?: "amountUsd";
}
