// Original file: proto/gateway/v1/ledger.proto


export interface KeepSessionRequest {
  'session'?: (string);
}

export interface KeepSessionRequest__Output {
  'session': (string);
}
