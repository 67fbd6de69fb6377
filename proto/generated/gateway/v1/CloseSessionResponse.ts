// Original file: proto/gateway/v1/ledger.proto


export interface CloseSessionResponse {
  'freedNanoUsd'?: (string);
  'now'?: (string);
  'epoch'?: (string);
}

export interface CloseSessionResponse__Output {
  'freedNanoUsd': (string);
  'now': (string);
  'epoch': (string);
}
