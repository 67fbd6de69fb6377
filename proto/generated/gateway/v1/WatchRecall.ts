// Original file: proto/gateway/v1/access.proto


export interface WatchRecall {
  'budgetId'?: (string);
  'window'?: (string);
}

export interface WatchRecall__Output {
  'budgetId': (string);
  'window': (string);
}
