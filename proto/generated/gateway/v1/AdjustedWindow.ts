// Original file: proto/gateway/v1/reconciliation.proto


export interface AdjustedWindow {
  'limitId'?: (string);
  'window'?: (string);
}

export interface AdjustedWindow__Output {
  'limitId': (string);
  'window': (string);
}
