// Original file: proto/gateway/v1/reconciliation.proto


export interface ImportedDay {
  'day'?: (string);
  'rows'?: (number);
  'costUsd'?: (string);
  'replaced'?: (boolean);
  'unchanged'?: (boolean);
  'sameAsAccount'?: (string);
  '_costUsd'?: "costUsd";
  '_sameAsAccount'?: "sameAsAccount";
}

export interface ImportedDay__Output {
  'day': (string);
  'rows': (number);
  'costUsd'?: (string);
  'replaced': (boolean);
  'unchanged': (boolean);
  'sameAsAccount'?: (string);
  '_costUsd'?: "costUsd";
  '_sameAsAccount'?: "sameAsAccount";
}
