// Original file: proto/gateway/v1/ledger.proto


export interface ReturnResponse {
  'returnedNanoUsd'?: (string);
  'now'?: (string);
  'epoch'?: (string);
}

export interface ReturnResponse__Output {
  'returnedNanoUsd': (string);
  'now': (string);
  'epoch': (string);
}
