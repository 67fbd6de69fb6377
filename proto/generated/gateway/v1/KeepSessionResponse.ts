// Original file: proto/gateway/v1/ledger.proto


export interface KeepSessionResponse {
  'open'?: (boolean);
  'now'?: (string);
  'sessions'?: (number);
  'epoch'?: (string);
  'leasedNanoUsd'?: (string);
  '_leasedNanoUsd'?: "leasedNanoUsd";
}

export interface KeepSessionResponse__Output {
  'open': (boolean);
  'now': (string);
  'sessions': (number);
  'epoch': (string);
  'leasedNanoUsd'?: (string);
  '_leasedNanoUsd'?: "leasedNanoUsd";
}
