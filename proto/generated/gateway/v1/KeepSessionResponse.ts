// Original file: proto/gateway/v1/ledger.proto


export interface KeepSessionResponse {
  'open'?: (boolean);
  'now'?: (string);
}

export interface KeepSessionResponse__Output {
  'open': (boolean);
  'now': (string);
}
