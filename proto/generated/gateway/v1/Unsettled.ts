// Original file: proto/gateway/v1/budgets.proto


export interface Unsettled {
  'limitId'?: (string);
  'window'?: (string);
  'session'?: (string);
  'proxy'?: (string);
  'amountUsd'?: (string);
  'seenAt'?: (string);
}

export interface Unsettled__Output {
  'limitId': (string);
  'window': (string);
  'session': (string);
  'proxy': (string);
  'amountUsd': (string);
  'seenAt': (string);
}
