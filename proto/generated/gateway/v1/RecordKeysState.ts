// Original file: proto/gateway/v1/access.proto


export interface RecordKeysState {
  'ids'?: (string)[];
  'fromControlPlane'?: (boolean);
}

export interface RecordKeysState__Output {
  'ids': (string)[];
  'fromControlPlane': (boolean);
}
